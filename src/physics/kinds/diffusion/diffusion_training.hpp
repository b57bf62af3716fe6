// Training a denoiser, or adapters beside it. Private to this room.
#pragma once

#include "physics/kinds/kinds.hpp"

namespace gpusel::physics {

Figures diffusion_training(const job::DiffusionJob& job, const CountedAsk& ask);

}  // namespace gpusel::physics
