#include <cmath>
#include <type_traits>

#include "report/json_out.hpp"

namespace gpusel::report {

namespace {

void tell_assumptions(JsonOut& out, const workload::Assumptions& assumed) {
  for (const auto& [key, value] : assumed)
    std::visit(
        [&out, &key = key](const auto& v) {
          using Kind = std::remove_cvref_t<decltype(v)>;
          if constexpr (std::is_same_v<Kind, double>)
            out.figure(key, v);
          else if constexpr (std::is_same_v<Kind, bool>)
            out.truth(key, v);
          else
            out.text(key, v);
        },
        value);
}

void tell_memory(JsonOut& out, const estimate::MemoryBreakdown& memory, Bytes usable) {
  const bool known = estimate::is_known(memory);
  const auto part = [&](std::string_view key, Bytes amount) {
    out.figure_or_null(key, known ? std::optional(in_gib(amount)) : std::nullopt);
  };
  out.text("unit", "GiB");
  out.begin_object("per_gpu");
  part("weights", memory.weights);
  part("gradients", memory.gradients);
  part("optimizer", memory.optimizer);
  part("activations", memory.activations);
  part("kv_cache", memory.kv_cache);
  part("workspace", memory.workspace);
  part("framework", memory.framework);
  part("total", memory.total());
  out.end();
  out.figure("usable", in_gib(usable));
  part("margin", usable - memory.total());
}

void tell_training(JsonOut& out, const estimate::TrainingSpeed& speed) {
  out.figure("tokens_per_s", speed.tokens_per_s);
  out.figure("tokens_per_s_per_gpu", speed.tokens_per_s_per_gpu);
  out.figure("samples_per_s", speed.samples_per_s);
  out.figure("step_time_s", speed.step.raw());
  out.figure("model_tflops_per_gpu", speed.model_tflops_per_gpu);
  out.figure("mfu", speed.mfu);
}

void tell_inference(JsonOut& out, const estimate::InferenceMemory& memory, const estimate::InferenceSpeed& speed) {
  const bool generates = speed.output_tokens_per_s > 0;
  const bool continues = speed.itl.raw() > 0;  // a single token is followed by none
  const auto between = [&](std::string_view key, Seconds time) {
    out.figure_or_null(key, continues ? std::optional(in_ms(time)) : std::nullopt);
  };
  out.figure_or_null("output_tokens_per_s", generates ? std::optional(speed.output_tokens_per_s) : std::nullopt);
  out.figure("total_tokens_per_s", speed.total_tokens_per_s);
  out.figure("requests_per_s", speed.requests_per_s);
  out.figure("ttft_ms", in_ms(speed.ttft));
  between("itl_ms", speed.itl);
  out.figure("e2e_latency_ms", in_ms(speed.e2e));
  out.figure("max_concurrency", memory.max_concurrency);
  out.figure("kv_tokens", std::floor(memory.kv_tokens));
  out.figure("longest_context", memory.longest_context);
  out.truth("weights_native", speed.weights_native);
  if (const auto& p = speed.percentiles) {
    out.figure("ttft_ms_p95", in_ms(p->ttft_p95));
    out.figure("ttft_ms_p99", in_ms(p->ttft_p99));
    between("itl_ms_p95", p->itl_p95);
    between("itl_ms_p99", p->itl_p99);
    out.figure("e2e_latency_ms_p95", in_ms(p->e2e_p95));
    out.figure("e2e_latency_ms_p99", in_ms(p->e2e_p99));
  }
}

/// Nothing is known of a speed that there is none of.
template <class Speed, class Tell>
void tell_speed(JsonOut& out, std::string_view key, const std::optional<Speed>& speed, Tell tell) {
  if (!speed) return out.null(key);
  out.begin_object(key);
  tell(*speed);
  out.end();
}

void tell_throughput(JsonOut& out, double rate, std::string_view unit) {
  out.figure_or_null("value", rate > 0 ? std::optional(rate) : std::nullopt);
  out.text("unit", unit);
}

void tell_more(JsonOut& out, const plan::CountedChoice& choice) {
  for (const estimate::NamedFigure& figure : choice.figures.more) out.figure(figure.key, figure.value);
}

/// Encoders of text answer in the words of inference as well.
void tell_encoder(JsonOut& out, const plan::CountedChoice& choice, const workload::SampleJob& job) {
  const double rate = choice.figures.rate;
  out.null("output_tokens_per_s");
  out.figure("total_tokens_per_s", rate * static_cast<double>(job.seq_len));
  out.figure("requests_per_s", rate);
  out.null("ttft_ms");
  out.null("itl_ms");
  out.figure("e2e_latency_ms", in_ms(choice.figures.latency));
  out.whole("max_concurrency", choice.plan.batch);
}

void tell_interval(JsonOut& out, std::string_view key, const estimate::Interval& range) {
  out.begin_list(key);
  out.figure(JsonOut::kItem, range.low);
  out.figure(JsonOut::kItem, range.high);
  out.end();
}

/// Tokens per second where there are any; sequences per second of encoders.
void tell_intervals(JsonOut& out, const advise::EstimateAnswer& answer) {
  const advise::Intervals& range = answer.intervals;
  const bool training = workload::is_training(answer.work.task);
  const bool counted = answer.work.counted.has_value();
  const bool generates = !counted && answer.work.model->is_generator();
  const bool has_speed = plan::tokens_per_s(answer.choice) > 0;
  out.figure("level", 0.8);
  tell_interval(out, "memory_total", range.memory_total_gib);
  if (!counted && has_speed && (generates || training))
    tell_interval(out, "tokens_per_s", range.tokens_per_s);
  else
    out.null("tokens_per_s");
  if (counted && plan::rate_of(answer.choice) > 0) tell_interval(out, "throughput", range.throughput);
  if (!counted && !generates && has_speed) tell_interval(out, "throughput", range.sequences_per_s);
  if (generates && has_speed && !training) {
    if (range.itl_ms.high > 0) tell_interval(out, "itl_ms", range.itl_ms);
    tell_interval(out, "ttft_ms", range.ttft_ms);
  }
}

void tell_texts(JsonOut& out, std::string_view key, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  out.begin_list(key);
  for (const std::string& text : texts) out.text(JsonOut::kItem, text);
  out.end();
}

void tell_trace(JsonOut& out, const estimate::Trace& trace) {
  out.begin_list("explain");
  for (const estimate::TraceLine& line : trace) {
    out.begin_object(JsonOut::kItem);
    out.text("quantity", line.quantity);
    out.text("formula", line.formula);
    out.text_or_null("substituted", line.substituted);
    out.text("value", line.value.text);
    out.figure_or_null("number", line.value.number);
    out.text_or_null("unit", line.value.unit);
    out.text("source", line.source);
    out.end();
  }
  out.end();
}

template <class Tell>
void tell_object(JsonOut& out, std::string_view key, Tell tell) {
  out.begin_object(key);
  tell();
  out.end();
}

void tell_counted(JsonOut& out, const plan::CountedChoice& choice, const advise::EstimateAnswer& answer) {
  const auto& figures = choice.figures;
  tell_object(out, "throughput", [&] { tell_throughput(out, figures.rate, answer.work.counted->unit.rate); });
  if (figures.latency.raw() > 0) out.figure("latency_ms", in_ms(figures.latency));
  if (!figures.more.empty()) tell_object(out, "figures", [&] { tell_more(out, choice); });
  const auto* samples = std::get_if<workload::SampleJob>(&answer.work.counted->job);
  const bool reads_text = samples != nullptr && answer.work.model->kind == catalog::ModelKind::encoder;
  if (reads_text && figures.rate > 0) tell_object(out, "inference", [&] { tell_encoder(out, choice, *samples); });
}

/// What the planned job does, by its class.
void tell_figures(JsonOut& out, const advise::EstimateAnswer& answer) {
  if (const auto* counted = std::get_if<plan::CountedChoice>(&answer.choice))
    return tell_counted(out, *counted, answer);
  if (const auto* training = std::get_if<plan::TrainingChoice>(&answer.choice)) {
    tell_speed(out, "training", training->speed, [&](const auto& speed) { tell_training(out, speed); });
  } else {
    const auto& inference = std::get<plan::InferenceChoice>(answer.choice);
    tell_speed(out, "inference", inference.speed,
               [&](const auto& speed) { tell_inference(out, inference.memory, speed); });
  }
  if (const double rate = plan::sequences_per_s(answer.choice); !answer.work.model->is_generator() && rate > 0)
    tell_object(out, "throughput", [&] { tell_throughput(out, rate, "sequences/s"); });
}

}  // namespace

void tell_estimate(JsonOut& out, const advise::EstimateAnswer& answer) {
  out.text("schema", "gpusel.estimate/1");
  if (!answer.id.empty()) out.text("id", answer.id);
  out.truth("fits", plan::fits(answer.choice));
  tell_object(out, "assumed", [&] { tell_assumptions(out, answer.assumed); });
  tell_object(out, "memory", [&] {
    tell_memory(out, plan::memory_of(answer.choice), answer.machine.memory());
    if (const auto* inference = std::get_if<plan::InferenceChoice>(&answer.choice))
      out.figure("engine_pool_gib", in_gib(inference->memory.pool));
  });
  tell_figures(out, answer);
  tell_object(out, "interval", [&] { tell_intervals(out, answer); });
  out.text_or_null("bound_by", plan::bound_by(answer.choice));
  tell_texts(out, "notes", answer.notes);
  tell_texts(out, "advice", answer.advice);
  if (!answer.trace.empty()) tell_trace(out, answer.trace);
}

Json estimate_json(const advise::EstimateAnswer& answer) {
  return tree_of([&](JsonOut& out) { tell_estimate(out, answer); });
}

Json assumptions(const workload::Assumptions& assumed) {
  return tree_of([&](JsonOut& out) { tell_assumptions(out, assumed); });
}

Json memory_json(const estimate::MemoryBreakdown& memory, Bytes usable) {
  return tree_of([&](JsonOut& out) { tell_memory(out, memory, usable); });
}

Json training_json(const std::optional<estimate::TrainingSpeed>& speed) {
  if (!speed) return nullptr;
  return tree_of([&](JsonOut& out) { tell_training(out, *speed); });
}

Json inference_json(const estimate::InferenceMemory& memory, const std::optional<estimate::InferenceSpeed>& speed) {
  if (!speed) return nullptr;
  return tree_of([&](JsonOut& out) { tell_inference(out, memory, *speed); });
}

Json explain_json(const estimate::Trace& trace) {
  return tree_of([&](JsonOut& out) { tell_trace(out, trace); })["explain"];
}

Json interval_json(const estimate::Interval& range) { return Json::array({number(range.low), number(range.high)}); }

Json throughput_json(const plan::CountedChoice& choice, const workload::Counted& counted) {
  return tree_of([&](JsonOut& out) { tell_throughput(out, choice.figures.rate, counted.unit.rate); });
}

Json more_json(const plan::CountedChoice& choice) {
  return tree_of([&](JsonOut& out) { tell_more(out, choice); });
}

}  // namespace gpusel::report
