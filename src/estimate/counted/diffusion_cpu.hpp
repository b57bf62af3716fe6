// Images and videos on a machine without a GPU: possible, and tens of times slower. Private to this room.
#pragma once

#include "estimate/counted/classes.hpp"

namespace gpusel::estimate {

CountedFigures diffusion_on_cpu(const workload::DiffusionJob& job, const CountedAsk& ask);

}  // namespace gpusel::estimate
