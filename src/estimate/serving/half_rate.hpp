// What tells consumer cards from data-centre ones.
#pragma once

#include "gpusel/catalog/gpu.hpp"

namespace gpusel::estimate {

/// Consumer cards run matrix units at half rate, which they then sustain almost fully.
bool half_rate(const catalog::Gpu& gpu);

}  // namespace gpusel::estimate
