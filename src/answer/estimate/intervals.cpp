#include <cmath>

#include "answer/estimate/estimate.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

using job::Job;
using physics::Machine;

/// How far measurements lie from predictions of this kind: by task and architecture, for inference by mode and
/// engine, and wider where less is known.
class Spread {
 public:
  Spread(const Job& work, const Machine& machine, const physics::Choice& choice, const physics::Coefficients& c) {
    training_ = job::is_training(work.task);
    task_ = training_ ? "training" : "inference";
    kind_ = training_ ? std::string_view(machine.device.gpu->architecture) : to_text(work.inference.mode);
    if (training_)
      widen_training(work, c);
    else
      widen_inference(work, machine, std::get<physics::InferenceChoice>(choice), c);
  }

  double of_speed(const physics::Coefficient& ratio) const {
    return std::pow(ratio.of(task_, engine_, kind_), widening_);
  }
  /// What makes a training's speed less sure leaves its memory as it is.
  double of_memory(const physics::Coefficient& ratio) const {
    return training_ ? ratio.of(task_, engine_, kind_) : of_speed(ratio);
  }

 private:
  /// Layers that are not fused depend on more than is asked about; encoders are measured well enough.
  void widen_training(const Job& work, const physics::Coefficients& c) {
    if (const auto& unequal = work.training.variable_lengths) engine_ = *unequal ? "variable" : "fixed";
    if (work.model->is_moe()) widening_ *= c.interval_widening.of("training", "experts");
    if (job::trains_adapter(work.training.method))
      widening_ *= c.interval_widening.of("training", "adapter");
    else if (!physics::has_fused_layers(work) && work.model->is_generator())
      widening_ *= c.interval_widening.of("training", "unfused");
  }

  void widen_inference(const Job& work, const Machine& machine, const physics::InferenceChoice& choice,
                       const physics::Coefficients& c) {
    engine_ = format("{} {}", to_text(work.inference.engine), kind_);
    widening_ = c.interval_widening.of(machine.device.gpu->architecture);
    if (work.model->is_moe()) widening_ *= c.interval_widening.of("experts");
    if (choice.plan.tp * choice.plan.pp > machine.gpus_per_node) widening_ *= c.interval_widening.of("nodes");
  }

  bool training_ = false;
  std::string_view task_;
  std::string_view kind_;
  std::string engine_;
  double widening_ = 1;
};

/// A figure of which an interval is told: the end of its name, its unit, and where to if anywhere.
struct Around {
  std::string_view name;
  std::string_view unit;
  physics::Trace* trace;
};

/// A value times each end of its ratio, which the user's own measurements may have narrowed.
physics::Interval times(double value, const physics::Interval& ratio, double exponent, const Around& of) {
  physics::Trace* const trace = value > 0 ? of.trace : nullptr;
  const auto end = [&](std::string_view which, std::string_view what, double share) {
    const std::string quantity = trace != nullptr ? format("interval.{}.{}", of.name, which) : std::string();
    return record(trace, {quantity, "{:.4g}", of.unit, to_say("gpusel verify, data/calibration")}, [&](auto told) {
      const auto estimated = told("estimate", value);
      const auto lies = told(what, share);
      return exponent == 1 ? estimated * lies
                           : estimated * physics::power(lies, told("k of own measurements", exponent));
    });
  };
  return {end("low", to_say("what 10 of 100 measurements lie below, measured ÷ estimated"), ratio.low),
          end("high", to_say("what 10 of 100 measurements lie above, measured ÷ estimated"), ratio.high)};
}

/// How the user's own measurements change the widths for a job.
class OwnWidths {
 public:
  OwnWidths(const Job& work, const Machine& machine, const physics::Choice& choice, const physics::Coefficients& c)
      : own_(c.own.get()), gpus_(machine.gpus()) {
    if (own_ != nullptr) job_ = own_class(work, machine, choice);
  }
  double operator()(physics::Range80 range) const { return own_ != nullptr ? own_->exponent(job_, range, gpus_) : 1; }

 private:
  const physics::OwnCalibration* own_;
  int gpus_;
  physics::OwnClass job_;
};

