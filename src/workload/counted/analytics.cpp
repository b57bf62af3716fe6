#include "workload/counted/filling.hpp"

namespace gpusel::workload {

std::span<const std::string_view> keys_of(const AnalyticsJob&) {
  static constexpr std::string_view kKeys[] = {"resolution", "fps", "stream_fps", "streams", "codec"};
  return kKeys;
}

Status fill(AnalyticsJob& job, Filling& f) {
  job.stream_fps = f.or_assume(f.request.stream_fps, "stream_fps", 5.0);
  f.counted.demand = f.request.streams;
  f.counted.unit = kStreams;
  return {};
}

}  // namespace gpusel::workload
