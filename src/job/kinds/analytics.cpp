// A detector on camera streams: every frame is decoded, some are looked at.
#include <algorithm>

#include "job/kinds/filling.hpp"

namespace gpusel::job {

std::span<const std::string_view> keys_of(const AnalyticsJob&) {
  static constexpr std::string_view kKeys[] = {"resolution", "fps", "stream_fps", "streams", "codec", "input_codec"};
  return kKeys;
}

Status fill(AnalyticsJob& job, Filling& f) {
  const Request& asked = f.request;
  job.detector.resolution = default_resolution(*f.model).value_or(Resolution{640, 640});
  job.camera = f.or_assume(asked.resolution, "resolution", Resolution{1920, 1080});
  job.camera_fps = f.or_assume(asked.fps, "fps", 25.0);
  job.stream_fps = f.or_assume(asked.stream_fps, "stream_fps", std::min(5.0, job.camera_fps));
  job.codec = f.or_assume(asked.codec ? asked.codec : asked.input_codec, "codec", Codec::h264);
  if (job.stream_fps > job.camera_fps)
    return usage_error(say("a stream of {:g} frames per second has no {:g} to look at", job.camera_fps, job.stream_fps),
                       "stream_fps", say("at most {:g}", job.camera_fps));
  f.counted.demand = asked.streams;
  f.counted.on_cpu = true;
  f.counted.unit = kStreams;
  return {};
}

}  // namespace gpusel::job
