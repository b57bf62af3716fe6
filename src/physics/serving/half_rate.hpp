// What tells consumer cards from data-centre ones.
#pragma once

#include "catalog/records/gpu.hpp"

namespace gpusel::physics {

/// Consumer cards run matrix units at half rate, which they then sustain almost fully.
bool half_rate(const catalog::Gpu& gpu);

}  // namespace gpusel::physics
