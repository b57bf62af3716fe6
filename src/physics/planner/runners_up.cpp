#include "physics/planner/runners_up.hpp"

namespace gpusel::physics {

namespace {

bool same_layout(const Layout& a, const Layout& b) { return same_division(a, b) && a.checkpointing == b.checkpointing; }

bool better(const RunnerUp& a, const std::optional<RunnerUp>& b) {
  if (!b || a.fits != b->fits) return !b || a.fits;
  return a.fits ? a.rate > b->rate : a.needed < b->needed;
}

}  // namespace

bool same_division(const Layout& a, const Layout& b) {
  return a.sharding == b.sharding && a.tp == b.tp && a.pp == b.pp && a.cp == b.cp && a.ep == b.ep && a.dp == b.dp;
}

void RunnersUp::add(const RunnerUp& seen) {
  if (best_[0] && same_layout(best_[0]->layout, seen.layout)) {
    if (better(seen, best_[0])) best_[0] = seen;
    return;
  }
  if (better(seen, best_[0]))
    best_ = {seen, best_[0]};
  else if (better(seen, best_[1]))
    best_[1] = seen;
}

std::optional<RunnerUp> RunnersUp::beside(const Layout& chosen) const {
  for (const auto& other : best_)
    if (other && !same_layout(other->layout, chosen)) return other;
  return {};
}

}  // namespace gpusel::physics
