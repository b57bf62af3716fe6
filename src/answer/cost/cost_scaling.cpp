#include <algorithm>

#include "answer/cost/cost_parts.hpp"
#include "answer/stages/launch.hpp"

namespace gpusel::answer {

std::optional<money::Autoscale> scaling_of(const ScalingFacts& facts, physics::Trace* trace, std::string_view prefix) {
  const physics::Plan& plan = facts.planned.plan;
  if (!plan.serving || plan.rate <= 0 || facts.work.ends() || !facts.cold_start) return std::nullopt;
  const double spare = static_cast<double>(facts.work.inference.redundancy);
  money::Scaled scaled;
  // Little's law, with those that wait; the figures are those of the instances that are not spare.
  const physics::InferenceSpeed& speed = plan.serving->speed;
  const double all = facts.work.inference.request_rate ? plan.sequences_per_s * speed.e2e().raw() : speed.in_flight;
  scaled.in_flight = all / std::max(1.0, facts.instances - spare);
  scaled.scale_to_zero = facts.scale_to_zero;
  scaled.least = 1 + spare;
  scaled.most = facts.instances;
  scaled.spare = spare;
  scaled.cold_start = *facts.cold_start;
  return money::autoscale(scaled, trace, prefix);
}

void add_scaling(CostItem& item, const CostAnswer& answer, const catalog::Catalog& catalog,
                 const physics::Coefficients& coefficients, bool explained) {
  const CostSubject& subject = item.subject;
  if (item.duty.is_always_on() && item.duty.utilization >= 1) return;
  if (!answer.work || !subject.planned || item.terms.empty() || subject.job->hours) return;
  if (!subject.planned->plan.serving) return;
  const auto start = item.cold_start || item.duty.cold_start_s
                         ? item.cold_start
                         : cold_start(*answer.work, subject.planned->machine, subject.planned->plan,
                                      {*subject.instance, item.terms.front().region->id}, catalog, coefficients);
  ScalingFacts facts{*answer.work, *subject.planned, subject.nodes, item.duty.scale_to_zero, std::nullopt};
  if (item.duty.cold_start_s)
    facts.cold_start = seconds(*item.duty.cold_start_s);
  else if (start)
    facts.cold_start = start->total();
  item.scaling = scaling_of(facts, explained ? &item.trace : nullptr, "autoscaling");
}

}  // namespace gpusel::answer
