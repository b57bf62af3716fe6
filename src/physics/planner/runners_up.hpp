// Which plans of other layouts came next.
#pragma once

#include <array>

#include "physics/planner/plan.hpp"

namespace gpusel::physics {

bool same_division(const Layout& a, const Layout& b);

/// Keeps the two best of different layouts, so that one is left whichever of them wins.
class RunnersUp {
 public:
  void add(const RunnerUp& seen);
  /// The best of another layout than the chosen one; none where none was added.
  std::optional<RunnerUp> beside(const Layout& chosen) const;

 private:
  std::array<std::optional<RunnerUp>, 2> best_;
};

}  // namespace gpusel::physics
