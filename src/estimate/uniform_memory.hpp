// Memory of a plan that treats all layers alike, and of one that mixes two treatments; speed of either.
#pragma once

#include "estimate/training_job.hpp"

namespace gpusel::estimate {

MemoryBreakdown uniform_memory(const TrainingJob& job, const Machine& machine, const TrainingPlan& plan,
                               Trace* trace = nullptr);

/// Of a plan that treats a share of the layers as the one and the rest as the other has it.
MemoryBreakdown partial_memory(const MemoryBreakdown& recomputing, const MemoryBreakdown& keeping, double recomputed);

std::optional<TrainingSpeed> training_speed(const TrainingJob& job, const TrainingRates& rates, const Machine& machine,
                                            const TrainingPlan& plan, Trace* trace = nullptr);

}  // namespace gpusel::estimate
