#include "job/kinds/scenes.hpp"

namespace gpusel::job {

namespace {

/// The first is what the scenes of Blender's own benchmark take at most; the others are middles of what studios and
/// farms report (docs/method.md).
constexpr SceneClass kScenes[] = {{"benchmark", 4.7}, {"product", 12}, {"film", 20}, {"episodic", 36}, {"feature", 64}};

/// The user's own time of a frame, and where it was taken.
Status fill_measurement(OfflineRender& job, Filling& f) {
  const Request& r = f.request;
  if (!r.seconds_per_frame) {
    if (!r.measured_on.empty())
      return usage_error(say("names where a frame was measured, but seconds_per_frame is missing"), "on",
                         say("--seconds-per-frame 90 --on a10, for example"));
    return {};
  }
  if (r.measured_on.empty())
    return usage_error(say("the GPU that the frame was measured on is missing"), "on",
                       say("--on rtx-4090, for example"));
  const auto gpu = f.catalog.gpu(r.measured_on);
  if (!gpu) return usage_error(gpu.error().message, "on", gpu.error().hint);
  job.per_frame = seconds(*r.seconds_per_frame);
  job.measured_on = *gpu;
  return {};
}

}  // namespace

std::span<const std::string_view> keys_of(const OfflineRender&) {
  static constexpr std::string_view kKeys[] = {"render", "renderer",          "scene", "scene_vram_gib",
                                               "frames", "seconds_per_frame", "on"};
  return kKeys;
}

Status fill(OfflineRender& job, Filling& f) {
  job.renderer = f.or_assume(f.request.renderer, "renderer", Renderer::cycles);
  if (const auto scene = scene_of(kScenes, f, job.scene_gib); !scene) return std::unexpected(scene.error());
  if (Status measured = fill_measurement(job, f); !measured) return measured;
  f.counted.unit = job.per_frame ? kFramesPerHour : kScore;
  if (job.per_frame)
    f.counted.things = f.request.frames;
  else if (f.request.frames)
    f.note(say("the time per frame is unknown; --seconds-per-frame and --on add time and price of the frames"));
  const auto& renderers = f.catalog.renderers();
  const auto info = std::ranges::find(renderers, to_text(job.renderer), &catalog::RendererInfo::id);
  f.counted.on_cpu = info != renderers.end() && info->on_cpu.value_or(false);
  return {};
}

}  // namespace gpusel::job
