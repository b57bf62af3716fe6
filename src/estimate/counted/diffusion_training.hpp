// Training a denoiser, or adapters beside it. Private to this room.
#pragma once

#include "estimate/counted/classes.hpp"

namespace gpusel::estimate {

CountedFigures diffusion_training(const workload::DiffusionJob& job, const CountedAsk& ask);

}  // namespace gpusel::estimate
