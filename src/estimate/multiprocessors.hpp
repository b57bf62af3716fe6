// Streaming multiprocessors of a GPU and how fast they tick.
#pragma once

#include "gpusel/catalog/gpu.hpp"

namespace gpusel::estimate {

/// Streaming multiprocessors: four matrix units each, eight before Ampere. Unknown: 0.
inline double multiprocessors(const catalog::Gpu& gpu) {
  const double units = gpu.tensor_cores.value_or(0);
  return gpu.capability && *gpu.capability < 8 ? units / 8 : units / 4;
}

/// Clocks per nanosecond: the boost clock, or the one that the fp32 peak stands for. Unknown: 0.
inline double clock_ghz(const catalog::Gpu& gpu) {
  if (gpu.clock_mhz) return *gpu.clock_mhz * 1e-3;
  const double lanes = gpu.cuda_cores.value_or(0);
  return lanes > 0 ? gpu.fp32_tflops.value_or(0) * 1e3 / (2 * lanes) : 0;
}

}  // namespace gpusel::estimate
