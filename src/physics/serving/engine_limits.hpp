// How much an engine takes on at once: its own defaults for that version and GPU, unless the question says otherwise.
#pragma once

#include "job/job.hpp"
#include "physics/machine.hpp"

namespace gpusel::physics {

struct EngineLimits {
  double sequences = 0;       // decoded together
  double batched_tokens = 0;  // of one pass
  double memory_share = 0;    // of the card, that the engine takes
  bool fixed_pool = false;    // weights and caches are that share of what is free at the start, all else is outside it
};

/// The generation of an engine as it runs on that GPU: what a release no longer supports runs on an older one.
std::string_view generation_on(const job::Inference& job, const Device& device);

/// `gpus`: of a replica.
EngineLimits engine_limits(const job::Job& work, const Machine& machine, int gpus, const Coefficients& coefficients);

}  // namespace gpusel::physics
