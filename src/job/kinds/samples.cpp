#include <algorithm>
#include <array>

#include "base/values/number.hpp"
#include "job/kinds/filling.hpp"
#include "job/request/request_option.hpp"

namespace gpusel::job {

namespace {

using catalog::ModelKind;

constexpr double kUsualTokens = 512;

/// What the default input counts besides pixels: "512 tokens", "8000 audio samples".
struct Parts {
  std::int64_t count = 0;
  Unit unit = kSamples;
};

Parts parts_of(const catalog::Model& model) {
  const std::string_view text = model.default_input;
  if (text.empty() && model.kind == ModelKind::encoder)
    return {static_cast<std::int64_t>(std::min(kUsualTokens, model.max_context.value_or(kUsualTokens))), kSequences};
  const auto space = text.find(' ');
  if (space == std::string_view::npos) return {};
  const auto count = plain_number(text.substr(0, space));
  const std::string_view word = text.substr(space + 1);
  if (!count || *count < 1) return {};
  if (word == "tokens")
    return {static_cast<std::int64_t>(*count), model.kind == ModelKind::encoder ? kSequences : kTokens};
  if (word == "audio samples") return {static_cast<std::int64_t>(*count), kAudioSamples};
  return {};
}

constexpr double kFewImages = 50'000;      // of a fine-tuning set
constexpr double kManyImages = 1'281'167;  // of ImageNet-1k, what pretraining is compared by
constexpr double kEpochs = 3, kPretrainingEpochs = 90;
/// Detectors and segmenters take larger pictures than classifiers, of COCO.
constexpr double kClassifierPixels = 256.0 * 256;
constexpr double kCocoImages = 118'287, kCocoEpochs = 36;
/// What users of a service wait for without noticing.
constexpr double kUsualLatencyMs = 100;

}  // namespace

std::span<const std::string_view> keys_of(const SampleJob& job) {
  static constexpr std::array<std::string_view, 4> kOfSequences{"seq_len", "input_tokens", "images", "tokens"};
  static constexpr std::array<std::string_view, 3> kOfPictures{"resolution", "images", "loader"};
  if (job.seq_len > 0) return kOfSequences;
  return kOfPictures;
}

Status fill(SampleJob& job, Filling& f) {
  const catalog::Model& model = *f.model;
  const bool shaped = model.kind == ModelKind::encoder && model.layers && model.hidden_size && model.ffn_size;
  if (!shaped && model.gflops_per_sample.value_or(0) <= 0)
    return usage_error(say("what a sample costs '{}' is not known, so nothing can be estimated for it", model.id),
                       "model", say("gflops_per_sample in an overlay says it"));
  if (!shaped && !model.activations_m)
    f.note(say("the output size of the layers of '{}' is not published: the usual size for its arithmetic is assumed",
               model.id));
  const Parts parts = parts_of(model);
  if (parts.count > 0) {
    f.counted.unit = parts.unit;
    const auto asked = f.request.seq_len ? f.request.seq_len : f.request.input_tokens;
    job.seq_len = f.or_assume(asked, "seq_len", parts.count);
    if (model.max_context && static_cast<double>(job.seq_len) > *model.max_context)
      return usage_error(say("'{}' reads at most {:g} tokens, not {}", model.id, *model.max_context, job.seq_len),
                         "seq_len", say("--seq-len {:g}", *model.max_context));
  } else if (const auto usual = default_resolution(model)) {
    f.counted.unit = kImages;
    job.resolution = f.or_assume(f.request.resolution, "resolution", *usual);
    f.decodes();
  } else {
    f.counted.unit = kSamples;  // volumes and the like: as they are
  }
  f.counted.on_cpu = f.counted.engine != Engine::tensorrt;
  if (f.request.tokens && (f.training() || job.seq_len <= 0))
    return has_no_meaning(*request_option("tokens"), f.work.task);
  if (f.training()) {
    if (f.work.training.method != Method::full)
      return usage_error(say("training of '{}' is estimated with all weights", model.id), "method",
                         say("remove --method"));
    const bool large = job.resolution.pixels() > kClassifierPixels;
    if (f.work.task == Task::finetune)
      f.training_amount(kFewImages, kEpochs);
    else
      f.training_amount(large ? kCocoImages : kManyImages, large ? kCocoEpochs : kPretrainingEpochs);
    if (job.seq_len > 0) f.counted.things = *f.counted.things * static_cast<double>(job.seq_len);
    return {};
  }
  f.counted.things = f.request.images;
  if (f.request.tokens) {
    f.counted.things = static_cast<double>(*f.request.tokens) / static_cast<double>(job.seq_len);
    if (!f.request.mode) f.counted.mode = Mode::throughput;
  }
  if (f.counted.mode == Mode::online)
    f.counted.latency_ms = f.or_assume(f.request.latency_ms, "latency_ms", kUsualLatencyMs);
  return {};
}

}  // namespace gpusel::job
