// Images and videos on a machine without a GPU: possible, and tens of times slower. Private to this room.
#pragma once

#include "physics/kinds/classes.hpp"

namespace gpusel::physics {

CountedFigures diffusion_on_cpu(const job::DiffusionJob& job, const CountedAsk& ask);

}  // namespace gpusel::physics
