#include "advise/cost_parts.hpp"

namespace gpusel::advise {

void add_scaling(CostItem& item, const CostAnswer& answer, const catalog::Catalog& catalog,
                 const estimate::Coefficients& coefficients, bool explained) {
  const CostSubject& subject = item.subject;
  if (item.duty.is_always_on() && item.duty.utilization >= 1) return;
  if (!answer.work || !subject.planned || item.terms.empty()) return;
  const auto* serving = std::get_if<plan::InferenceChoice>(&subject.planned->choice);
  if (serving == nullptr || !serving->speed || subject.job->hours) return;
  const auto start = item.cold_start
                         ? item.cold_start
                         : cold_start(*answer.work, subject.planned->machine, subject.planned->choice,
                                      {*subject.instance, item.terms.front().region->id}, catalog, coefficients);
  if (!start && !item.duty.cold_start_s) return;
  const double spare = static_cast<double>(answer.work->inference.redundancy);
  cost::Scaled facts;
  facts.in_flight = serving->speed->in_flight / subject.nodes;
  facts.planned_load = answer.work->inference.max_load;
  facts.scale_to_zero = item.duty.scale_to_zero;
  facts.least = 1 + spare;
  facts.most = subject.nodes;
  facts.spare = spare;
  facts.cold_start = item.duty.cold_start_s ? seconds(*item.duty.cold_start_s) : start->total();
  item.scaling = cost::autoscale(facts, explained ? &item.trace : nullptr, "autoscaling");
}

}  // namespace gpusel::advise
