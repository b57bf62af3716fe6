#include "physics/planner/targets.hpp"

#include <algorithm>

namespace gpusel::physics {

namespace {

constexpr LatencyTarget kTargets[] = {
    {"ttft", &job::Request::ttft_ms, &job::Inference::ttft_ms, &InferenceSpeed::ttft_within},
    {"tpot", &job::Request::tpot_ms, &job::Inference::tpot_ms, &InferenceSpeed::tpot_within},
    {"itl", &job::Request::itl_ms, &job::Inference::itl_ms, &InferenceSpeed::itl_within},
    {"e2e", &job::Request::e2e_ms, &job::Inference::e2e_ms, &InferenceSpeed::e2e_within},
};

/// A mean over a request is known without the others' waiting, gaps are asked of all steps.
constexpr const LatencyTarget* kQuickestFirst[] = {&kTargets[1], &kTargets[0], &kTargets[3], &kTargets[2]};

}  // namespace

std::span<const LatencyTarget> latency_targets() { return kTargets; }

bool has_targets(const job::Inference& job) {
  return std::ranges::any_of(kTargets, [&](const LatencyTarget& target) { return (job.*target.asked).has_value(); });
}

job::Job without_targets(job::Job work) {
  for (const LatencyTarget& target : kTargets) (work.inference.*target.asked).reset();
  return work;
}

job::Job at_full_load(job::Job work) {
  work = without_targets(std::move(work));
  work.inference.request_rate.reset();
  work.inference.concurrency.reset();
  work.inference.mode = job::Mode::throughput;
  return work;
}

bool meets_targets(const job::Inference& job, const InferenceSpeed& speed, const Slowness& slow) {
  return std::ranges::all_of(kQuickestFirst, [&](const LatencyTarget* target) {
    const auto& asked = job.*target->asked;
    return !asked || slow.of(*target) * in_ms(target->reached(speed, job.slo_percentile)) <= *asked;
  });
}

double missed_by(const job::Inference& job, const InferenceSpeed& speed) {
  double most = 0;
  for (const LatencyTarget& target : kTargets)
    if (const auto& asked = job.*target.asked)
      most = std::max(most, in_ms(target.reached(speed, job.slo_percentile)) / *asked);
  return most;
}

}  // namespace gpusel::physics
