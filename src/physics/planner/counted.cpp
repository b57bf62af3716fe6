// Batch and arithmetic of work that is counted in items of its own.
#include <algorithm>

#include "base/words/message.hpp"
#include "physics/planner/plan.hpp"

namespace gpusel::physics {

namespace {

using job::Job;
using physics::CountedFigures;
using physics::CountedPlan;
using physics::Machine;

constexpr std::int64_t kLargestBatch = 1 << 16;
/// A batch twice as large has to bring so much more to be worth its memory and latency.
constexpr double kWorthDoubling = 1.02;

class CountedPlanner {
 public:
  CountedPlanner(const Job& work, const Machine& machine, const physics::Coefficients& c)
      : work_(work), job_(*work.counted), machine_(machine), c_(c) {
    choice_.plan.precision = physics::usual_precision(work, machine);
    const auto& training = work.training;
    choice_.plan.checkpointing = training.checkpointing.value_or(job::Checkpointing::none);
    choice_.plan.offload = job::is_training(work.task) ? training.offload : work.inference.offload;
  }

  CountedChoice run() {
    take(job_.batch.value_or(1));
    recompute_if_needed();
    if (!job_.batch && physics::has_batches(job_)) grow();
    conclude();
    return std::move(choice_);
  }

 private:
  bool in_time(const CountedFigures& figures) const {
    return !job_.latency_ms || in_ms(figures.latency) <= *job_.latency_ms;
  }
  bool holds(const CountedFigures& figures) const {
    return figures.lacks.empty() && figures.memory.total() <= most_memory(machine_, c_);
  }

  CountedFigures at(std::int64_t batch) const {
    CountedPlan plan = choice_.plan;
    plan.batch = batch;
    return physics::counted_figures(work_, machine_, plan, c_);
  }
  void take(std::int64_t batch) {
    choice_.plan.batch = batch;
    choice_.figures = at(batch);
  }

  /// Activations are kept where they fit at all. Denoisers are commonly trained with recomputing otherwise; other
  /// networks take a smaller batch.
  void recompute_if_needed() {
    const bool usual = std::holds_alternative<job::DiffusionJob>(job_.job);
    const bool open = usual && job::is_training(work_.task) && !work_.training.checkpointing;
    if (!open || holds(choice_.figures)) return;
    choice_.plan.checkpointing = job::Checkpointing::full;
    take(choice_.plan.batch);
  }

  /// Doubles the batch while it fits, is in time and brings something.
  void grow() {
    if (job_.mode == job::Mode::single_stream || !holds(choice_.figures)) return;
    // Waiting for a batch to fill makes no sense to a user who waits for one item.
    if (job_.mode == job::Mode::online && !job_.latency_ms) return;
    for (std::int64_t batch = 2; batch <= kLargestBatch; batch *= 2) {
      CountedFigures next = at(batch);
      if (!holds(next) || !in_time(next) || next.rate < choice_.figures.rate * kWorthDoubling) return;
      choice_.plan.batch = batch;
      choice_.figures = std::move(next);
    }
  }

  void conclude() {
    const CountedFigures& figures = choice_.figures;
    choice_.fits = holds(figures);
    choice_.meets_targets = in_time(figures);
    using Kind = Problem::Kind;
    if (!figures.lacks.empty())
      choice_.problem = {Kind::lacking, 0, 0, 0, name(), figures.lacks};
    else if (!choice_.fits)
      choice_.problem = {Kind::memory, in_gib(figures.memory.total()), in_gib(machine_.memory()), 0, name(), {}};
    else if (!figures.unknown.empty() || figures.rate <= 0)
      choice_.problem = {Kind::unpublished, 0, 0, 0, name(), figures.unknown};
    else if (!choice_.meets_targets)
      choice_.problem = {Kind::too_late, in_ms(figures.latency), *job_.latency_ms, 0, name(), {}};
  }

  std::string_view name() const {
    if (!machine_.on_cpu()) return machine_.device.gpu->id;
    return machine_.host.cpu != nullptr ? machine_.host.cpu->id : std::string_view("cpu");
  }

  const Job& work_;
  const job::Counted& job_;
  const Machine& machine_;
  const physics::Coefficients& c_;
  CountedChoice choice_;
};

}  // namespace

CountedChoice plan_counted(const Job& work, const Machine& machine, const physics::Coefficients& coefficients) {
  return CountedPlanner(work, machine, coefficients).run();
}

std::string layout_text(const CountedPlan& plan) {
  std::string line = plan.batch > 1 ? format("{} batch {}", to_text(plan.precision), plan.batch)
                                    : std::string(to_text(plan.precision));
  if (plan.checkpointing != job::Checkpointing::none) line += say(", recompute {}", to_text(plan.checkpointing));
  if (plan.offload != job::Offload::none) line += say(", {} in host memory", to_text(plan.offload));
  return line;
}

}  // namespace gpusel::physics
