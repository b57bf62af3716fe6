// Streaming multiprocessors of a GPU and how fast they tick.
#pragma once

#include "catalog/records/gpu.hpp"

namespace gpusel::physics {

/// Streaming multiprocessors: four matrix units each, eight before Ampere. Unknown: 0.
double multiprocessors(const catalog::Gpu& gpu);

/// Clocks per nanosecond: the boost clock, or the one that the fp32 peak stands for. Unknown: 0.
double clock_ghz(const catalog::Gpu& gpu);

}  // namespace gpusel::physics
