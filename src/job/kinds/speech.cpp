#include <cmath>

#include "job/kinds/filling.hpp"

namespace gpusel::job {

namespace {

// A usual corpus to fine-tune on: hours of labelled speech, read a few times.
constexpr double kTrainingHours = 100;
constexpr double kSpeechEpochs = 3;

/// Text decoders and those of audio tokens: how much they write is the user's to say.
bool writes_tokens(const catalog::Model& model) {
  const bool of_text = model.cross_layers.has_value();
  const bool of_sound = model.heads && model.speech_synthesis.value_or(false);
  return (of_text || of_sound) && model.decoder_steps_per_s.value_or(0) > 0;
}

Status usable(const catalog::Model& model, const Counted& counted) {
  if (!model.window_s || !model.encoder_gflops)
    return usage_error(say("the work per second of audio of '{}' is not known", model.id), "model",
                       say("an overlay can add speech.window_s and speech.encoder_gflops"));
  if (counted.engine == Engine::ctranslate2 && !model.cross_tokens)
    return usage_error(say("ctranslate2 runs Whisper models, and '{}' is not one", model.id), "engine",
                       say("remove --engine"));
  return {};
}

}  // namespace

std::span<const std::string_view> keys_of(const SpeechJob&) {
  static constexpr std::string_view kKeys[] = {"audio_hours", "output_tokens", "streams", "loader"};
  return kKeys;
}

Status fill(SpeechJob& job, Filling& f) {
  const catalog::Model& model = *f.model;
  if (Status known = usable(model, f.counted); !known) return known;
  job.window_s = *model.window_s;
  f.counted.unit = kRealTime;
  f.decodes();
  if (f.training()) {
    if (f.work.training.method != Method::full && f.work.training.method != Method::lora)
      return usage_error(say("speech models are trained with all weights or with lora"), "method",
                         say("remove --method"));
    const double audio = f.request.dataset_size
                             ? *f.request.dataset_size * job.window_s
                             : f.or_assume(f.request.audio_hours, "audio_hours", kTrainingHours) * 3600;
    f.counted.epochs = f.or_assume(f.request.epochs, "epochs", kSpeechEpochs);
    f.counted.things = audio * f.counted.epochs;
    return {};
  }
  f.counted.on_cpu = f.counted.engine != Engine::tensorrt;
  if (writes_tokens(model))
    job.output_tokens =
        f.or_assume(f.request.output_tokens, "output_tokens", std::llround(*model.decoder_steps_per_s * job.window_s));
  else if (f.request.output_tokens)
    return usage_error(say("'{}' writes no tokens of its own", model.id), "output_tokens", say("remove it"));
  if (f.request.audio_hours) f.counted.things = *f.request.audio_hours * 3600;
  f.counted.per_request = job.window_s;
  if (f.counted.demand) f.note(say("a request is {:g} seconds of audio", job.window_s));
  if (f.request.streams) f.counted.demand = static_cast<double>(*f.request.streams);  // each a second in a second
  return {};
}

}  // namespace gpusel::job
