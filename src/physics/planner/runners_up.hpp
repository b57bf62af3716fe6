// Which plans of other layouts came next.
#pragma once

#include <array>

#include "physics/planner/plan.hpp"

namespace gpusel::physics {

bool same_division(const physics::TrainingPlan& a, const physics::TrainingPlan& b);

RunnerUp as_runner_up(const TrainingChoice& choice);

/// Keeps the two best of different layouts, so that one is left whichever of them wins.
class RunnersUp {
 public:
  void add(const RunnerUp& seen);
  /// The best of another layout than the chosen one; none where none was added.
  RunnerUp beside(const physics::TrainingPlan& chosen) const;

 private:
  std::array<RunnerUp, 2> best_;
};

}  // namespace gpusel::physics
