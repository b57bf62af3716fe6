// Training a denoiser, or adapters beside it. Private to this room.
#pragma once

#include "physics/kinds/classes.hpp"

namespace gpusel::physics {

CountedFigures diffusion_training(const job::DiffusionJob& job, const CountedAsk& ask);

}  // namespace gpusel::physics
