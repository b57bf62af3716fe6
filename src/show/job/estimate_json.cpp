#include "show/json/tell.hpp"

namespace gpusel::show {

namespace {

/// Encoders of text answer in the words of inference as well.
void tell_encoder(JsonOut& out, const physics::Plan& plan, const job::SampleJob& job) {
  const double rate = plan.rate;
  out.null("output_tokens_per_s");
  out.figure("total_tokens_per_s", rate * static_cast<double>(job.seq_len));
  out.figure("requests_per_s", rate);
  out.null("ttft_ms");
  out.null("itl_ms");
  out.figure("e2e_latency_ms", in_ms(plan.usual_time()));
  out.whole("max_concurrency", plan.layout.micro_batch);
}

/// Tokens per second where there are any; sequences per second of encoders.
void tell_intervals(JsonOut& out, const answer::EstimateAnswer& answer) {
  const physics::Intervals& range = answer.intervals;
  const physics::SpokenRate rate = physics::spoken_rate(answer.work, answer.plan, range);
  const bool in_tokens = rate.key == "tokens_per_s";
  const bool has_speed = answer.plan.rate > 0;
  out.figure("level", 0.8);
  tell_interval(out, "memory_total", range.memory_total_gib);
  tell_interval(out, "memory_needed", range.memory_needed_gib);
  if (in_tokens && has_speed)
    tell_interval(out, "tokens_per_s", rate.interval);
  else
    out.null("tokens_per_s");
  const bool in_sequences = answer.plan.tokens_per_s() > 0 && !answer.work.model->is_generator();
  if (has_speed && (in_sequences || !in_tokens))
    tell_interval(out, "throughput", in_sequences ? range.sequences_per_s : rate.interval);
  if (has_speed && answer.plan.serving && answer.work.model->is_generator()) {
    if (range.itl_ms.high > 0) tell_interval(out, "itl_ms", range.itl_ms);
    if (range.tpot_ms.high > 0) tell_interval(out, "tpot_ms", range.tpot_ms);
    tell_interval(out, "ttft_ms", range.ttft_ms);
    if (range.basis)
      out.object("rests_on", [&] {
        out.whole("engine_on_architecture", static_cast<std::int64_t>(range.basis->on_part));
        out.whole("engine_in_format", static_cast<std::int64_t>(range.basis->in_format));
      });
  }
}

/// What the planned job does, by its kind.
void tell_figures(JsonOut& out, const answer::EstimateAnswer& answer) {
  const physics::Plan& plan = answer.plan;
  const bool of_language = plan.training || plan.serving;
  if (of_language && plan.rate <= 0) out.null(plan.training ? "training" : "inference");
  if (plan.training && plan.rate > 0) out.object("training", [&] { tell_training(out, *plan.training); });
  if (plan.serving && plan.rate > 0) out.object("inference", [&] { tell_inference(out, *plan.serving); });
  if (of_language) {
    if (plan.sequences_per_s > 0 && !answer.work.model->is_generator())
      out.object("throughput", [&] { tell_throughput(out, plan.sequences_per_s, "sequences/s"); });
    return;
  }
  out.object("throughput", [&] { tell_throughput(out, plan.rate, answer.work.counted->unit.rate); });
  if (plan.usual_time().raw() > 0) out.figure("latency_ms", in_ms(plan.usual_time()));
  if (!plan.more.empty()) out.object("figures", [&] { tell_more(out, plan); });
  const auto* samples = std::get_if<job::SampleJob>(&answer.work.counted->job);
  const bool reads_text = samples != nullptr && answer.work.model->kind == catalog::ModelKind::encoder;
  if (reads_text && plan.rate > 0) out.object("inference", [&] { tell_encoder(out, plan, *samples); });
}

}  // namespace

void tell_estimate(JsonOut& out, const answer::EstimateAnswer& answer) {
  out.text("schema", "gpusel.estimate/1");
  if (!answer.id.empty()) out.text("id", answer.id);
  out.truth("fits", answer.plan.fits);
  out.text("verdict", to_text(answer.fit.short_verdict()));
  tell_probability(out, answer.plan, answer.in_time);
  out.object("assumed", [&] { tell_assumptions(out, answer.assumed); });
  out.object("memory", [&] {
    tell_memory(out, answer.plan, answer.machine.memory());
    if (answer.plan.serving) out.figure("engine_pool_gib", in_gib(answer.plan.serving->room.cache_room));
  });
  out.object("fit", [&] { tell_fit(out, answer.fit, in_gib(answer.machine.memory())); });
  tell_figures(out, answer);
  out.object("interval", [&] { tell_intervals(out, answer); });
  out.text_or_null("bound_by", answer.plan.bound_by);
  if (!answer.notes.empty()) out.texts("notes", answer.notes);
  if (!answer.advice.empty()) out.texts("advice", answer.advice);
  if (!answer.trace.empty()) tell_trace(out, answer.trace);
}

Json estimate_json(const answer::EstimateAnswer& answer) {
  return tree_of([&](JsonOut& out) { tell_estimate(out, answer); });
}

}  // namespace gpusel::show
