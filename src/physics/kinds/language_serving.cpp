// Language models that are served.
#include <algorithm>

#include "base/words/message.hpp"
#include "physics/chance.hpp"
#include "physics/intervals.hpp"
#include "physics/kinds/kinds.hpp"
#include "physics/kinds/networks/processor.hpp"
#include "physics/planner/targets.hpp"
#include "physics/serving/starts.hpp"

namespace gpusel::physics {

namespace {

using job::Job;

/// Those of that quantity as `others` have them, where that is less.
void replace_lines(Trace& trace, std::string_view quantity, const Trace& others, bool only_if_less = false) {
  for (TraceLine& line : trace)
    for (const TraceLine& other : others)
      if (line.quantity == quantity && other.quantity == quantity &&
          (!only_if_less || *other.value.number < *line.value.number))
        line = other;
}

/// How much was measured of such work.
Basis basis_of(const Job& work, const Machine& machine, const Layout& layout, const Coefficients& c) {
  const MeasuredCases cases = measured_cases(work, machine, layout);
  return {c.interval_measured.of(cases.on_part), c.interval_measured.of(cases.in_format)};
}

/// A process gains nothing from a second socket: its threads wait for memory that is not theirs.
void add_cores_departure(const Host& host, std::vector<std::string>& notes) {
  const double cores = cores_of(host);
  if (const double at_work = working_cores(host); at_work < cores)
    notes.push_back(say("{:g} of {:g} cores work: those of one socket; a second llama.cpp server can use the others",
                        at_work, cores));
}

/// What a rate that is assumed adds to the deviation of the logarithm of each figure.
struct FromRate {
  double speed = 0, itl = 0, ttft = 0;
  double of(Range80 figure) const { return figure == Range80::ttft ? ttft : figure == Range80::itl ? itl : speed; }
};
/// Of the layout alone, so that plans for more and for less traffic have the same: of a rate, at full load.
FromRate from_assumed_rate(const Job& work, const Machine& machine, const Layout& layout, const Coefficients& c) {
  const auto& assumed = machine.device.assumed_half;
  if (!assumed || machine.on_cpu() || assumed->low >= assumed->high) return {};
  const Job open = work.inference.request_rate ? at_full_load(work) : without_targets(work);
  const auto at = [&](double tflops) {
    Machine other = machine;
    other.device.assumed_half->tflops = tflops;
    return inference_speed(open, other, layout, inference_memory(open, other, layout, c), c);
  };
  const auto slow = at(assumed->low);
  const auto fast = at(assumed->high);
  if (!slow || !fast) return {};  // it has no room
  const auto spread = [](double low, double high) { return deviation_of({std::min(low, high), std::max(low, high)}); };
  return {spread(slow->output_tokens_per_s, fast->output_tokens_per_s), spread(in_ms(slow->gap), in_ms(fast->gap)),
          spread(in_ms(slow->first_token), in_ms(fast->first_token))};
}

class ServingPhysics final : public WorkPhysics {
 public:
  Result<Plan> plan(const Job& work, const Machine& machine, const Coefficients& c) const override {
    return plan_inference(work, machine, c);
  }

  Plan refigure(Plan plan, const Job& work, const Machine& machine, const Coefficients& c) const override {
    return inference_figures(work, machine, plan.layout, c);
  }

  Bytes least_memory(const Job& work, const Device& device) const override {
    const auto formats = allowed_formats(work, device);
    const Bytes weights = formats ? stored_weights(work, *formats->back()) : Bytes{};
    if (work.inference.left_to_host.any()) return {};  // by layout
    return work.inference.offload == job::Offload::none ? weights : weights * kInFlight;
  }

  MemoryNeed need(const Job& work, const Machine& machine, const Plan& plan, const Coefficients& c) const override {
    const CacheRoom& room = plan.serving->room;
    return {room.needed, serving_deviation(work, room, c), machine.memory()};
  }

  std::string layout_text(const Layout& layout) const override {
    std::string line(layout.weights->name);
    const std::pair<std::string_view, int> degrees[] = {{"tp", layout.tp}, {"pp", layout.pp}, {"ep", layout.ep}};
    for (const auto& [name, degree] : degrees)
      if (degree > 1) line += format(" {}{}", name, degree);
    if (layout.dp > 1) line += say(", {} replicas", layout.dp);
    return line;
  }

  job::Assumptions chosen(const Job& work, const Plan& plan) const override {
    const auto& job = work.inference;
    const Layout& layout = plan.layout;
    const Serving& serving = *plan.serving;
    Chosen out;
    out.add(job.weights_precision.empty(), "weights_precision", layout.weights->name);
    out.add(!job.kv_precision && work.model->is_generator(), "kv_precision", to_text(layout.kv));
    out.add(!work.pins.tp, "tp", layout.tp);
    out.add(!work.pins.pp, "pp", layout.pp);
    out.add(!work.pins.dp, "dp", layout.dp);
    out.add(serving.speed.prefill_replicas > 0, "prefill_replicas", serving.speed.prefill_replicas);
    out.add(!job.concurrency, "concurrency", serving.room.concurrency);
    return out.take();
  }

