#include "answer/poc/poc_figures.hpp"

#include <algorithm>
#include <cmath>

#include "answer/stages/data_path.hpp"
#include "base/words/message.hpp"
#include "physics/checkpoint.hpp"
#include "physics/economy.hpp"

namespace gpusel::answer {

namespace {

using job::Job;
using physics::Interval;
using physics::Machine;

/// So long a run shows a steady state.
constexpr double kSteadySeconds = 300;
constexpr double kLeastPrompts = 20;
/// A run that is killed half-way and taken up again does half of its steps twice at most.
constexpr double kKilledRun = 1.5;

/// 1, 2, 4 … and all: what one node holds, then whole nodes.
std::vector<int> ladder(const Machine& machine) {
  std::vector<int> out;
  for (int gpus = 1; gpus < machine.gpus(); gpus *= 2)
    if (gpus <= machine.gpus_per_node ? machine.gpus_per_node % gpus == 0 : gpus % machine.gpus_per_node == 0)
      out.push_back(gpus);
  out.push_back(machine.gpus());
  return out;
}

std::string slow_words() {
  return say(
      "below: check clocks and power while it runs, and that batch, arithmetic and kernels match the plan; if they do, "
      "the plan costs that much more. Either way: gpusel calibrate");
}

class Figures {
 public:
  Figures(Poc& out, const ProofUnit& unit, const Advice& advice, const catalog::Catalog& catalog,
          const physics::Coefficients& c)
      : out_(out), unit_(unit), advice_(advice), catalog_(catalog), c_(c) {}

  ProofRuns run() {
    unit_.plan.training ? add_training() : unit_.plan.serving ? add_serving() : add_items();
    return std::move(runs_);
  }

 private:
  static int gpus_of(const ProofUnit& unit) { return std::max(1, unit.machine.gpus()); }

  void figure(std::string_view key, std::string name, std::string_view unit, catalog::Number expected,
              std::optional<Interval> interval, std::string outside) {
    out_.trace.push_back(
        {key.empty() ? name : std::string(key), say("the estimate of this plan on {} GPUs", gpus_of(unit_)),
         interval ? format("80 %: {:.4g} … {:.4g}", interval->low, interval->high) : say("no interval"),
         expected ? physics::shown("{:.4g}", *expected, unit) : physics::Figure::words(say("unknown")),
         say("gpusel estimate --explain")});
    out_.figures.push_back(
        {std::string(key), std::move(name), std::string(unit), gpus_of(unit_), expected, interval, std::move(outside)});
  }

  void memory(const physics::Intervals& intervals) {
    const auto& amount = unit_.plan.memory;
    if (!physics::is_known(amount)) return;
    figure(
        "memory_gib", say("memory of the fullest card"), "GiB", in_gib(amount.total()), intervals.memory_total_gib,
        say("above: it may not fit with longer sequences; take the smaller batch, or recompute more. Below: a larger "
            "batch, or a smaller card, may do"));
  }

  void add_training() {
    const physics::Plan& plan = unit_.plan;
    const physics::Intervals intervals = intervals_for(unit_.work, unit_.machine, unit_.plan, c_);
    const double gpus = gpus_of(unit_);
    const auto& all = intervals.rate;
    if (plan.rate <= 0) return;
    figure("tokens_per_s_per_gpu", say("training speed of one card"), "tokens/s", plan.training->tokens_per_s_per_gpu,
           Interval{all.low / gpus, all.high / gpus}, slow_words());
    figure("step_time_s", say("time of a step"), "s", plan.training->step.raw(),
           Interval{plan.training->step.raw() * plan.rate / all.high, plan.training->step.raw() * plan.rate / all.low},
           say("as the speed"));
    memory(intervals);
    training_scales(plan);
    recovery();
    for (const ProofUnit& scale : runs_.scales)
      runs_.duration = runs_.duration + scale.plan.training->step * kProofSteps;
    runs_.duration = runs_.duration + plan.training->step * (kProofSteps * kKilledRun);
  }

