#include "workload/counted/filling.hpp"

namespace gpusel::workload {

std::span<const std::string_view> keys_of(const OfflineRender&) {
  static constexpr std::string_view kKeys[] = {"render", "renderer",          "scene", "scene_vram_gib",
                                               "frames", "seconds_per_frame", "on"};
  return kKeys;
}

Status fill(OfflineRender& job, Filling& f) {
  job.renderer = f.or_assume(f.request.renderer, "renderer", Renderer::cycles);
  f.counted.unit = kScore;
  return {};
}

}  // namespace gpusel::workload