  void add_departures(const Job& work, const Machine& machine, const Plan& plan,
                      std::vector<std::string>& notes) const override {
    const Layout& layout = plan.layout;
    if (machine.on_cpu()) add_cores_departure(machine.host, notes);
    const auto used = std::int64_t{layout.tp} * layout.pp * layout.dp;
    if (used < machine.gpus() && work.inference.mode != job::Mode::single_stream)
      notes.push_back(say("{} of {} GPUs are idle: too few for a replica", machine.gpus() - used, machine.gpus()));
    if (const auto refused = weights_not_starting(work.inference, work.asked_as, *layout.weights, machine.device);
        refused && refused->other != nullptr && refused->other->until.empty() && asked_release(work.inference).empty())
      notes.push_back(say("{}; use {}", refused->text(*machine.device.gpu), refused->other_release()));
    const bool starts = plan.problem.kind != Problem::Kind::refused;
    if (starts && !machine.on_cpu() && !plan.serving->speed.weights_native &&
        layout.weights->arithmetic != Arithmetic::weight_only)
      notes.push_back(say("{} weights are widened to 16 bit on {}: they save memory, not arithmetic",
                          layout.weights->name, machine.device.gpu->architecture));
  }

  void explain(const Job& work, const Machine& machine, const Plan& plan, const Coefficients& c,
               Trace& trace) const override {
    const auto memory = inference_memory(work, machine, plan.layout, c, &trace);
    if (work.inference.request_rate) {  // the cache is that of the requests in flight
      Job steady = work;
      steady.inference.mode = job::Mode::online;
      steady.inference.concurrency = static_cast<std::int64_t>(plan.serving->room.concurrency);
      Trace held;
      inference_memory(steady, machine, plan.layout, c, &held);
      replace_lines(trace, "memory.kv_cache", held, true);
      replace_lines(trace, "memory.needed", held);
    }
    serving_deviation(work, plan.serving->room, c, &trace);
    if (machine.on_cpu()) explain_processor(machine.host, c, trace);
    if (const double scale = step_scale(work, machine.device, plan.layout, c); scale != 1)
      note(trace, {"inference.step_scale", "{:.3f}", {}, "docs/calibrate.md"}, scale,
           say("of the time of every step, from your own measurements"),
           machine_case(work, machine.device, plan.layout));
    inference_speed(work, machine, plan.layout, memory, c, &trace);
  }

  /// Between sources and within one, by figure and engine, and wider where the engine was measured on no such part or
  /// in no such format; memory by its engine and by how much of it is counted.
  Ratios ratios(const Job& work, const Machine& machine, const Plan& plan, const Coefficients& c) const override {
    const Basis basis = basis_of(work, machine, plan.layout, c);
    const int missing = (basis.on_part > 0 ? 0 : 1) + (basis.in_format > 0 ? 0 : 1);
    double widening = c.interval_widening.of("inference", machine.device.gpu->architecture);
    if (missing > 0) widening *= c.interval_unmeasured.of(missing == 1 ? "one" : "both");
    if (plan.layout.tp * plan.layout.pp > machine.gpus_per_node) widening *= c.interval_widening.of("nodes");
    const FromRate unsure = from_assumed_rate(work, machine, plan.layout, c);
    const auto range = [&](Range80 figure) {
      return ratio_of(std::hypot(widening * source_spread(work, figure, c).both(), unsure.of(figure)));
    };
    Ratios out{
        .memory = ratio_of(serving_deviation(work, plan.memory.weights + plan.memory.kv_cache, plan.memory.total(), c)),
        .rate = range(Range80::speed),
        .itl = range(Range80::itl),
        .ttft = range(Range80::ttft),
        .basis = basis};
    if (work.inference.request_rate) out.rate.high = 1;  // nothing is served that has not arrived
    return out;
  }

  std::string how(const Job& work, const Layout& layout) const override {
    const auto& job = work.inference;
    const std::string engine = job.generation.empty() ? std::string(to_text(job.engine))
                                                      : format("{} {}", to_text(job.engine), job.generation);
    return format("{} {} {}", engine, to_text(job.mode), layout.weights->name);
  }

  std::vector<std::string> cases(const Job& work, const Layout& layout) const override {
    const std::string engine(to_text(job::kernels_of(work.inference.engine)));
    std::vector<std::string> names{engine, std::string(layout.weights->name)};
    if (!work.inference.generation.empty())
      names.insert(names.begin(), engine + " " + std::string(work.inference.generation));
    return names;
  }

  /// Replicas of one node read the same files, which stay in its memory; a replica over several nodes is shared out.
  Loaded loaded(const Job& work, const Machine& machine, const Plan& plan) const override {
    const int ranks = plan.layout.tp * plan.layout.pp;
    const int here = std::min(ranks, machine.gpus_per_node);
    return {stored_weights(work, *plan.layout.weights) * (static_cast<double>(here) / ranks),
            static_cast<double>(here)};
  }

  std::optional<Stored> stored(const Job& work, const Plan& plan) const override {
    return Stored{stored_weights(work, *plan.layout.weights), to_say("parameters × bytes as stored"), std::nullopt};
  }
};

}  // namespace

const WorkPhysics& language_serving() {
  static const ServingPhysics kOne;
  return kOne;
}

}  // namespace gpusel::physics
