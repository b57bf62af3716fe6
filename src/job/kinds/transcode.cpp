// Video to other video: one stream comes in, a ladder of sizes goes out.

#include "job/kinds/filling.hpp"
#include "job/kinds/video/bitrate.hpp"
#include "job/kinds/video/ladder.hpp"

namespace gpusel::job {

namespace {

constexpr Resolution kLadder[] = {{3840, 2160}, {1920, 1080}, {1280, 720}, {854, 480}};

/// The usual sizes from the video's own down.
std::vector<Resolution> usual_ladder(const Resolution& own) {
  std::vector<Resolution> sizes{own};
  for (const Resolution& size : kLadder)
    if (size.pixels() < own.pixels()) sizes.push_back(size);
  return sizes;
}

std::string ladder_text(std::span<const Resolution> sizes) {
  std::string text;
  for (const Resolution& size : sizes) text += (text.empty() ? "" : ",") + text_of(size);
  return text;
}

}  // namespace

std::span<const std::string_view> keys_of(const TranscodeJob&) {
  static constexpr std::string_view kKeys[] = {"codec", "input_codec", "resolution",   "fps",         "streams",
                                               "live",  "ladder",      "bitrate_mbps", "video_hours", "redundancy"};
  return kKeys;
}

Status fill(TranscodeJob& job, Filling& f) {
  const Request& asked = f.request;
  job.codec = f.or_assume(asked.codec, "codec", Codec::h264);
  job.input = f.or_assume(asked.input_codec, "input_codec", Codec::h264);
  job.resolution = f.or_assume(asked.resolution, "resolution", Resolution{1920, 1080});
  job.fps = f.or_assume(asked.fps, "fps", 30.0);
  job.live = f.or_assume(asked.live, "live", !asked.video_hours);
  if (job.live && asked.video_hours)
    return usage_error(say("hours of stored video are not live"), "video_hours", say("--live false, or --streams"));
  if (!job.live && asked.streams)
    return usage_error(say("stored video has no streams at once"), "streams", say("--video-hours, or --live true"));
  if (asked.ladder.empty()) {
    job.outputs = usual_ladder(job.resolution);
    f.defaults.assume("ladder", ladder_text(job.outputs));
  } else {
    job.outputs = *read_ladder(asked.ladder);
    if (job.outputs.empty()) job.outputs = {job.resolution};
  }
  f.counted.on_cpu = true;
  f.counted.redundancy = asked.redundancy.value_or(0);
  if (!job.live) {
    f.counted.unit = kVideoTime;
    if (asked.video_hours) f.counted.things = *asked.video_hours * 3600;
    return {};
  }
  f.counted.unit = kStreams;
  f.counted.demand = asked.streams;
  // Every size goes out once, to whoever hands it on to the viewers.
  const double own = f.or_assume(asked.bitrate_mbps, "bitrate_mbps", usual_mbps(job.codec, job.resolution, job.fps));
  const double usual = usual_mbps(job.codec, job.resolution, job.fps);
  for (const Resolution& size : job.outputs)
    f.counted.egress_mbps += own * usual_mbps(job.codec, size, job.fps) / usual;
  return {};
}

}  // namespace gpusel::job
