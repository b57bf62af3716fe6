// What dominates a training plan and what one change to it would bring, each found by estimating the
// changed plan.
#pragma once

#include <string>
#include <vector>

#include "physics/planner/plan.hpp"

namespace gpusel::answer {

/// Lines for `--explain`: the largest part of memory and time, the runner-up, and changes that would
/// make the job fit or go faster, the best first.
std::vector<std::string> training_advice(const job::Job& work, const physics::Machine& machine,
                                         const physics::Plan& plan, const physics::Coefficients& c);

}  // namespace gpusel::answer
