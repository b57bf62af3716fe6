// What a training job writes to be able to go on.
#pragma once

#include <optional>

#include "gpusel/base/units.hpp"
#include "gpusel/workload/workload.hpp"

namespace gpusel::estimate {

/// Weights and optimiser states of the parameters that are trained, all nodes together; gradients are made anew.
/// Nothing for recommenders and diffusion models, whose parts are kept apart.
std::optional<Bytes> checkpoint_size(const workload::Workload& work, workload::Precision precision);

}  // namespace gpusel::estimate
