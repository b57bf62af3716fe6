// Latencies that may be asked of serving, one row each: the planner, the nearest answer, fleets and explanations walk
// this table.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "physics/serving/inference.hpp"

namespace gpusel::physics {

struct LatencyTarget {
  using Speed = physics::InferenceSpeed;

  std::string_view key;  // of the request; its flag is "--" and this
  std::optional<double> job::Request::* given;
  std::optional<double> job::Inference::* asked;  // ms
  Seconds Speed::* typical;
  Seconds Speed::Percentiles::* slow;  // which 95 of 100 requests meet

  /// What counts against the target; `strict`: of 95 of 100 requests, where the load says what that is.
  Seconds reached(const Speed& speed, bool strict) const {
    return strict && speed.percentiles ? (*speed.percentiles).*slow : speed.*typical;
  }
};

std::span<const LatencyTarget> latency_targets();

bool meets_targets(const job::Inference& job, const physics::InferenceSpeed& speed);
/// How far the typical request is from the targets: the worst share of one, 1 is on them; 0 where there are none.
double missed_by(const job::Inference& job, const physics::InferenceSpeed& speed);

}  // namespace gpusel::physics
