#include "workload/counted/filling.hpp"

namespace gpusel::workload {

std::span<const std::string_view> keys_of(const SessionJob&) {
  static constexpr std::string_view kKeys[] = {"render", "scene",      "scene_vram_gib", "sessions",
                                               "fps",    "resolution", "codec"};
  return kKeys;
}

Status fill(SessionJob& job, Filling& f) {
  job.kind = *f.request.render;
  f.counted.demand = f.request.sessions;
  f.counted.unit = kSessions;
  return {};
}

}  // namespace gpusel::workload
