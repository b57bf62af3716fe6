#include "physics/training/training_estimator.hpp"

#include <algorithm>

#include "physics/training/uniform_memory.hpp"

namespace gpusel::physics {

namespace {

constexpr std::size_t kPlansOfDivision = 16;  // hardly ever more

bool same_division(const TrainingPlan& a, const TrainingPlan& b) {
  return a.sharding == b.sharding && a.tp == b.tp && a.pp == b.pp && a.cp == b.cp && a.ep == b.ep && a.dp == b.dp &&
         a.precision == b.precision && a.flash_attention == b.flash_attention;
}

/// Of two plans that divide the job alike: whether they treat every layer alike, too.
bool same_layers(const TrainingPlan& a, const TrainingPlan& b) {
  return a.micro_batch == b.micro_batch && a.grad_accum == b.grad_accum && a.checkpointing == b.checkpointing;
}

}  // namespace

TrainingEstimator::TrainingEstimator(const job::Job& work, const Machine& machine, const Coefficients& coefficients)
    : machine_(machine),
      job_(std::make_unique<const TrainingJob>(work, coefficients)),
      division_(std::make_unique<Division>()) {}

TrainingEstimator::~TrainingEstimator() = default;

/// A search asks for the same plan more than once: as it is, and mixed with what other layers keep.
const MemoryBreakdown& TrainingEstimator::uniform(const TrainingPlan& plan) {
  if (seen_.empty() || !same_division(seen_.front().first, plan)) {
    seen_.clear();
    *division_ = divide(*job_, machine_, plan);
  }
  const auto known = std::ranges::find_if(seen_, [&](const auto& one) { return same_layers(one.first, plan); });
  if (known != seen_.end()) return known->second;
  if (seen_.empty()) seen_.reserve(kPlansOfDivision);
  return seen_.emplace_back(plan, uniform_memory(*job_, *division_, plan)).second;
}

MemoryBreakdown TrainingEstimator::memory(const TrainingPlan& plan) {
  const MemoryBreakdown all = uniform(plan);
  if (!is_partial(plan)) return all;
  TrainingPlan other = plan;
  other.checkpointing = job::Checkpointing::none;
  return partial_memory(all, uniform(other), plan.recomputed);
}

std::optional<TrainingSpeed> TrainingEstimator::speed(const TrainingPlan& plan) {
  if (!rates_ || rates_->precision != plan.precision)
    rates_ = std::make_unique<const TrainingRates>(machine_, plan.precision, job_->c);
  return training_speed(*job_, *rates_, machine_, plan);
}

}  // namespace gpusel::physics
