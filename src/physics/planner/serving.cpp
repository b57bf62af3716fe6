#include "physics/planner/serving.hpp"

#include "physics/chance.hpp"

namespace gpusel::physics {

Slowness slowness(const Ratios& ratios, double deviations) {
  return {Likely::between(ratios.itl).at(deviations), Likely::between(ratios.ttft).at(deviations)};
}

bool holds_rate(const job::Job& work, const Machine& machine, const Layout& layout, const Slowness& slow,
                const Coefficients& c) {
  job::Job faster = without_targets(work);
  *faster.inference.request_rate *= slow.steps;
  const Plan plan = inference_figures(faster, machine, layout, c);
  return plan.need.likely(least_chance(work, c)) && plan.rate > 0 &&
         meets_targets(work.inference, plan.serving->speed, slow);
}

double chance_to_hold(const job::Job& work, const Machine& machine, const Plan& plan, const Coefficients& c) {
  const Ratios ratios = physics_of(work).ratios(work, machine, plan, c);
  return chance_up_to([&](double deviations) {
    const Slowness slow = slowness(ratios, deviations);
    return work.inference.request_rate ? holds_rate(work, machine, plan.layout, slow, c)
                                       : meets_targets(work.inference, plan.serving->speed, slow);
  });
}

}  // namespace gpusel::physics
