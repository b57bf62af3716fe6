#include "physics/intervals.hpp"

#include "base/words/message.hpp"
#include "physics/fit.hpp"

namespace gpusel::physics {

namespace {

using job::Job;

constexpr std::string_view kSequencesPerS = "sequences_per_s";

/// A figure of which an interval is told: the end of its name, its unit, and where to if anywhere.
struct Around {
  std::string_view name;
  std::string_view unit;
  Trace* trace;
};

/// A value times each end of its ratio, which the user's own measurements may have narrowed.
Interval times(double value, const Interval& ratio, double exponent, const Around& of) {
  Trace* const trace = value > 0 ? of.trace : nullptr;
  const auto end = [&](std::string_view which, std::string_view what, double share) {
    const std::string quantity = trace != nullptr ? format("interval.{}.{}", of.name, which) : std::string();
    return record(trace, {quantity, "{:.4g}", of.unit, to_say("gpusel verify, data/calibration")}, [&](auto told) {
      const auto estimated = told("estimate", value);
      const auto lies = told(what, share);
      return exponent == 1 ? estimated * lies : estimated * power(lies, told("k of own measurements", exponent));
    });
  };
  return {end("low", to_say("10th percentile of measured ÷ estimated"), ratio.low),
          end("high", to_say("90th percentile of measured ÷ estimated"), ratio.high)};
}

}  // namespace

SourceSpread source_spread(const Job& work, Range80 range, const Coefficients& c) {
  if (job::is_training(work.task)) return {c.interval_between.of("training"), c.interval_within.of("training")};
  const std::string_view engine = to_text(job::kernels_of(work.inference.engine));
  const std::string_view figure = range == Range80::itl ? "itl" : range == Range80::ttft ? "ttft" : "speed";
  return {c.interval_between.of(figure, engine), c.interval_within.of(figure, engine)};
}

MeasuredCases measured_cases(const Job& work, const Machine& machine, const Layout& layout) {
  const std::string_view engine = to_text(job::kernels_of(work.inference.engine));
  return {format("{} {}", engine, machine.device.gpu->architecture),
          format("{} {}{}{}", engine, machine.on_cpu() ? "processor " : "", layout.weights->name,
                 work.model->is_moe() ? " experts" : "")};
}

OwnClass own_class(const Job& work, const Machine& machine, const Layout& layout) {
  OwnClass out;
  out.task = to_text(work.task);
  out.gpu = machine.device.gpu == nullptr ? std::string_view("none") : machine.device.gpu->id;
  out.how = physics_of(work).how(work, layout);
  if (work.model != nullptr) out.model = work.model->id;
  if (!work.counted && !job::is_training(work.task)) {
    const std::string mode = format(" {} ", to_text(work.inference.mode));
    out.anyhow = out.how;
    if (const auto at = out.anyhow.find(mode); at != std::string::npos) out.anyhow.replace(at, mode.size(), " ");
  }
  return out;
}

SpokenRate spoken_rate(const Job& work, const Plan& plan, const Intervals& intervals) {
  if (work.counted) return {"throughput", work.counted->unit.rate, plan.rate, intervals.rate};
  if (job::is_training(work.task) || work.model->is_generator())
    return {"tokens_per_s", "tokens/s", plan.rate, intervals.rate};
  return {kSequencesPerS, "sequences/s", plan.sequences_per_s, intervals.sequences_per_s};
}

double own_exponent(const Job& work, const Machine& machine, const Layout& layout, Range80 range,
                    const Coefficients& c) {
  return c.own == nullptr ? 1 : c.own->exponent(own_class(work, machine, layout), range, machine.gpus());
}

Intervals intervals_for(const Job& work, const Machine& machine, const Plan& plan, const Coefficients& c,
                        Trace* trace) {
  const auto own = [&](Range80 range) { return own_exponent(work, machine, plan.layout, range, c); };
  const Ratios ratios = physics_of(work).ratios(work, machine, plan, c);
  const MemoryNeed need = physics_of(work).need(work, machine, plan, c);
  const SpokenRate spoken = spoken_rate(work, plan, {});
  const bool in_sequences = spoken.key == kSequencesPerS;
  const double of_memory = own(Range80::memory);
  const double of_speed = own(Range80::speed);
  const auto rate = [&](double value, bool is_spoken) {
    return times(value, ratios.rate, of_speed, {spoken.key, spoken.unit, is_spoken ? trace : nullptr});
  };
  Intervals out;
  out.basis = ratios.basis;
  out.memory_total_gib = times(in_gib(plan.memory.total()), ratios.memory, of_memory, {"memory_total", "GiB", trace});
  out.memory_needed_gib =
      times(in_gib(need.needed), ratio_of(need.deviation), of_memory, {"memory_needed", "GiB", trace});
  out.rate = rate(plan.rate, !in_sequences);
  out.sequences_per_s = rate(plan.sequences_per_s, in_sequences);
  if (!plan.serving || plan.rate <= 0) return out;
  const InferenceSpeed& speed = plan.serving->speed;
  out.itl_ms = times(in_ms(speed.itl()), ratios.itl, own(Range80::itl), {"itl_ms", "ms", trace});
  out.tpot_ms = times(in_ms(speed.tpot), ratios.itl, own(Range80::itl), {"tpot_ms", "ms", nullptr});
  out.ttft_ms = times(in_ms(speed.ttft()), ratios.ttft, own(Range80::ttft), {"ttft_ms", "ms", trace});
  return out;
}

}  // namespace gpusel::physics
