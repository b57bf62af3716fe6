// What command lines of a test are filled in with. Private to this room.
#pragma once

#include "answer/poc/poc.hpp"

namespace gpusel::answer {

/// What is tested at once: one replica of a service, one card of counted work, all cards of a training.
struct ProofUnit {
  job::Job work;
  physics::Machine machine;
  physics::Plan plan;
  double chunks = 1;  // of a pipeline stage, that interleave
};

/// The same machine with fewer cards: of one node, then whole nodes.
physics::Machine with_gpus(physics::Machine machine, int gpus);

/// Tokens that one request may have: prompt and answer, and an eighth for what templates add and prompts vary, in steps
/// of 1024, as far as the model and the cache reach.
double context_of(const ProofUnit& unit, const physics::CacheRoom& room);

/// Steps of training in one run.
inline constexpr int kProofSteps = 50;

/// Of a unit. `prompts`: requests of one run.
ProofValues values_of(const ProofUnit& unit, double prompts);

}  // namespace gpusel::answer
