// Training jobs of the estimate tests: what a plan takes on as many H100 as it needs.
#pragma once

#include "gpusel/estimate/training.hpp"
#include "support/job.hpp"

namespace gpusel::test {

inline constexpr double kLlama = 6.73841562e9;                  // parameters of LLaMA 7B
inline constexpr double kLlamaTable = 32000.0 * 4096;           // its embedding; the output head is as large
inline constexpr double kLlamaBody = kLlama - 2 * kLlamaTable;  // without embedding and head

/// As many H100 as the plan's degrees ask for.
estimate::Machine enough(const estimate::TrainingPlan& plan);

estimate::MemoryBreakdown memory(const workload::Workload& work, const estimate::TrainingPlan& plan,
                                 const estimate::Machine& machine);
estimate::MemoryBreakdown memory(const workload::Workload& work, const estimate::TrainingPlan& plan = {});

/// For plans that have a speed: throws otherwise.
estimate::TrainingSpeed speed(const workload::Workload& work, const estimate::TrainingPlan& plan,
                              const estimate::Machine& machine);
estimate::TrainingSpeed speed(const workload::Workload& work, const estimate::TrainingPlan& plan = {});

}  // namespace gpusel::test
