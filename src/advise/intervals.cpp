#include <cmath>

#include "gpusel/advise/estimate.hpp"
#include "gpusel/base/message.hpp"

namespace gpusel::advise {

namespace {

using estimate::Machine;
using workload::Workload;

/// How far measurements lie from predictions of this kind: by task and architecture, for inference by mode and
/// engine, and wider where less is known.
class Spread {
 public:
  Spread(const Workload& work, const Machine& machine, const plan::Choice& choice, const estimate::Coefficients& c) {
    training_ = workload::is_training(work.task);
    task_ = training_ ? "training" : "inference";
    kind_ = training_ ? std::string_view(machine.device.gpu->architecture) : to_text(work.inference.mode);
    if (training_)
      widen_training(work, c);
    else
      widen_inference(work, machine, std::get<plan::InferenceChoice>(choice), c);
  }

  double of_speed(const estimate::Coefficient& ratio) const {
    return std::pow(ratio.of(task_, engine_, kind_), widening_);
  }
  /// What makes a training's speed less sure leaves its memory as it is.
  double of_memory(const estimate::Coefficient& ratio) const {
    return training_ ? ratio.of(task_, engine_, kind_) : of_speed(ratio);
  }

 private:
  /// Layers that are not fused depend on more than is asked about; encoders are measured well enough.
  void widen_training(const Workload& work, const estimate::Coefficients& c) {
    if (const auto& unequal = work.training.variable_lengths) engine_ = *unequal ? "variable" : "fixed";
    if (work.model->is_moe()) widening_ *= c.interval_widening.of("training", "experts");
    if (workload::trains_adapter(work.training.method))
      widening_ *= c.interval_widening.of("training", "adapter");
    else if (!estimate::has_fused_layers(work) && work.model->is_generator())
      widening_ *= c.interval_widening.of("training", "unfused");
  }

