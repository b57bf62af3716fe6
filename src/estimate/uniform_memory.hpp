// Memory of a plan that treats all layers alike.
#pragma once

#include "gpusel/estimate/training.hpp"

namespace gpusel::estimate {

MemoryBreakdown uniform_memory(const workload::Workload& work, const Machine& machine, const TrainingPlan& plan,
                               const Coefficients& coefficients, Trace* trace = nullptr);

}  // namespace gpusel::estimate
