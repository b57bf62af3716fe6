// What command lines of a test are filled in with. Private to this room.
#pragma once

#include "gpusel/advise/poc.hpp"

namespace gpusel::advise {

/// What is tested at once: one replica of a service, one card of counted work, all cards of a training.
struct ProofUnit {
  workload::Workload work;
  estimate::Machine machine;
  plan::Choice choice;
  double chunks = 1;  // of a pipeline stage, that interleave
};

/// The same machine with fewer cards: of one node, then whole nodes.
estimate::Machine with_gpus(estimate::Machine machine, int gpus);

/// Steps of training in one run.
inline constexpr int kProofSteps = 50;

/// Of a unit. `prompts`: requests of one run.
ProofValues values_of(const ProofUnit& unit, double prompts);

}  // namespace gpusel::advise