  void widen_inference(const Workload& work, const Machine& machine, const plan::InferenceChoice& choice,
                       const estimate::Coefficients& c) {
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

/// A value times each end of its ratio, which the user's own measurements may have narrowed.
estimate::Interval times(double value, const estimate::Interval& ratio, double exponent) {
  if (exponent == 1) return {value * ratio.low, value * ratio.high};
  return {value * std::pow(ratio.low, exponent), value * std::pow(ratio.high, exponent)};
}

/// How the user's own measurements change the widths for a job.
class OwnWidths {
 public:
  OwnWidths(const Workload& work, const Machine& machine, const plan::Choice& choice, const estimate::Coefficients& c)
      : own_(c.own.get()), gpus_(machine.gpus()) {
    if (own_ != nullptr) job_ = own_class(work, machine, choice);
  }
  double operator()(estimate::Range80 range) const { return own_ != nullptr ? own_->exponent(job_, range, gpus_) : 1; }

 private:
  const estimate::OwnCalibration* own_;
  int gpus_;
  estimate::OwnClass job_;
};

/// Each class of counted work knows its own.
Intervals intervals_of(const estimate::CountedFigures& figures, const OwnWidths& own) {
  Intervals out;
  out.memory_total_gib = times(in_gib(figures.memory.total()), figures.memory_ratio, own(estimate::Range80::memory));
  out.throughput = times(figures.rate, figures.rate_ratio, own(estimate::Range80::speed));
  return out;
}

/// Arithmetic and kernels that were measured say little of others.
std::string how_done(const Workload& work, const plan::TrainingChoice& choice) {
  const auto& job = work.training;
  return format("{} {} {}", job.framework.empty() ? std::string_view("any") : std::string_view(job.framework),
                to_text(job.method), to_text(choice.plan.precision));
}
std::string how_done(const Workload& work, const plan::InferenceChoice& choice) {
  const auto& job = work.inference;
  const std::string engine =
      job.generation.empty() ? std::string(to_text(job.engine)) : format("{} {}", to_text(job.engine), job.generation);
  return format("{} {} {}", engine, to_text(job.mode), choice.plan.weights->name);
}
std::string how_done(const Workload& work, const plan::CountedChoice& choice) {
  const std::string_view kind = std::visit([](const auto& job) { return job.kClass; }, work.counted->job);
  if (workload::runs_model(work.task))
    return format("{} {} {}", kind, to_text(work.counted->engine), to_text(choice.plan.precision));
  if (const auto* render = std::get_if<workload::OfflineRender>(&work.counted->job))
    return format("{} {}", kind, to_text(render->renderer));
  if (const auto* video = std::get_if<workload::TranscodeJob>(&work.counted->job))
    return format("{} {}", kind, to_text(video->codec));
  return std::string(kind);
}

}  // namespace

estimate::OwnClass own_class(const Workload& asked, const Machine& machine, const plan::Choice& choice) {
  const Workload work = as_planned(asked, choice);
  estimate::OwnClass out;
  out.task = to_text(work.task);
  out.gpu = machine.on_cpu() ? std::string_view("none") : machine.device.gpu->id;
  out.how = std::visit([&](const auto& plan) { return how_done(work, plan); }, choice);
  if (work.model != nullptr) out.model = work.model->id;
  return out;
}

Intervals intervals_for(const Workload& asked, const estimate::Machine& machine, const plan::Choice& choice,
                        const estimate::Coefficients& c) {
  using estimate::Range80;
  const OwnWidths own(asked, machine, choice, c);
  if (const auto* counted = std::get_if<plan::CountedChoice>(&choice)) return intervals_of(counted->figures, own);
  const Workload work = as_planned(asked, choice);
  const Spread spread(work, machine, choice, c);
  const auto around = [&](double value, const estimate::Coefficient& low, const estimate::Coefficient& high,
                          Range80 range = Range80::speed) {
    return times(value, {spread.of_speed(low), spread.of_speed(high)}, own(range));
  };
  Intervals out;
  out.memory_total_gib =
      times(in_gib(plan::memory_of(choice).total()),
            {spread.of_memory(c.interval_memory_low), spread.of_memory(c.interval_memory_high)}, own(Range80::memory));
  out.tokens_per_s = around(plan::tokens_per_s(choice), c.interval_speed_low, c.interval_speed_high);
  out.sequences_per_s = around(plan::sequences_per_s(choice), c.interval_speed_low, c.interval_speed_high);
  const auto* inference = std::get_if<plan::InferenceChoice>(&choice);
  if (inference == nullptr || !inference->speed) return out;
  out.itl_ms = around(in_ms(inference->speed->itl), c.interval_itl_low, c.interval_itl_high, Range80::itl);
  out.ttft_ms = around(in_ms(inference->speed->ttft), c.interval_ttft_low, c.interval_ttft_high, Range80::ttft);
  if (work.inference.request_rate) {
    // Nothing is served that has not arrived.
    out.tokens_per_s.high = plan::tokens_per_s(choice);
    out.sequences_per_s.high = plan::sequences_per_s(choice);
  }
  return out;
}

namespace {

void explain_range(std::string_view name, double figure, const estimate::Interval& range, const std::string& unit,
                   estimate::Trace& trace) {
  if (figure <= 0) return;
  const auto end = [&](std::string_view which, std::string formula, double value) {
    trace.push_back({format("interval.{}.{}", name, which), std::move(formula),
                     format("{:.5g} × {:.4g}", figure, value / figure), estimate::shown("{:.4g}", value, unit),
                     say("gpusel verify, data/calibration")});
  };
  end("low", say("estimate × what 10 of 100 measurements lie below, measured ÷ estimated"), range.low);
  end("high", say("estimate × what 10 of 100 measurements lie above, measured ÷ estimated"), range.high);
}

}  // namespace

void explain_intervals(const Intervals& intervals, const Workload& work, const plan::Choice& choice,
                       estimate::Trace& trace) {
  explain_range("memory_total", in_gib(plan::memory_of(choice).total()), intervals.memory_total_gib, "GiB", trace);
  if (work.counted)
    return explain_range("throughput", plan::rate_of(choice), intervals.throughput,
                         std::string(work.counted->unit.rate), trace);
  if (workload::is_training(work.task) || work.model->is_generator())
    explain_range("tokens_per_s", plan::tokens_per_s(choice), intervals.tokens_per_s, "tokens/s", trace);
  else
    explain_range("sequences_per_s", plan::sequences_per_s(choice), intervals.sequences_per_s, "sequences/s", trace);
  const auto* inference = std::get_if<plan::InferenceChoice>(&choice);
  if (inference == nullptr || !inference->speed) return;
  explain_range("itl_ms", in_ms(inference->speed->itl), intervals.itl_ms, "ms", trace);
  explain_range("ttft_ms", in_ms(inference->speed->ttft), intervals.ttft_ms, "ms", trace);
}

}  // namespace gpusel::advise
