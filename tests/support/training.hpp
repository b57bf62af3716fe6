// Training jobs of the estimate tests: what a plan takes on as many H100 as it needs.
#pragma once

#include "physics/training/training.hpp"
#include "support/job.hpp"

namespace gpusel::test {

inline constexpr double kLlama = 6.73841562e9;                  // parameters of LLaMA 7B
inline constexpr double kLlamaTable = 32000.0 * 4096;           // its embedding; the output head is as large
inline constexpr double kLlamaBody = kLlama - 2 * kLlamaTable;  // without embedding and head

/// As many H100 as the plan's degrees ask for, with more memory than any plan takes: allocators give back nothing.
physics::Machine enough(const physics::Layout& plan);

physics::MemoryBreakdown memory(const job::Job& work, const physics::Layout& plan, const physics::Machine& machine);
physics::MemoryBreakdown memory(const job::Job& work, const physics::Layout& plan = {});

/// For plans that have a speed: throws otherwise.
physics::TrainingSpeed speed(const job::Job& work, const physics::Layout& plan, const physics::Machine& machine);
physics::TrainingSpeed speed(const job::Job& work, const physics::Layout& plan = {});

}  // namespace gpusel::test
