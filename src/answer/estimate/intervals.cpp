#include <cmath>

#include "answer/estimate/estimate.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

using job::Job;
using physics::Machine;

constexpr std::string_view kSequencesPerS = "sequences_per_s";

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
  OwnWidths(const Job& work, const Machine& machine, const physics::Plan& plan, const physics::Coefficients& c)
      : own_(c.own.get()), gpus_(machine.gpus()) {
    if (own_ != nullptr) job_ = own_class(work, machine, plan);
  }
  double operator()(physics::Range80 range) const { return own_ != nullptr ? own_->exponent(job_, range, gpus_) : 1; }

 private:
  const physics::OwnCalibration* own_;
  int gpus_;
  physics::OwnClass job_;
};

}  // namespace

physics::OwnClass own_class(const Job& work, const Machine& machine, const physics::Plan& plan) {
  physics::OwnClass out;
  out.task = to_text(work.task);
  out.gpu = machine.on_cpu() ? std::string_view("none") : machine.device.gpu->id;
  out.how = physics::physics_of(work).how(work, plan.layout);
  if (work.model != nullptr) out.model = work.model->id;
  return out;
}

SpokenRate spoken_rate(const Job& work, const physics::Plan& plan, const Intervals& intervals) {
  if (work.counted) return {"throughput", work.counted->unit.rate, plan.rate, intervals.rate};
  if (job::is_training(work.task) || work.model->is_generator())
    return {"tokens_per_s", "tokens/s", plan.rate, intervals.rate};
  return {kSequencesPerS, "sequences/s", plan.sequences_per_s, intervals.sequences_per_s};
}

Intervals intervals_for(const Job& work, const physics::Machine& machine, const physics::Plan& plan,
                        const physics::Coefficients& c, physics::Trace* trace) {
  using physics::Range80;
  const OwnWidths own(work, machine, plan, c);
  const physics::Ratios ratios = physics::physics_of(work).ratios(work, machine, plan, c);
  const SpokenRate spoken = spoken_rate(work, plan, {});
  const auto rate = [&](double value, bool is_spoken) {
    return times(value, ratios.rate, own(Range80::speed), {spoken.key, spoken.unit, is_spoken ? trace : nullptr});
  };
  const bool in_sequences = spoken.key == kSequencesPerS;
  Intervals out;
  out.memory_total_gib =
      times(in_gib(plan.memory.total()), ratios.memory, own(Range80::memory), {"memory_total", "GiB", trace});
  out.rate = rate(plan.rate, !in_sequences);
  out.sequences_per_s = rate(plan.sequences_per_s, in_sequences);
  if (!plan.serving || plan.rate <= 0) return out;
  const physics::InferenceSpeed& speed = plan.serving->speed;
  out.itl_ms = times(in_ms(speed.itl), ratios.itl, own(Range80::itl), {"itl_ms", "ms", trace});
  out.ttft_ms = times(in_ms(speed.ttft), ratios.ttft, own(Range80::ttft), {"ttft_ms", "ms", trace});
  return out;
}

}  // namespace gpusel::answer
