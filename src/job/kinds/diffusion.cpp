// Images and videos: size, steps and frames of what is to be made, or of what is trained on.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "job/kinds/filling.hpp"

namespace gpusel::job {

namespace {

constexpr std::int64_t kLatentPixels = 8;  // sides of one latent pixel in common image VAEs
constexpr std::int64_t kSmallestSide = 64;
constexpr std::int64_t kLargestSide = 16384;
constexpr double kLongestVideo = 10'000;  // frames

/// Pictures of a subject or style, and how often they are seen; all of a data set for a full fine-tune.
struct TrainingSet {
  double images;
  double epochs;
};
constexpr TrainingSet kFewPictures{20, 50};
constexpr TrainingSet kDataSet{10'000, 10};

Status check_model(const catalog::Model& m) {
  const std::pair<std::string_view, bool> needed[] = {
      {to_name("work of a step"), m.gflops_per_sample.has_value()},
      {to_name("number of steps"), m.default_steps.has_value()},
      {to_name("resolution"), m.default_width && m.default_height},
      {to_name("number of image tokens"), m.image_tokens.has_value()},
      {to_name("hidden size"), m.hidden_size.has_value()},
      {to_name("number of parameters"), m.params_b.has_value()},
  };
  const auto missing = std::ranges::find(needed, false, &std::pair<std::string_view, bool>::second);
  if (missing == std::end(needed)) return {};
  return usage_error(
      say("'{}' cannot be estimated: its {} is not published", m.id, say_name(missing->first)), "model",
      m.notes.empty() ? say("'gpusel models --kind diffusion' lists those that have it") : std::string(m.notes));
}

Status check_engine(const Counted& counted) {
  constexpr std::array kKnown{Engine::pytorch, Engine::torch_compile, Engine::tensorrt};
  if (std::find(kKnown.begin(), kKnown.end(), counted.engine) != kKnown.end()) return {};
  return usage_error(say("no speed of image generation with {} is known", to_text(counted.engine)), "engine",
                     say("pytorch, torch-compile or tensorrt"));
}

Status check_precision(const Counted& counted) {
  const bool unused = counted.precision == Precision::nvfp4 || counted.precision == Precision::fp64;
  if (!unused) return {};
  return usage_error(say("images are not generated in {}", to_text(*counted.precision)), "precision",
                     say("fp32, tf32, fp16, bf16, fp8 or int8; 4-bit weights are --weights-precision"));
}

Status fill_size(DiffusionJob& job, Filling& f) {
  const auto& m = *f.model;
  const Resolution usual{static_cast<std::int64_t>(*m.default_width), static_cast<std::int64_t>(*m.default_height)};
  job.resolution = f.or_assume(f.request.resolution, "resolution", usual);
  const auto [smaller, larger] = std::minmax(job.resolution.width, job.resolution.height);
  if (smaller < kSmallestSide || larger > kLargestSide)
    return usage_error(say("no image of {} can be generated", text_of(job.resolution)), "resolution",
                       say("{} to {} pixels a side", kSmallestSide, kLargestSide));
  if (smaller % kLatentPixels != 0 || larger % kLatentPixels != 0)
    f.note(say("sides of an image must be multiples of {} pixels", kLatentPixels));
  return {};
}

Status fill_frames(DiffusionJob& job, Filling& f) {
  const auto& m = *f.model;
  const bool is_video = m.default_frames.value_or(1) > 1;
  if (!is_video) {
    if (f.request.frames) f.note(say("'{}' makes still images: frames has no effect", m.id));
    return {};
  }
  const double asked = f.or_assume(f.request.frames, "frames", *m.default_frames);
  if (asked > kLongestVideo)
    return usage_error(say("{:g} frames are more than one video of '{}' can have", asked, m.id), "frames",
                       say("use --images for the number of videos"));
  const double step = m.frame_compression.value_or(1);
  const double legal = std::ceil(std::max(0.0, asked - 1) / step) * step + 1;
  if (legal != asked) f.note(say("{:g} frames are made for {:g}: a multiple of {:g} and one", legal, asked, step));
  job.frames = static_cast<std::int64_t>(legal);
  return {};
}

Status fill_training(DiffusionJob& job, Filling& f) {
  Training& t = f.work.training;
  if (adds_tokens(t.method))
    return usage_error(say("image models are not trained by {}", to_text(t.method)), "method",
                       say("full, lora, qlora or dreambooth"));
  if (t.method == Method::qlora) f.work.inference.weights_precision = "nf4";
  if (job.slices || job.tiles) f.note(say("nothing is decoded in training: vae_slicing and vae_tiling have no effect"));
  const bool whole = t.method == Method::full;
  const TrainingSet usual = whole ? kDataSet : kFewPictures;
  f.training_amount(usual.images, usual.epochs);
  f.decodes();
  if (f.counted.things) *f.counted.things *= static_cast<double>(job.frames);
  if (f.request.steps) f.note(say("steps are denoising steps: no effect on training"));
  return {};
}

}  // namespace

std::span<const std::string_view> keys_of(const DiffusionJob&) {
  static constexpr std::string_view kKeys[] = {"resolution", "steps",  "images",      "frames",    "flash_attention",
                                               "offload",    "loader", "vae_slicing", "vae_tiling"};
  return kKeys;
}

Status fill(DiffusionJob& job, Filling& f) {
  if (Status known = check_model(*f.model); !known) return known;
  if (Status engine = check_engine(f.counted); !engine) return engine;
  if (Status precision = check_precision(f.counted); !precision) return precision;
  if (Status size = fill_size(job, f); !size) return size;
  if (Status frames = fill_frames(job, f); !frames) return frames;
  job.fused_attention = f.request.flash_attention.value_or(true);
  job.slices = f.request.vae_slicing.value_or(false);
  job.tiles = f.request.vae_tiling.value_or(false);
  f.counted.unit = job.frames > 1 ? kVideoFrames : kPictures;
  // Narrow weights are widened to 16 bit for their products; it takes `precision` to compute in 8 bit.
  f.work.inference.weights_precision = f.request.weights_precision;
  if (!f.request.precision && f.counted.precision &&
      (*f.counted.precision == Precision::fp8 || *f.counted.precision == Precision::int8))
    f.counted.precision.reset();
  if (f.training()) return fill_training(job, f);
  if (f.request.loader) f.note(say("nothing has to be decoded: loader has no effect"));
  job.steps = f.or_assume(f.request.steps, "steps", static_cast<std::int64_t>(*f.model->default_steps));
  f.counted.on_cpu = f.counted.engine != Engine::tensorrt;
  if (f.request.images) f.counted.things = *f.request.images * static_cast<double>(job.frames);
  f.counted.per_request = static_cast<double>(job.frames);
  return {};
}

}  // namespace gpusel::job
