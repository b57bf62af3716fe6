#include "physics/training/training_estimator.hpp"

#include <algorithm>

#include "physics/intervals.hpp"
#include "physics/training/uniform_memory.hpp"

namespace gpusel::physics {

namespace {

constexpr std::size_t kPlansOfDivision = 16;  // hardly ever more

bool divides_alike(const Layout& a, const Layout& b) {
  return a.sharding == b.sharding && a.tp == b.tp && a.pp == b.pp && a.cp == b.cp && a.ep == b.ep && a.dp == b.dp &&
         a.precision == b.precision && a.flash_attention == b.flash_attention;
}

/// Of two plans that divide the job alike: whether they treat every layer alike, too.
bool same_layers(const Layout& a, const Layout& b) {
  return a.micro_batch == b.micro_batch && a.grad_accum == b.grad_accum && a.checkpointing == b.checkpointing;
}

}  // namespace

TrainingEstimator::TrainingEstimator(const job::Job& work, const Machine& machine, const Coefficients& coefficients)
    : machine_(machine),
      job_(std::make_unique<const TrainingJob>(work, coefficients)),
      division_(std::make_unique<Division>()) {}

TrainingEstimator::~TrainingEstimator() = default;

/// A search asks for the same plan more than once: as it is, and mixed with what other layers keep.
const MemoryBreakdown& TrainingEstimator::uniform(const Layout& layout) {
  if (seen_.empty() || !divides_alike(seen_.front().first, layout)) {
    seen_.clear();
    *division_ = divide(*job_, machine_, layout);
  }
  const auto known = std::ranges::find_if(seen_, [&](const auto& one) { return same_layers(one.first, layout); });
  if (known != seen_.end()) return known->second;
  if (seen_.empty()) seen_.reserve(kPlansOfDivision);
  return seen_.emplace_back(layout, uniform_memory(*job_, *division_, layout)).second;
}

MemoryBreakdown TrainingEstimator::memory(const Layout& layout) {
  MemoryBreakdown memory = uniform(layout);
  if (is_partial(layout)) {
    Layout other = layout;
    other.checkpointing = job::Checkpointing::none;
    memory = partial_memory(memory, uniform(other), layout.recomputed);
  }
  give_back(memory, machine_.device.usable);
  return memory;
}

MemoryNeed TrainingEstimator::need(const Layout& layout, const MemoryBreakdown& memory) const {
  const double own = own_exponent(job_->work, machine_, layout, Range80::memory, job_->c);
  return {memory.needed(), training_deviation(memory, job_->c) * own, machine_.device.usable};
}

std::optional<TrainingSpeed> TrainingEstimator::speed(const Layout& layout) {
  if (!rates_ || rates_->precision != layout.precision)
    rates_ = std::make_unique<const TrainingRates>(machine_, layout.precision, job_->c);
  return training_speed(*job_, *rates_, machine_, layout);
}

}  // namespace gpusel::physics
