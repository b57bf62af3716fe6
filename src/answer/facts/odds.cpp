#include "answer/facts/odds.hpp"

#include <algorithm>
#include <cmath>

#include "answer/facts/candidates.hpp"
#include "answer/facts/stops.hpp"
#include "physics/chance.hpp"
#include "physics/planner/serving.hpp"
#include "physics/planner/targets.hpp"

namespace gpusel::answer {

namespace {

using catalog::Number;
using job::Job;

/// One of the equal groups that a service is laid out on, with its share of the traffic.
Number chance_to_serve(const Job& work, const PlannedMachine& planned, const physics::Coefficients& c) {
  if (!planned.plan.serving || !(work.inference.request_rate || physics::has_targets(work.inference))) return {};
  Job share = work;
  const auto [group, layout] = one_group(planned);
  physics::Plan plan = planned.plan;
  plan.layout = layout;
  if (share.inference.request_rate) *share.inference.request_rate /= planned.working;
  return physics::chance_to_hold(share, group, plan, c);
}

Number chance_of_demand(const Job& work, const physics::Plan& plan, const physics::Interval& rate) {
  if (!work.counted || !work.counted->demand || plan.rate <= 0 || rate.low <= 0) return {};
  return physics::Likely::between(rate).chance_of(*work.counted->demand);
}

Number chance_of_deadline(const Question& question, const Job& work, const PlannedMachine& planned,
                          const physics::Interval& rate, const physics::Coefficients& c) {
  const auto& deadline = question.constraints.deadline_hours;
  if (!deadline || !work.ends() || planned.plan.rate <= 0 || rate.low <= 0) return {};
  const physics::Likely speed = physics::Likely::between(rate);
  return physics::chance_up_to([&](double slow) {
    const auto hours = expected_hours(work, planned.machine, planned.plan, speed.at(-slow), c);
    return hours && money::elapsed_hours(*hours, question.duty) <= *deadline;
  });
}

}  // namespace

Number chance_of_targets(const Question& question, const Job& work, const PlannedMachine& planned,
                         const physics::Coefficients& c) {
  const physics::Interval rate = physics::intervals_for(work, planned.machine, planned.plan, c).rate;
  Number least;
  for (const Number& chance : {chance_to_serve(work, planned, c), chance_of_demand(work, planned.plan, rate),
                               chance_of_deadline(question, work, planned, rate, c)})
    if (chance) least = std::min(*chance, least.value_or(1));
  return least;
}

physics::Interval cost_interval(const money::Quote& quote, const CostRange* range) {
  if (!std::isfinite(quote.total) || quote.total <= 0 || quote.rate <= 0) return {};
  if (range != nullptr && (range->fast.outlasts || range->slow.outlasts)) return {};
  const physics::Likely speed = range != nullptr ? physics::Likely::between({range->fast.total, range->slow.total})
                                                 : physics::Likely{quote.total, 0};
  // The price is often what it was, and more often higher than lower: its sides differ.
  const auto side = [&](double end) {
    const double price = end > 0 && quote.today.mid > 0 ? std::log(end / quote.today.mid) : 0;
    return std::hypot(price, kNinetyPercent * speed.spread);
  };
  const double middle = speed.median * quote.today.mid / quote.rate;
  // A price that drifts is rarely still what was published; the total, at that price, is one of the outcomes.
  return {std::min(quote.total, middle * std::exp(-side(quote.today.low))),
          std::max(quote.total, middle * std::exp(side(quote.today.high)))};
}

Number chance_of_budget(const Question& question, const Job& work, const physics::Interval& cost) {
  if (!question.constraints.budget || !work.ends() || cost.low <= 0) return {};
  return physics::Likely::between(cost).chance_within(*question.constraints.budget);
}

}  // namespace gpusel::answer
