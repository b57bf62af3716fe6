#include "gpusel/plan/targets.hpp"

#include <algorithm>

namespace gpusel::plan {

namespace {

using Speed = estimate::InferenceSpeed;

constexpr LatencyTarget kTargets[] = {
    {"ttft", &workload::Request::ttft_ms, &workload::Inference::ttft_ms, &Speed::ttft, &Speed::Percentiles::ttft_p95},
    {"tpot", &workload::Request::tpot_ms, &workload::Inference::tpot_ms, &Speed::itl, &Speed::Percentiles::itl_p95},
};

}  // namespace

std::span<const LatencyTarget> latency_targets() { return kTargets; }

bool meets_targets(const workload::Inference& job, const Speed& speed) {
  return std::ranges::all_of(kTargets, [&](const LatencyTarget& target) {
    const auto& asked = job.*target.asked;
    return !asked || in_ms(target.reached(speed, job.strict_slo)) <= *asked;
  });
}

double missed_by(const workload::Inference& job, const Speed& speed) {
  double most = 0;
  for (const LatencyTarget& target : kTargets)
    if (const auto& asked = job.*target.asked) most = std::max(most, in_ms(target.reached(speed, false)) / *asked);
  return most;
}

}  // namespace gpusel::plan
