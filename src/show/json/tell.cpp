#include "show/json/tell.hpp"

#include <cmath>
#include <type_traits>

namespace gpusel::show {

void tell_assumptions(JsonOut& out, const job::Assumptions& assumed) {
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

void tell_memory(JsonOut& out, const physics::Plan& plan, Bytes usable) {
  const physics::MemoryBreakdown& memory = plan.memory;
  const bool known = physics::is_known(memory);
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
  part("needed", plan.need.needed);
  part("margin", usable - plan.need.needed);
}

void tell_training(JsonOut& out, const physics::TrainingSpeed& speed) {
  out.figure("tokens_per_s", speed.tokens_per_s);
  out.figure("tokens_per_s_per_gpu", speed.tokens_per_s_per_gpu);
  out.figure("samples_per_s", speed.samples_per_s);
  out.figure("step_time_s", speed.step.raw());
  out.figure("model_tflops_per_gpu", speed.model_tflops_per_gpu);
  out.figure("mfu", speed.mfu);
}

void tell_inference(JsonOut& out, const physics::Serving& serving) {
  const physics::InferenceSpeed& speed = serving.speed;
  const physics::CacheRoom& room = serving.room;
  const bool generates = speed.output_tokens_per_s > 0;
  const bool continues = speed.itl().raw() > 0;  // a single token is followed by none
  const auto between = [&](std::string_view key, Seconds time) {
    out.figure_or_null(key, continues ? std::optional(in_ms(time)) : std::nullopt);
  };
  out.figure_or_null("output_tokens_per_s", generates ? std::optional(speed.output_tokens_per_s) : std::nullopt);
  out.figure("total_tokens_per_s", speed.total_tokens_per_s);
  out.figure("requests_per_s", speed.requests_per_s);
  out.figure("ttft_ms", in_ms(speed.ttft()));
  between("itl_ms", speed.itl());
  if (!speed.simulated) between("tpot_ms", speed.tpot);
  out.figure("e2e_latency_ms", in_ms(speed.e2e()));
  out.figure("max_concurrency", room.max_concurrency);
  out.figure("kv_tokens", std::floor(room.kv_tokens));
  out.figure("longest_context", room.longest_context);
  out.truth("weights_native", speed.weights_native);
  if (!speed.load) return;
  out.figure("ttft_ms_p95", in_ms(speed.ttft_within(95)));
  out.figure("ttft_ms_p99", in_ms(speed.ttft_within(99)));
  between("itl_ms_p95", speed.itl_within(95));
  between("itl_ms_p99", speed.itl_within(99));
  out.figure("e2e_latency_ms_p95", in_ms(speed.e2e_within(95)));
  out.figure("e2e_latency_ms_p99", in_ms(speed.e2e_within(99)));
  if (!speed.simulated) return;
  const auto& s = *speed.simulated;
  out.figure("ttft_ms_p50", in_ms(s.ttft.p50));
  out.figure("ttft_ms_mean", in_ms(s.ttft.mean));
  between("itl_ms_mean", s.itl.mean);
  between("tpot_ms", s.tpot.mean);
  between("tpot_ms_p95", s.tpot.p95);
  out.figure("e2e_latency_ms_mean", in_ms(s.e2e.mean));
  out.figure("share_in_time", s.share_in_time);
  out.figure("utilization", s.utilization);
}

void tell_throughput(JsonOut& out, double rate, std::string_view unit) {
  out.figure_or_null("value", rate > 0 ? std::optional(rate) : std::nullopt);
  out.text("unit", unit);
}

void tell_more(JsonOut& out, const physics::Plan& plan) {
  for (const physics::NamedFigure& figure : plan.more) out.figure(figure.key, figure.value);
}

void tell_interval(JsonOut& out, std::string_view key, const physics::Interval& range) {
  out.begin_list(key);
  out.figure(JsonOut::kItem, range.low);
  out.figure(JsonOut::kItem, range.high);
  out.end();
}

void tell_trace(JsonOut& out, const physics::Trace& trace) {
  out.begin_list("explain");
  for (const physics::TraceLine& line : trace) {
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

void tell_plan(JsonOut& out, const physics::Plan& plan) {
  const physics::Layout& layout = plan.layout;
  if (!plan.training && !plan.serving) {
    out.text("precision", to_text(layout.precision));
    out.whole("batch", layout.micro_batch);
    out.text("activation_checkpointing", to_text(layout.checkpointing));
    out.text("offload", to_text(layout.offload));
    return;
  }
  if (plan.serving) {
    out.text("weights_precision", layout.weights->name);
    out.text("kv_precision", to_text(layout.kv));
  } else {
    out.text("sharding", to_text(layout.sharding));
  }
  out.whole("tp", layout.tp);
  out.whole("pp", layout.pp);
  if (plan.training) out.whole("cp", layout.cp);
  out.whole("ep", layout.ep);
  out.whole("dp", layout.dp);
  if (plan.serving) return out.figure("concurrency", plan.serving->room.concurrency);
  out.whole("micro_batch", layout.micro_batch);
  out.whole("grad_accum", layout.grad_accum);
  out.whole("global_batch", layout.global_batch());
  out.text("precision", to_text(layout.precision));
  out.text("activation_checkpointing", to_text(layout.checkpointing));
  out.truth("flash_attention", layout.flash_attention);
  if (physics::is_partial(layout)) out.figure("recomputed_share", layout.recomputed);
}

Json plan_json(const physics::Plan& plan) {
  return tree_of([&](JsonOut& out) { tell_plan(out, plan); });
}

Json assumptions(const job::Assumptions& assumed) {
  return tree_of([&](JsonOut& out) { tell_assumptions(out, assumed); });
}

Json memory_json(const physics::Plan& plan, Bytes usable) {
  return tree_of([&](JsonOut& out) { tell_memory(out, plan, usable); });
}

Json speed_json(const physics::Plan& plan) {
  if (plan.rate <= 0) return nullptr;
  return tree_of(
      [&](JsonOut& out) { plan.training ? tell_training(out, *plan.training) : tell_inference(out, *plan.serving); });
}

Json explain_json(const physics::Trace& trace) {
  return tree_of([&](JsonOut& out) { tell_trace(out, trace); })["explain"];
}

Json interval_json(const physics::Interval& range) { return Json::array({number(range.low), number(range.high)}); }

Json more_json(const physics::Plan& plan) {
  return tree_of([&](JsonOut& out) { tell_more(out, plan); });
}

Json probability_json(const physics::Plan& plan, catalog::Number targets, catalog::Number budget) {
  return tree_of([&](JsonOut& out) { tell_probability(out, plan, targets, budget); })["probability"];
}

void tell_probability(JsonOut& out, const physics::Plan& plan, catalog::Number targets, catalog::Number budget) {
  const double chance = plan.need.chance();
  out.object("probability", [&] {
    out.figure_or_null("fits", std::isnan(chance) ? std::nullopt : std::optional(chance));
    out.figure_or_null("targets", targets);
    out.figure_or_null("budget", budget);
  });
}

void tell_price_today(JsonOut& out, const money::PriceToday& price) {
  out.object("price_today", [&] {
    out.figure("low", price.low);
    out.figure("mid", price.mid);
    out.figure("high", price.high);
    out.text_or_null("too_old", price.too_old == money::TooOld::no ? std::string_view() : to_text(price.too_old));
  });
}

void tell_remarks(JsonOut& out, std::span<const answer::Remark> remarks) {
  out.list("warnings", remarks, [&](const answer::Remark& remark) {
    out.object(JsonOut::kItem, [&] {
      out.text("rule", remark.rule);
      out.text("severity", to_text(remark.severity));
      out.text("message", remark.message);
      out.text("source", remark.source);
    });
  });
}

Json remarks_json(std::span<const answer::Remark> remarks) {
  return tree_of([&](JsonOut& out) { tell_remarks(out, remarks); })["warnings"];
}

void tell_fit(JsonOut& out, const answer::Fit& fit, double usable_gib) {
  out.text("verdict", to_text(fit.verdict));
  if (fit.needed_gib.high > 0)
    tell_interval(out, "needed_gib", fit.needed_gib);
  else
    out.null("needed_gib");
  out.figure("usable_gib", usable_gib);
  out.text_or_null("rule", fit.rule);
}

}  // namespace gpusel::show
