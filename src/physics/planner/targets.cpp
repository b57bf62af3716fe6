#include "physics/planner/targets.hpp"

#include <algorithm>

namespace gpusel::physics {

namespace {

using Speed = physics::InferenceSpeed;

constexpr LatencyTarget kTargets[] = {
    {"ttft", &job::Request::ttft_ms, &job::Inference::ttft_ms, &Speed::ttft, &Speed::Percentiles::ttft_p95},
    {"tpot", &job::Request::tpot_ms, &job::Inference::tpot_ms, &Speed::itl, &Speed::Percentiles::itl_p95},
};

}  // namespace

std::span<const LatencyTarget> latency_targets() { return kTargets; }

bool meets_targets(const job::Inference& job, const Speed& speed) {
  return std::ranges::all_of(kTargets, [&](const LatencyTarget& target) {
    const auto& asked = job.*target.asked;
    return !asked || in_ms(target.reached(speed, job.strict_slo)) <= *asked;
  });
}

double missed_by(const job::Inference& job, const Speed& speed) {
  double most = 0;
  for (const LatencyTarget& target : kTargets)
    if (const auto& asked = job.*target.asked) most = std::max(most, in_ms(target.reached(speed, false)) / *asked);
  return most;
}

}  // namespace gpusel::physics
