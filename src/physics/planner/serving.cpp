#include "physics/planner/serving.hpp"

#include "physics/chance.hpp"
#include "physics/planner/targets.hpp"

namespace gpusel::physics {

Slowness slowness(const Ratios& ratios, double deviations) {
  return {Likely::between(ratios.itl).at(deviations), Likely::between(ratios.ttft).at(deviations)};
}

bool holds_rate(const job::Job& work, const Machine& machine, const Layout& layout, const Slowness& slow,
                const Coefficients& c) {
  job::Job faster = work;
  *faster.inference.request_rate *= slow.steps;
  const auto& job = work.inference;
  for (const LatencyTarget& target : latency_targets()) (faster.inference.*target.asked).reset();
  const Plan plan = inference_figures(faster, machine, layout, c);
  if (!plan.need.likely(least_chance(work, c)) || plan.rate <= 0) return false;
  for (const LatencyTarget& target : latency_targets()) {
    const auto& asked = job.*target.asked;
    const double factor = target.key == "ttft" ? slow.first_token : slow.steps;
    if (asked && factor * in_ms(target.reached(plan.serving->speed, job.slo_percentile)) > *asked) return false;
  }
  return true;
}

double chance_to_hold_rate(const job::Job& work, const Machine& machine, const Plan& plan, const Coefficients& c) {
  const Ratios ratios = physics_of(work).ratios(work, machine, plan, c);
  const auto holds = [&](double deviations) {
    return holds_rate(work, machine, plan.layout, slowness(ratios, deviations), c);
  };
  double low = -4;
  double high = 4;
  if (!holds(low)) return 0;
  if (holds(high)) return 1;
  while (high - low > 0.02) {
    const double middle = (low + high) / 2;
    (holds(middle) ? low : high) = middle;
  }
  return normal_share((low + high) / 2);
}

}  // namespace gpusel::physics
