#include "show/json/tell.hpp"

namespace gpusel::show {

namespace {

/// Nothing is known of a speed that there is none of.
template <class Speed, class Tell>
void tell_speed(JsonOut& out, std::string_view key, const std::optional<Speed>& speed, Tell tell) {
  if (!speed) return out.null(key);
  out.begin_object(key);
  tell(*speed);
  out.end();
}

/// Encoders of text answer in the words of inference as well.
void tell_encoder(JsonOut& out, const physics::CountedChoice& choice, const job::SampleJob& job) {
  const double rate = choice.figures.rate;
  out.null("output_tokens_per_s");
  out.figure("total_tokens_per_s", rate * static_cast<double>(job.seq_len));
  out.figure("requests_per_s", rate);
  out.null("ttft_ms");
  out.null("itl_ms");
  out.figure("e2e_latency_ms", in_ms(choice.figures.latency));
  out.whole("max_concurrency", choice.plan.batch);
}

/// Tokens per second where there are any; sequences per second of encoders.
void tell_intervals(JsonOut& out, const answer::EstimateAnswer& answer) {
  const answer::Intervals& range = answer.intervals;
  const bool training = job::is_training(answer.work.task);
  const bool counted = answer.work.counted.has_value();
  const bool generates = !counted && answer.work.model->is_generator();
  const bool has_speed = physics::tokens_per_s(answer.choice) > 0;
  out.figure("level", 0.8);
  tell_interval(out, "memory_total", range.memory_total_gib);
  if (!counted && has_speed && (generates || training))
    tell_interval(out, "tokens_per_s", range.tokens_per_s);
  else
    out.null("tokens_per_s");
  if (counted && physics::rate_of(answer.choice) > 0) tell_interval(out, "throughput", range.throughput);
  if (!counted && !generates && has_speed) tell_interval(out, "throughput", range.sequences_per_s);
  if (generates && has_speed && !training) {
    if (range.itl_ms.high > 0) tell_interval(out, "itl_ms", range.itl_ms);
    tell_interval(out, "ttft_ms", range.ttft_ms);
  }
}

void tell_counted(JsonOut& out, const physics::CountedChoice& choice, const answer::EstimateAnswer& answer) {
  const auto& figures = choice.figures;
  out.object("throughput", [&] { tell_throughput(out, figures.rate, answer.work.counted->unit.rate); });
  if (figures.latency.raw() > 0) out.figure("latency_ms", in_ms(figures.latency));
  if (!figures.more.empty()) out.object("figures", [&] { tell_more(out, choice); });
  const auto* samples = std::get_if<job::SampleJob>(&answer.work.counted->job);
  const bool reads_text = samples != nullptr && answer.work.model->kind == catalog::ModelKind::encoder;
  if (reads_text && figures.rate > 0) out.object("inference", [&] { tell_encoder(out, choice, *samples); });
}

/// What the planned job does, by its class.
void tell_figures(JsonOut& out, const answer::EstimateAnswer& answer) {
  if (const auto* counted = std::get_if<physics::CountedChoice>(&answer.choice))
    return tell_counted(out, *counted, answer);
  if (const auto* training = std::get_if<physics::TrainingChoice>(&answer.choice)) {
    tell_speed(out, "training", training->speed, [&](const auto& speed) { tell_training(out, speed); });
  } else {
    const auto& inference = std::get<physics::InferenceChoice>(answer.choice);
    tell_speed(out, "inference", inference.speed,
               [&](const auto& speed) { tell_inference(out, inference.memory, speed); });
  }
  if (const double rate = physics::sequences_per_s(answer.choice); !answer.work.model->is_generator() && rate > 0)
    out.object("throughput", [&] { tell_throughput(out, rate, "sequences/s"); });
}

}  // namespace

void tell_estimate(JsonOut& out, const answer::EstimateAnswer& answer) {
  out.text("schema", "gpusel.estimate/1");
  if (!answer.id.empty()) out.text("id", answer.id);
  out.truth("fits", physics::fits(answer.choice));
  out.object("assumed", [&] { tell_assumptions(out, answer.assumed); });
  out.object("memory", [&] {
    tell_memory(out, physics::memory_of(answer.choice), answer.machine.memory());
    if (const auto* inference = std::get_if<physics::InferenceChoice>(&answer.choice))
      out.figure("engine_pool_gib", in_gib(inference->memory.pool));
  });
  out.object("fit", [&] { tell_fit(out, answer.fit, in_gib(answer.machine.memory())); });
  tell_figures(out, answer);
  out.object("interval", [&] { tell_intervals(out, answer); });
  out.text_or_null("bound_by", physics::bound_by(answer.choice));
  if (!answer.notes.empty()) out.texts("notes", answer.notes);
  if (!answer.advice.empty()) out.texts("advice", answer.advice);
  if (!answer.trace.empty()) tell_trace(out, answer.trace);
}

Json estimate_json(const answer::EstimateAnswer& answer) {
  return tree_of([&](JsonOut& out) { tell_estimate(out, answer); });
}

}  // namespace gpusel::show
