// What tells consumer cards from data-centre ones.
#pragma once

#include "gpusel/catalog/gpu.hpp"

namespace gpusel::estimate {

/// Consumer cards run matrix units at half rate, which they then sustain almost fully.
inline bool half_rate(const catalog::Gpu& gpu) {
  return gpu.fp16_dense_tflops && gpu.fp32_tflops && gpu.capability && *gpu.capability >= 7.5 &&
         *gpu.fp16_dense_tflops < 2.5 * *gpu.fp32_tflops;
}

}  // namespace gpusel::estimate
