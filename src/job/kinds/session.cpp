#include "job/kinds/scenes.hpp"

namespace gpusel::job {

namespace {

/// What a user sees, with the memory that one session takes (docs/method.md). Omniverse traces rays.
constexpr SceneClass kRealtime[] = {{"game", 8}, {"light", 4}, {"stage", 24}, {"omniverse", 12, true}};
constexpr SceneClass kCad[] = {{"part", 4}, {"view", 2}, {"assembly", 8}, {"large-assembly", 16}};

constexpr Resolution kFullHd{1920, 1080};
constexpr double kGameFps = 60;
constexpr double kDeskFps = 30;

/// What a stream of moving pictures takes: about 15 Mbit/s at 1080p60 in H.264, half of it in AV1.
double bits_per_pixel(Codec codec) {
  switch (codec) {
    case Codec::hevc: return 0.08;
    case Codec::av1: return 0.06;
    case Codec::h264: break;
  }
  return 0.12;
}

}  // namespace

std::span<const std::string_view> keys_of(const SessionJob&) {
  static constexpr std::string_view kKeys[] = {"render",     "scene", "scene_vram_gib", "sessions", "fps",
                                               "resolution", "codec", "renderer",       "guest"};
  return kKeys;
}

Status fill(SessionJob& job, Filling& f) {
  const Request& r = f.request;
  job.kind = *r.render;
  const bool cad = job.kind == Render::cad;
  const auto scene =
      scene_of(cad ? std::span<const SceneClass>(kCad) : std::span<const SceneClass>(kRealtime), f, job.session_gib);
  if (!scene) return std::unexpected(scene.error());
  job.scene = (*scene)->name;
  job.needs_rt = (*scene)->needs_rt || r.renderer == Renderer::omniverse;
  job.guest = f.or_assume(r.guest, "guest", Guest::desktop);
  job.resolution = f.or_assume(r.resolution, "resolution", kFullHd);
  job.fps = f.or_assume(r.fps, "fps", cad ? kDeskFps : kGameFps);
  if (!cad) {
    job.codec = f.or_assume(r.codec, "codec", Codec::h264);
    f.counted.egress_mbps = job.resolution.pixels() * job.fps * bits_per_pixel(job.codec) / 1e6;
  } else if (r.codec) {
    f.note(say("codec has no effect on this work"));
  }
  f.counted.needs_workstation = true;
  f.counted.demand = r.sessions;
  f.counted.unit = kSessions;
  return {};
}

}  // namespace gpusel::job