/// Each class of counted work knows its own.
Intervals intervals_of(const Job& work, const physics::CountedFigures& figures, const OwnWidths& own,
                       physics::Trace* trace) {
  Intervals out;
  out.memory_total_gib = times(in_gib(figures.memory.total()), figures.memory_ratio, own(physics::Range80::memory),
                               {"memory_total", "GiB", trace});
  out.throughput = times(figures.rate, figures.rate_ratio, own(physics::Range80::speed),
                         {"throughput", work.counted->unit.rate, trace});
  return out;
}

/// Arithmetic and kernels that were measured say little of others.
std::string how_done(const Job& work, const physics::TrainingChoice& choice) {
  const auto& job = work.training;
  return format("{} {} {}", job.framework.empty() ? std::string_view("any") : std::string_view(job.framework),
                to_text(job.method), to_text(choice.plan.precision));
}
std::string how_done(const Job& work, const physics::InferenceChoice& choice) {
  const auto& job = work.inference;
  const std::string engine =
      job.generation.empty() ? std::string(to_text(job.engine)) : format("{} {}", to_text(job.engine), job.generation);
  return format("{} {} {}", engine, to_text(job.mode), choice.plan.weights->name);
}
std::string how_done(const Job& work, const physics::CountedChoice& choice) {
  const std::string_view kind = std::visit([](const auto& job) { return job.kClass; }, work.counted->job);
  if (job::runs_model(work.task))
    return format("{} {} {}", kind, to_text(work.counted->engine), to_text(choice.plan.precision));
  if (const auto* render = std::get_if<job::OfflineRender>(&work.counted->job))
    return format("{} {}", kind, to_text(render->renderer));
  if (const auto* video = std::get_if<job::TranscodeJob>(&work.counted->job))
    return format("{} {}", kind, to_text(video->codec));
  return std::string(kind);
}

}  // namespace

physics::OwnClass own_class(const Job& asked, const Machine& machine, const physics::Choice& choice) {
  const Job work = as_planned(asked, choice);
  physics::OwnClass out;
  out.task = to_text(work.task);
  out.gpu = machine.on_cpu() ? std::string_view("none") : machine.device.gpu->id;
  out.how = std::visit([&](const auto& plan) { return how_done(work, plan); }, choice);
  if (work.model != nullptr) out.model = work.model->id;
  return out;
}

Intervals intervals_for(const Job& asked, const physics::Machine& machine, const physics::Choice& choice,
                        const physics::Coefficients& c, physics::Trace* trace) {
  using physics::Range80;
  const OwnWidths own(asked, machine, choice, c);
  if (const auto* counted = std::get_if<physics::CountedChoice>(&choice))
    return intervals_of(asked, counted->figures, own, trace);
  const Job work = as_planned(asked, choice);
  const Spread spread(work, machine, choice, c);
  const auto around = [&](double value, const physics::Coefficient& low, const physics::Coefficient& high,
                          Range80 range, const Around& of) {
    // Nothing is served that has not arrived.
    const bool arrives = work.inference.request_rate && range == Range80::speed;
    return times(value, {spread.of_speed(low), arrives ? 1 : spread.of_speed(high)}, own(range), of);
  };
  const bool in_tokens = job::is_training(work.task) || work.model->is_generator();
  Intervals out;
  out.memory_total_gib = times(in_gib(physics::memory_of(choice).total()),
                               {spread.of_memory(c.interval_memory_low), spread.of_memory(c.interval_memory_high)},
                               own(Range80::memory), {"memory_total", "GiB", trace});
  out.tokens_per_s = around(physics::tokens_per_s(choice), c.interval_speed_low, c.interval_speed_high, Range80::speed,
                            {"tokens_per_s", "tokens/s", in_tokens ? trace : nullptr});
  out.sequences_per_s = around(physics::sequences_per_s(choice), c.interval_speed_low, c.interval_speed_high,
                               Range80::speed, {"sequences_per_s", "sequences/s", in_tokens ? nullptr : trace});
  const auto* inference = std::get_if<physics::InferenceChoice>(&choice);
  if (inference == nullptr || !inference->speed) return out;
  out.itl_ms = around(in_ms(inference->speed->itl), c.interval_itl_low, c.interval_itl_high, Range80::itl,
                      {"itl_ms", "ms", trace});
  out.ttft_ms = around(in_ms(inference->speed->ttft), c.interval_ttft_low, c.interval_ttft_high, Range80::ttft,
                       {"ttft_ms", "ms", trace});
  return out;
}

}  // namespace gpusel::answer