  /// The same work for each card, on fewer of them.
  void training_scales(const physics::Plan& plan) {
    const auto& whole = plan.layout;
    const int group = whole.tp * whole.pp * whole.cp;
    catalog::Number first;
    for (const int gpus : ladder(unit_.machine)) {
      if (gpus % group != 0 || (gpus / (whole.tp * whole.pp)) % whole.ep != 0) continue;
      ProofUnit scale = unit_;
      scale.machine = with_gpus(unit_.machine, gpus);
      physics::Plan part = plan;
      part.layout.dp = gpus / group;
      scale.plan = physics::refigure(part, scale.work, scale.machine, c_);
      const physics::Plan& figured = scale.plan;
      const bool fits = figured.need.likely(physics::least_chance(scale.work, c_)) && figured.rate > 0;
      const physics::Intervals intervals = intervals_for(scale.work, scale.machine, scale.plan, c_);
      scale_line(gpus, fits, figured.rate, intervals.rate, first);
      if (fits) runs_.scales.push_back(std::move(scale));
    }
  }

  void scale_line(int gpus, bool fits, double rate, const Interval& range, catalog::Number& first) {
    PocScale line;
    line.gpus = gpus;
    line.fits = fits;
    if (fits && rate > 0) {
      line.per_gpu = rate / gpus;
      if (!first) first = line.per_gpu;
      line.efficiency = *line.per_gpu / *first;
      line.interval = Interval{range.low / gpus, range.high / gpus};
      out_.trace.push_back({format("scale.{}", gpus), say("rate of one card ÷ rate of one card among the fewest"),
                            format("{:.5g} ÷ {:.5g}", *line.per_gpu, *first),
                            physics::shown("{:.3f}", *line.efficiency), "docs/calibrate.md"});
    }
    out_.scales.push_back(line);
  }

  /// What is read again after a failure, in words.
  std::string read_again() const {
    const auto precision = unit_.plan.layout.precision;
    const auto size = physics::checkpoint_size(unit_.work, precision);
    if (!size) return say("checkpoints are read too slowly (fio)");
    if (unit_.work.training.method == job::Method::full)
      return say("checkpoints of {:.3g} GB are read too slowly (fio)", in_gb(*size));
    return say(
        "checkpoints of {:.3g} GB, of what is trained alone, or the {:.3g} GB of the base model, which are "
        "loaded again, are read too slowly (fio)",
        in_gb(*size), 2e-9 * unit_.work.parameters.total());
  }

  void recovery() {
    const double restart = 60 * c_.economy->restart_minutes.value;
    out_.trace.push_back({"recovery_s", say("failure.restart_minutes × 60, assumed"), format("{:g} × 60", restart / 60),
                          physics::shown("{:g}", restart, "s"), say("data/calibration/economy.yaml")});
    out_.figures.push_back(
        {{},
         say("from the kill to the next step"),
         "s",
         gpus_of(unit_),
         restart,
         std::nullopt,
         say("above: {}, or starting takes long; each failure then costs more, so write checkpoints less often",
             read_again()),
         true});
    runs_.duration = runs_.duration + seconds(restart);
  }

  void add_serving() {
    const physics::Plan& plan = unit_.plan;
    if (plan.rate <= 0) return;
    const auto& speed = plan.serving->speed;
    const physics::Intervals intervals = intervals_for(unit_.work, unit_.machine, unit_.plan, c_);
    if (unit_.work.model->is_generator()) {
      figure("output_tokens_per_s",
             unit_.work.inference.disaggregated_prefill ? say("output of all replicas") : say("output of one replica"),
             "tokens/s", speed.output_tokens_per_s, intervals.rate, slow_words());
      if (speed.ttft().raw() > 0)
        figure("ttft_ms", say("time to the first token, median"), "ms", in_ms(speed.ttft()), intervals.ttft_ms,
               say("above: prompts wait for each other; use fewer requests at once, or shorter prompts per pass"));
      if (speed.itl().raw() > 0)
        figure("itl_ms", say("time between tokens, median"), "ms", in_ms(speed.itl()), intervals.itl_ms,
               say("above: graphs or kernels are not in use, or the link is slow (nccl-tests)"));
    } else {
      figure("", say("requests of one replica"), "sequences/s", speed.requests_per_s, intervals.sequences_per_s,
             slow_words());
    }
    figure("weights_gib", say("weights on one card, from the engine's log"), "GiB", in_gib(plan.memory.weights),
           std::nullopt, say("another amount means another format than the plan's"));
    if (!unit_.work.inference.disaggregated_prefill) replicas(intervals.rate);
    start();
    const double rate = std::max(1e-6, speed.requests_per_s);
    runs_.prompts = std::max({kLeastPrompts, 2 * plan.serving->room.concurrency, std::ceil(rate * kSteadySeconds)});
    runs_.duration = runs_.duration + seconds(2 * runs_.prompts / rate);
  }

