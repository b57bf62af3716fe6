// What binds a deployment and what one change to it would bring, each found by planning the changed
// workload on the same machine.
#pragma once

#include <string>
#include <vector>

#include "gpusel/plan/plan.hpp"

namespace gpusel::advise {

/// Lines for `--explain`: the largest part of memory, what binds, the runner-up, and changes that would make it fit,
/// meet its targets or go faster, the best first.
std::vector<std::string> inference_advice(const workload::Workload& work, const estimate::Machine& machine,
                                          const plan::InferenceChoice& choice, const estimate::Coefficients& c);

/// "native on Hopper", or what the GPU does with a format that it cannot compute in.
std::string arithmetic_text(const estimate::WeightFormat& format, const estimate::Device& device);

}  // namespace gpusel::advise
