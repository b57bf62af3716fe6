#include "physics/planner/runners_up.hpp"

namespace gpusel::physics {

namespace {

using physics::TrainingPlan;

bool same_layout(const TrainingPlan& a, const TrainingPlan& b) {
  return same_division(a, b) && a.checkpointing == b.checkpointing;
}

bool better(const RunnerUp& a, const RunnerUp& b) {
  if (!b.any || a.fits != b.fits) return !b.any || a.fits;
  return a.fits ? a.tokens_per_s > b.tokens_per_s : a.total < b.total;
}

}  // namespace

bool same_division(const TrainingPlan& a, const TrainingPlan& b) {
  return a.sharding == b.sharding && a.tp == b.tp && a.pp == b.pp && a.cp == b.cp && a.ep == b.ep && a.dp == b.dp;
}

RunnerUp as_runner_up(const TrainingChoice& choice) {
  return {true, choice.fits, choice.plan, choice.memory.total(), choice.speed ? choice.speed->tokens_per_s : 0};
}

void RunnersUp::add(const RunnerUp& seen) {
  if (best_[0].any && same_layout(best_[0].plan, seen.plan)) {
    if (better(seen, best_[0])) best_[0] = seen;
    return;
  }
  if (better(seen, best_[0]))
    best_ = {seen, best_[0]};
  else if (better(seen, best_[1]))
    best_[1] = seen;
}

RunnerUp RunnersUp::beside(const TrainingPlan& chosen) const {
  for (const RunnerUp& other : best_)
    if (other.any && !same_layout(other.plan, chosen)) return other;
  return {};
}

}  // namespace gpusel::physics
