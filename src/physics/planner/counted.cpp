// Batch and arithmetic of work that is counted in items of its own.
#include <algorithm>

#include "base/words/message.hpp"
#include "physics/intervals.hpp"
#include "physics/kinds/kinds.hpp"

namespace gpusel::physics {

namespace {

using job::Job;

constexpr std::int64_t kLargestBatch = 1 << 16;
/// A batch twice as large has to bring so much more to be worth its memory and latency.
constexpr double kWorthDoubling = 1.02;

class CountedPlanner {
 public:
  CountedPlanner(const Job& work, const Machine& machine, const physics::Coefficients& c)
      : work_(work), job_(*work.counted), machine_(machine), c_(c), least_chance_(least_chance(work, c)) {
    plan_.layout.precision = physics::usual_precision(work, machine);
    const auto& training = work.training;
    plan_.layout.checkpointing = training.checkpointing.value_or(job::Checkpointing::none);
    plan_.layout.offload = job::is_training(work.task) ? training.offload : work.inference.offload;
  }

  Plan run() {
    take(job_.batch.value_or(1));
    recompute_if_needed();
    if (!job_.batch && physics::has_batches(job_)) grow();
    conclude();
    return std::move(plan_);
  }

 private:
  bool in_time(const Figures& figures) const { return !job_.latency_ms || in_ms(figures.latency) <= *job_.latency_ms; }
  MemoryNeed need(const Figures& figures) const {
    MemoryNeed need = counted_need(figures, machine_);
    need.deviation *= own_exponent(work_, machine_, plan_.layout, Range80::memory, c_);
    return need;
  }
  bool holds(const Figures& figures) const { return figures.lacks.empty() && need(figures).likely(least_chance_); }

  Figures at(std::int64_t batch) const {
    Layout layout = plan_.layout;
    layout.micro_batch = batch;
    return physics::counted_figures(work_, machine_, layout, c_);
  }
  void take(std::int64_t batch) {
    plan_.layout.micro_batch = batch;
    figures() = at(batch);
  }
  Figures& figures() { return plan_; }

  /// Activations are kept where they fit at all. Denoisers are commonly trained with recomputing otherwise; other
  /// networks take a smaller batch.
  void recompute_if_needed() {
    const bool open =
        item_physics_of(work_).recomputes_to_fit() && job::is_training(work_.task) && !work_.training.checkpointing;
    if (!open || holds(plan_)) return;
    plan_.layout.checkpointing = job::Checkpointing::full;
    take(plan_.layout.micro_batch);
  }

  /// What the GPUs do, whatever reaches them: a batch that would do for what does is no plan for when more does.
  static double of_gpus(const Figures& figures) { return figures.gpu_rate > 0 ? figures.gpu_rate : figures.rate; }

  /// Doubles the batch while it fits, is in time and brings something. Without a limit of time the same holds for users
  /// who wait: a batch fills only as far as requests arrive, and a limit must not make the service cheaper.
  void grow() {
    if (job_.mode == job::Mode::single_stream || !holds(plan_)) return;
    for (std::int64_t batch = 2; batch <= kLargestBatch; batch *= 2) {
      Figures next = at(batch);
      if (!holds(next) || !in_time(next) || of_gpus(next) < of_gpus(plan_) * kWorthDoubling) return;
      plan_.layout.micro_batch = batch;
      figures() = std::move(next);
    }
  }

  void conclude() {
    plan_.need = need(plan_);
    plan_.fits = plan_.lacks.empty() && plan_.need.fits();
    plan_.meets_targets = in_time(plan_);
    using Kind = Problem::Kind;
    if (!plan_.lacks.empty())
      plan_.problem = {.kind = Kind::lacking, .subject = name(), .what = plan_.lacks};
    else if (!plan_.fits)
      plan_.problem = {.kind = Kind::memory,
                       .subject = name(),
                       .needed_gib = in_gib(plan_.need.needed),
                       .available_gib = in_gib(machine_.memory())};
    else if (!plan_.unknown.empty() || plan_.rate <= 0)
      plan_.problem = {.kind = Kind::unpublished, .subject = name(), .what = plan_.unknown};
    else if (!plan_.meets_targets)
      plan_.problem = {
          .kind = Kind::too_late, .subject = name(), .batch_ms = in_ms(plan_.latency), .allowed_ms = *job_.latency_ms};
  }

  std::string_view name() const {
    if (!machine_.on_cpu()) return machine_.device.gpu->id;
    return machine_.host.cpu != nullptr ? machine_.host.cpu->id : std::string_view("cpu");
  }

  const Job& work_;
  const job::Counted& job_;
  const Machine& machine_;
  const physics::Coefficients& c_;
  const double least_chance_;
  Plan plan_;
};

}  // namespace

Plan plan_counted(const Job& work, const Machine& machine, const physics::Coefficients& coefficients) {
  return CountedPlanner(work, machine, coefficients).run();
}

}  // namespace gpusel::physics
