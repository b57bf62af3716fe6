#include "physics/serving/half_rate.hpp"

namespace gpusel::physics {

bool half_rate(const catalog::Gpu& gpu) {
  return gpu.fp16_dense_tflops && gpu.fp32_tflops && gpu.capability && *gpu.capability >= 7.5 &&
         *gpu.fp16_dense_tflops < 2.5 * *gpu.fp32_tflops;
}

}  // namespace gpusel::physics
