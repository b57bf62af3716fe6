#include "physics/kinds/networks/power.hpp"

#include <cmath>

#include "base/words/message.hpp"
#include "catalog/catalog.hpp"
#include "physics/serving/multiprocessors.hpp"

namespace gpusel::physics {

namespace {

/// Runs from which a median is trusted as it is.
constexpr double kEnoughRuns = 5;

/// Those that parts without matrix units have, too: 64 or 128 fp32 lanes each, by compute capability. Unknown: 0.
double drawing_multiprocessors(const catalog::Gpu& gpu) {
  if (const double known = multiprocessors(gpu); known != 0) return known;
  if (!gpu.cuda_cores || !gpu.capability) return 0;
  const double capability = *gpu.capability;
  const bool wide = capability < 6 || (capability > 6 && capability < 7);
  return *gpu.cuda_cores / (wide ? 128 : 64);
}

std::string generation(const catalog::Gpu& gpu) {
  if (gpu.rt_cores.value_or(0) != 0 && gpu.rt_generation) return format("RT {:g}", *gpu.rt_generation);
  return std::string(gpu.compute_capability);
}

}  // namespace

double derived_points(const catalog::Gpu& gpu, const RenderCoefficients& c) {
  if (gpu.vendor != "nvidia") return 0;
  const double clocks = drawing_multiprocessors(gpu) * clock_ghz(gpu);
  return c.score_scale.of(generation(gpu)) * std::pow(clocks, c.score_clocks.value) *
         std::pow(gpu.memory_bandwidth_gbs.value_or(0), c.score_bandwidth.value);
}

DrawingPower drawing_power(const Device& device, const catalog::Catalog& catalog, const RenderCoefficients& c) {
  const catalog::Gpu& gpu = *device.gpu;
  DrawingPower power;
  if (const auto* score = catalog.render_score(gpu, catalog::RenderBenchmark::blender)) {
    power = {*score->score, true, score->samples && *score->samples >= kEnoughRuns, score->note};
  } else {
    power.points = derived_points(gpu, c);
  }
  power.points *= std::pow(device.share, c.slice_exponent.value);
  return power;
}

DrawingPower drawing_power(const Host& host) {
  DrawingPower power;
  if (host.cpu == nullptr || !host.cpu->blender_score || !host.cpu->cores_per_socket) return power;
  const double threads = host.threads_per_core != 0 ? host.threads_per_core : host.cpu->threads_per_core.value_or(1);
  power.published = true;
  power.points = *host.cpu->blender_score * host.vcpus / (*host.cpu->cores_per_socket * threads);
  return power;
}

double spread_of(const DrawingPower& power, const RenderCoefficients& c) {
  if (!power.published) return c.score_spread.of("derived");
  return c.score_spread.of(power.trusted ? "published" : "few");
}

}  // namespace gpusel::physics
