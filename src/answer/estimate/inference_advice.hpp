// What binds a deployment and what one change to it would bring, each found by planning the changed
// workload on the same machine.
#pragma once

#include <string>
#include <vector>

#include "physics/planner/plan.hpp"

namespace gpusel::answer {

/// Lines for `--explain`: the largest part of memory, what binds, the runner-up, and changes that would make it fit,
/// meet its targets or go faster, the best first.
std::vector<std::string> inference_advice(const job::Job& work, const physics::Machine& machine,
                                          const physics::Plan& plan, const physics::Coefficients& c);

/// "native on Hopper", or what the GPU does with a format that it cannot compute in.
std::string arithmetic_text(const physics::WeightFormat& format, const physics::Device& device);

}  // namespace gpusel::answer
