// Cameras that a machine watches at once: all their frames are decoded, some of them go through the detector.
#include <algorithm>
#include <cmath>

#include "physics/kinds/kinds.hpp"

namespace gpusel::physics {

namespace {

using job::AnalyticsJob;

/// Streams that the detector and the decoders of the whole machine keep up with.
struct Watching {
  double seen = 0;
  double decoded = 0;
  double streams = 0;
  std::string_view bound_by;
};

constexpr Recorded kDecodedStreams{
    "streams by decoder", "{:.1f}", {}, "NVIDIA NVDEC application note; ffmpeg on processors"};

/// On a GPU its decoders work beside its other units.
Figures beside(const AnalyticsJob& job, const CountedAsk& ask, Figures out, Watching& found) {
  const Device& device = ask.machine.device;
  const MediaCoefficients& c = ask.c.media;
  const MediaRate decoders = decoder_rate(device, job.codec, c);
  out.lacks = decoders.lacks;
  out.unknown = decoders.unknown;
  if (!out.lacks.empty() || !out.unknown.empty()) {
    out.rate = 0;  // images per second are no streams
    return out;
  }
  const double per_stream = full_hd_frames(job.camera) * job.camera_fps;
  found.decoded = record(ask.trace, kDecodedStreams, [&](auto told) {
    return told("frames per second of all decoders", decoders.fps) * told("share of use", c.live_use.value) /
           told("frames of one stream", per_stream) * told("GPUs", ask.machine.gpus());
  });
  const Bytes each = surface_memory(job.camera, c);
  const double room = (device.usable - out.memory.total()) / each * ask.machine.gpus();
  found.streams = std::min({found.seen, found.decoded, std::max(0.0, room)});
  found.bound_by = found.streams == found.decoded ? std::string_view("decoder")
                   : found.streams == found.seen  ? out.bound_by
                                                  : std::string_view("memory");
  out.memory.workspace += each * std::max(1.0, std::floor(found.streams / ask.machine.gpus()));
  return out;
}

/// On a processor both take turns.
Figures in_turn(const AnalyticsJob& job, const CountedAsk& ask, Figures out, Watching& found) {
  const MediaCoefficients& c = ask.c.media;
  // A processor that a detector's rate is known of has a speed.
  const double decode =
      *work_speed(ask.machine.host, ask.c.cpu) * c.software_decode.of(to_text(job.codec)) * ask.machine.nodes;
  found.decoded = record(ask.trace, kDecodedStreams, [&](auto told) {
    return told("frames that processors decode per second", decode) * told("share of use", c.live_use.value) /
           told("frames of one stream", full_hd_frames(job.camera) * job.camera_fps);
  });
  found.streams = 1 / (1 / found.seen + 1 / found.decoded);
  found.bound_by = found.decoded < found.seen ? std::string_view("decoder") : out.bound_by;
  out.memory.workspace += surface_memory(job.camera, c) * std::max(1.0, std::floor(found.streams));
  return out;
}

/// What a detector was told to do alone is not what the whole does.
void name_detector(Trace* trace) {
  if (trace == nullptr) return;
  for (TraceLine& line : *trace)
    if (line.quantity == "throughput")
      line = {"detector.throughput", line.formula, line.substituted, shown("{:.4g}", *line.value.number, "images/s"),
              line.source};
}

Figures watched(const AnalyticsJob& job, const CountedAsk& ask) {
  Figures detector = sample_figures(job.detector, ask);
  if (!detector.lacks.empty() || !detector.unknown.empty()) return detector;
  Watching found;
  const double images = detector.rate;
  name_detector(ask.trace);
  found.seen = record(ask.trace, {"streams by detector", "{:.1f}"}, [&](auto told) {
    return told("images per second of the detector", images) * told("share of use", ask.c.media.live_use.value) /
           told("frames looked at", job.stream_fps);
  });
  Figures out = ask.machine.on_cpu() ? in_turn(job, ask, std::move(detector), found)
                                     : beside(job, ask, std::move(detector), found);
  if (!out.lacks.empty() || !out.unknown.empty()) return out;
  out.rate = record(ask.trace, {"throughput", "{:.0f}", ask.counted.unit.rate}, [&](auto told) {
    return told("number of streams that the machine keeps up with", std::floor(found.streams));
  });
  if (out.rate < 1) out.lacks = "speed for one such stream";
  out.bound_by = found.bound_by;
  out.more.insert(
      out.more.end(),
      {{"detector_images_per_s", images}, {"detector_streams", found.seen}, {"decoder_streams", found.decoded}});
  return out;
}

class AnalyticsPhysics final : public ItemPhysics {
 public:
  Figures figures(const CountedAsk& ask) const override { return watched(ask.job<AnalyticsJob>(), ask); }
};

}  // namespace

const WorkPhysics& analytics() {
  static const AnalyticsPhysics kOne;
  return kOne;
}

}  // namespace gpusel::physics
