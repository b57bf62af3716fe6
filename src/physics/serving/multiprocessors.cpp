#include "physics/serving/multiprocessors.hpp"

namespace gpusel::physics {

double multiprocessors(const catalog::Gpu& gpu) {
  const double units = gpu.tensor_cores.value_or(0);
  return gpu.capability && *gpu.capability < 8 ? units / 8 : units / 4;
}

double clock_ghz(const catalog::Gpu& gpu) {
  if (gpu.clock_mhz) return *gpu.clock_mhz * 1e-3;
  const double lanes = gpu.cuda_cores.value_or(0);
  return lanes != 0 ? gpu.fp32_tflops.value_or(0) * 1e3 / (2 * lanes) : 0;
}

}  // namespace gpusel::physics
