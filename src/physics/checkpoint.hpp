// What a training job writes to be able to go on.
#pragma once

#include <optional>

#include "base/values/units.hpp"
#include "job/job.hpp"

namespace gpusel::physics {

/// Weights and optimiser states of the parameters that are trained, all nodes together; gradients are made anew.
/// Nothing for recommenders and diffusion models, whose parts are kept apart.
std::optional<Bytes> checkpoint_size(const job::Job& work, job::Precision precision);

}  // namespace gpusel::physics