  /// Replicas share nothing but the host.
  void replicas(const Interval& range) {
    const Machine& whole = out_.chosen->machine();
    const int group = gpus_of(unit_);
    catalog::Number first;
    for (const int gpus : ladder(whole)) {
      if (gpus % group != 0) continue;
      const double times = gpus / group;
      scale_line(gpus, true, unit_.plan.rate * times, {range.low * times, range.high * times}, first);
    }
  }

  void start() {
    const Place place{*out_.chosen->instance, out_.chosen->region->id};
    const auto start = cold_start(unit_.work, unit_.machine, unit_.plan, place, catalog_, c_, &out_.trace);
    if (!start) return;
    out_.figures.push_back(
        {{},
         say("from the start of the engine to its first answer"),
         "s",
         gpus_of(unit_),
         start->total().raw(),
         std::nullopt,
         say("above: weights load too slowly (fio), or graphs are recompiled; scaling to zero then costs more")});
    runs_.duration = runs_.duration + start->total();
  }

  // --- work that is counted in items of its own
  void add_items() {
    const physics::Plan& plan = unit_.plan;
    const physics::Intervals intervals = intervals_for(unit_.work, unit_.machine, unit_.plan, c_);
    const auto& range = intervals.rate;
    if (plan.rate <= 0) return;
    figure("items_per_s", unit_.machine.on_cpu() ? say("rate of the machine") : say("rate of one card"),
           unit_.work.counted->unit.rate, plan.rate, range, slow_words());
    if (plan.latency.raw() > 0)
      figure("latency_ms", say("time of one batch"), "ms", in_ms(plan.latency),
             Interval{in_ms(plan.latency) * plan.rate / range.high, in_ms(plan.latency) * plan.rate / range.low},
             say("as the rate"));
    memory(intervals);
    catalog::Number first;
    if (!unit_.machine.on_cpu())
      for (const int gpus : ladder(out_.chosen->machine())) {
        ProofUnit scale = unit_;
        scale.machine = with_gpus(out_.chosen->machine(), gpus);
        scale.plan = physics::refigure(unit_.plan, scale.work, scale.machine, c_);
        const double rate = scale.plan.rate;
        scale_line(gpus, rate > 0, rate, intervals_for(scale.work, scale.machine, scale.plan, c_).rate, first);
      }
    runs_.duration = runs_.duration + seconds(2 * kSteadySeconds);
  }

  Poc& out_;
  const ProofUnit& unit_;
  const Advice& advice_;
  const catalog::Catalog& catalog_;
  const physics::Coefficients& c_;
  ProofRuns runs_;
};

/// One of the replicas of a service, with its part of the load.
ProofUnit one_replica(const Job& work, const Machine& machine, const physics::Plan& plan,
                      const physics::Coefficients& c) {
  ProofUnit unit{work, with_gpus(machine, plan.layout.tp * plan.layout.pp), plan};
  const int replicas = std::max(1, plan.layout.dp);
  auto& job = unit.work.inference;
  if (job.request_rate)
    *job.request_rate /= replicas;
  else
    job.concurrency = std::max<std::int64_t>(1, std::llround(plan.serving->room.concurrency / replicas));
  auto layout = plan.layout;
  layout.dp = 1;
  unit.plan = physics::inference_figures(unit.work, unit.machine, layout, c);
  return unit;
}

}  // namespace

ProofUnit unit_of(const Advice& advice, const Recommendation& chosen, const physics::Coefficients& c) {
  const Job& work = advice.work;
  // Replicas that read prompts do nothing without those that generate.
  const bool apart = !work.counted && work.inference.disaggregated_prefill;
  if (chosen.plan().serving && !apart) return one_replica(work, chosen.machine(), chosen.plan(), c);
  ProofUnit unit{work, chosen.machine(), chosen.plan()};
  if (unit.plan.training) unit.chunks = physics::pipeline_chunks(unit.work, unit.plan.layout, c);
  if (work.counted && !unit.machine.on_cpu() && !job::is_training(work.task)) {
    unit.machine = with_gpus(unit.machine, 1);
    unit.plan = physics::refigure(unit.plan, unit.work, unit.machine, c);
  }
  return unit;
}

ProofRuns add_figures(Poc& poc, const ProofUnit& unit, const Advice& advice, const catalog::Catalog& catalog,
                      const physics::Coefficients& c) {
  return Figures(poc, unit, advice, catalog, c).run();
}

}  // namespace gpusel::answer
