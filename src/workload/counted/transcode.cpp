#include "workload/counted/filling.hpp"

namespace gpusel::workload {

std::span<const std::string_view> keys_of(const TranscodeJob&) {
  static constexpr std::string_view kKeys[] = {"codec", "resolution", "fps", "streams", "live"};
  return kKeys;
}

Status fill(TranscodeJob& job, Filling& f) {
  job.codec = f.or_assume(f.request.codec, "codec", Codec::h264);
  f.counted.demand = f.request.streams;
  f.counted.unit = kStreams;
  return {};
}

}  // namespace gpusel::workload
