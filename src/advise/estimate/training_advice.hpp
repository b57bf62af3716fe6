// What dominates a training plan and what one change to it would bring, each found by estimating the
// changed plan.
#pragma once

#include <string>
#include <vector>

#include "gpusel/plan/plan.hpp"

namespace gpusel::advise {

/// Lines for `--explain`: the largest part of memory and time, the runner-up, and changes that would
/// make the job fit or go faster, the best first.
std::vector<std::string> training_advice(const workload::Workload& work, const estimate::Machine& machine,
                                         const plan::TrainingChoice& choice, const estimate::Coefficients& c);

}  // namespace gpusel::advise
