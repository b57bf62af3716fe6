// Streams that a machine transcodes at once, or how many times faster than real time it goes through files: by what its
// encoders, its decoders and its memory allow; on processors by what software encoders need.
#include <algorithm>
#include <cmath>

#include "base/words/message.hpp"
#include "job/kinds/video/bitrate.hpp"
#include "physics/kinds/kinds.hpp"

namespace gpusel::physics {

namespace {

using job::TranscodeJob;

/// What one stream needs in a second, in frames of 1920x1080.
struct StreamLoad {
  double encoded = 0;
  double decoded = 0;
  Bytes memory;
};

StreamLoad load_of(const TranscodeJob& job, const MediaCoefficients& c) {
  StreamLoad load;
  load.decoded = full_hd_frames(job.resolution) * job.fps;
  load.memory = gib(c.session_gib.value) + surface_memory(job.resolution, c);
  for (const auto& size : job.outputs) {
    load.encoded += full_hd_frames(size) * job.fps;
    load.memory += surface_memory(size, c);
  }
  return load;
}

/// Streams or real times, and what keeps it from more.
struct Capacity {
  double streams = 0;
  std::string_view bound_by;

  void limit(double other, std::string_view by) {
    if (!bound_by.empty() && other >= streams) return;
    streams = other;
    bound_by = by;
  }
};

constexpr std::string_view kNvidiaNotes = "NVIDIA Video Codec SDK 13.0, application notes of encoder and decoder";

Figures on_gpus(const TranscodeJob& job, const CountedAsk& ask) {
  const MediaCoefficients& c = ask.c.media;
  const Device& device = ask.machine.device;
  Figures out;
  const MediaRate encoders = encoder_rate(device, job.codec, job.live, c);
  const MediaRate decoders = decoder_rate(device, job.input, c);
  out.lacks = !encoders.lacks.empty() ? encoders.lacks : decoders.lacks;
  out.unknown = !encoders.unknown.empty() ? encoders.unknown : decoders.unknown;
  if (!out.lacks.empty() || !out.unknown.empty()) return out;

  const StreamLoad load = load_of(job, c);
  const double use = job.live ? c.live_use.value : 1;
  const double by_encoders = record(ask.trace, {"streams by encoder", "{:.1f}", {}, kNvidiaNotes}, [&](auto told) {
    return told("frames per second of all encoders", encoders.fps) * told("share of use", use) /
           told("frames of one stream", load.encoded);
  });
  const double by_decoders = record(ask.trace, {"streams by decoder", "{:.1f}", {}, kNvidiaNotes}, [&](auto told) {
    return told("frames per second of all decoders", decoders.fps) * told("share of use", use) /
           told("frames of one stream", load.decoded);
  });
  const Recorded in_memory{"streams by memory", "{:.0f}", {}, to_say("calibration: media.session_gib, media.surfaces")};
  const double by_memory = record(ask.trace, in_memory, [&](auto told) {
    return told("usable memory", device.usable) / told("memory of one stream", load.memory);
  });
  Capacity each;
  each.limit(by_encoders, to_name("encoder"));
  each.limit(by_decoders, to_name("decoder"));
  each.limit(by_memory, to_name("memory"));
  if (job.live) each.streams = std::floor(each.streams);
  Capacity node{each.streams * ask.machine.gpus_per_node, each.bound_by};
  if (const auto sessions = device.gpu->nvenc_sessions)
    node.limit(std::floor(*sessions / static_cast<double>(job.outputs.size())), to_name("sessions"));
  if (node.streams < 1 && job.live) out.lacks = "speed for one such stream";
  out.rate = node.streams * ask.machine.nodes;
  out.bound_by = node.bound_by;
  out.memory.workspace = load.memory * (std::max(1.0, std::ceil(node.streams / ask.machine.gpus_per_node)));
  out.memory.workspace = std::min(out.memory.workspace, device.usable);
  out.more = {{"encoder_streams_per_gpu", by_encoders},
              {"decoder_streams_per_gpu", by_decoders},
              {"memory_streams_per_gpu", by_memory}};
  return out;
}

Figures on_cpu(const TranscodeJob& job, const CountedAsk& ask) {
  const MediaCoefficients& c = ask.c.media;
  Figures out;
  const auto speed = work_speed(ask.machine.host, ask.c.cpu);
  if (!speed) {
    out.unknown = "processor";
    return out;
  }
  const StreamLoad load = load_of(job, c);
  const std::string_view how = job.live ? "live" : "file";
  const double encode = *speed * c.software_encode.of(to_text(job.codec), how);
  const double decode = *speed * c.software_decode.of(to_text(job.input));
  const Recorded by_processor{
      "streams by processor", "{:.1f}", {}, to_say("calibration: media.software_encode, cpu.work_per_cycle")};
  const double streams = record(ask.trace, by_processor, [&](auto told) {
    return told("share of use", job.live ? c.live_use.value : 1) /
           (told("frames to encode", load.encoded) / told("encoded per second", encode) +
            told("frames to decode", load.decoded) / told("decoded per second", decode));
  });
  Capacity node{streams, "compute"};
  if (ask.machine.memory() > Bytes{}) node.limit(ask.machine.memory() / load.memory, "memory");
  if (job.live) node.streams = std::floor(node.streams);
  if (node.streams < 1 && job.live) out.lacks = "speed for one such stream";
  out.rate = node.streams * ask.machine.nodes;
  out.bound_by = node.bound_by;
  out.memory.workspace = load.memory * std::max(1.0, node.streams);
  return out;
}

class TranscodePhysics final : public ItemPhysics {
 public:
  Figures figures(const CountedAsk& ask) const override {
    const auto& job = ask.job<TranscodeJob>();
    const bool on_cpus = ask.machine.on_cpu();
    Figures out = on_cpus ? on_cpu(job, ask) : on_gpus(job, ask);
    const std::string_view kind = on_cpus ? "cpu" : "gpu";
    out.rate_ratio = {ask.c.media.interval_low.of(kind), ask.c.media.interval_high.of(kind)};
    out.memory_ratio = {ask.c.media.interval_low.of("memory"), ask.c.media.interval_high.of("memory")};
    return out;
  }

  std::string how(const job::Job& work, const Layout& layout) const override {
    return format("{} {}", ItemPhysics::how(work, layout), to_text(std::get<TranscodeJob>(work.counted->job).codec));
  }

  StoredUnit stored_unit(const job::Job& work, const EconomyCoefficients&, Trace* trace) const override {
    const auto& job = std::get<TranscodeJob>(work.counted->job);
    if (job.live) return {};
    return one_second_of_video(trace, job::usual_mbps(job.input, job.resolution, job.fps));
  }
};

}  // namespace

const WorkPhysics& transcoding() {
  static const TranscodePhysics kOne;
  return kOne;
}

}  // namespace gpusel::physics
