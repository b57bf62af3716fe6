// Images and videos on a machine without a GPU: possible, and tens of times slower. Private to this room.
#pragma once

#include "physics/kinds/kinds.hpp"

namespace gpusel::physics {

Figures diffusion_on_cpu(const job::DiffusionJob& job, const CountedAsk& ask);

}  // namespace gpusel::physics
