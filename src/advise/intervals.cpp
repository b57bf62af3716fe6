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

/// Each class of counted work knows its own.
Intervals intervals_of(const estimate::CountedFigures& figures) {
  const double memory = in_gib(figures.memory.total());
  Intervals out;
  out.memory_total_gib = {memory * figures.memory_ratio.low, memory * figures.memory_ratio.high};
  out.throughput = {figures.rate * figures.rate_ratio.low, figures.rate * figures.rate_ratio.high};
  return out;
}

}  // namespace

Intervals intervals_for(const Workload& asked, const estimate::Machine& machine, const plan::Choice& choice,
                        const estimate::Coefficients& c) {
  if (const auto* counted = std::get_if<plan::CountedChoice>(&choice)) return intervals_of(counted->figures);
  const Workload work = as_planned(asked, choice);
  const Spread spread(work, machine, choice, c);
  const auto around = [&](double value, const estimate::Coefficient& low, const estimate::Coefficient& high) {
    return estimate::Interval{value * spread.of_speed(low), value * spread.of_speed(high)};
  };
  Intervals out;
  const double memory = in_gib(plan::memory_of(choice).total());
  out.memory_total_gib = {memory * spread.of_memory(c.interval_memory_low),
                          memory * spread.of_memory(c.interval_memory_high)};
  out.tokens_per_s = around(plan::tokens_per_s(choice), c.interval_speed_low, c.interval_speed_high);
  out.sequences_per_s = around(plan::sequences_per_s(choice), c.interval_speed_low, c.interval_speed_high);
  const auto* inference = std::get_if<plan::InferenceChoice>(&choice);
  if (inference == nullptr || !inference->speed) return out;
  out.itl_ms = around(in_ms(inference->speed->itl), c.interval_itl_low, c.interval_itl_high);
  out.ttft_ms = around(in_ms(inference->speed->ttft), c.interval_ttft_low, c.interval_ttft_high);
  if (work.inference.request_rate) {
    // Nothing is served that has not arrived.
    out.tokens_per_s.high = plan::tokens_per_s(choice);
    out.sequences_per_s.high = plan::sequences_per_s(choice);
  }
  return out;
}

}  // namespace gpusel::advise
