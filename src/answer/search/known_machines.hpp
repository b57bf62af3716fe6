// What questions that differ little share: who sweeps a price or a rate plans each machine once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "answer/search/recommend.hpp"
#include "physics/planner/serving.hpp"

namespace gpusel::answer {

/// Whoever asks forgets what a changed input makes untrue.
struct KnownMachines {
  /// Layouts with room, which hang on neither rates nor prices: by the first instance of a shape and the nodes.
  std::map<std::pair<std::uint32_t, int>, std::vector<physics::ServingOption>> layouts;
  /// By shape, of which the same question at other prices has the same. Nothing inside: it cannot be done there.
  std::vector<std::optional<std::optional<PlannedMachine>>> plans;
  /// By shape, while its instances are these: what a node cost at least when prices were at most `most_then` times the
  /// published ones. They are from `least_now` to `most_now` times them: what is paid grows with them.
  std::vector<double> node_costs;
  std::vector<std::vector<std::uint32_t>> instances;
  double most_then = 1, least_now = 1, most_now = 1;
};

/// What rules make of a score.
double rules_factor(const Recommendation& unranked);

}  // namespace gpusel::answer
