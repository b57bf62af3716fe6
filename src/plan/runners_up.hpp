// Which plans of other layouts came next.
#pragma once

#include <array>

#include "gpusel/plan/plan.hpp"

namespace gpusel::plan {

bool same_division(const estimate::TrainingPlan& a, const estimate::TrainingPlan& b);

RunnerUp as_runner_up(const TrainingChoice& choice);

/// Keeps the two best of different layouts, so that one is left whichever of them wins.
class RunnersUp {
 public:
  void add(const RunnerUp& seen);
  /// The best of another layout than the chosen one; none where none was added.
  RunnerUp beside(const estimate::TrainingPlan& chosen) const;

 private:
  std::array<RunnerUp, 2> best_;
};

}  // namespace gpusel::plan
