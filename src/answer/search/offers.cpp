// What instances of a shape cost with a plan, and under which offer: all that is asked once for each of a million.
#include <map>
#include <utility>

#include "answer/facts/odds.hpp"
#include "answer/lists/offer_filter.hpp"
#include "answer/search/search.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

using catalog::Instance;
using rules::Fact;
using rules::Facts;
using rules::Rule;

/// What differs by less is as cheap.
constexpr double kAsCheap = 1.001;

Recommendation candidate_of(const Priced& priced, const Instance& instance,
                            const std::shared_ptr<const PlannedMachine>& planned, const catalog::Catalog& catalog) {
  Recommendation out;
  out.instance = &instance;
  out.gpu = planned->machine.on_cpu() ? nullptr : planned->machine.device.gpu;
  out.offer = priced.offer;
  out.region = &catalog.region_of(*priced.offer);
  out.cost = priced.quote;
  out.planned = planned;
  return out;
}

}  // namespace

void CandidateSearch::offer_shape(const Shape& shape, Planned planned, std::vector<Recommendation>& out) {
  const auto few = std::exchange(planned.on_fewest, nullptr);
  const auto many = std::make_shared<const Planned>(std::move(planned));
  if (few == nullptr || !is_by_cost(context_.question.objective)) return offer_plan(shape, many, out);
  // Billing has steps and minimums, so each instance takes whichever number of nodes is cheaper there.
  const bool keeps = std::exchange(keep_rejections_, false);
  std::map<const Instance*, Recommendation> best;
  for (const auto& plan : {many, few}) {
    std::vector<Recommendation> found;
    offer_plan(shape, plan, found);
    for (Recommendation& one : found) {
      const auto [known, fresh] = best.try_emplace(one.instance, one);
      if (!fresh && order_cost(one, work_) * kAsCheap < order_cost(known->second, work_))
        known->second = std::move(one);
    }
  }
  keep_rejections_ = keeps;
  Shape rest = shape;
  std::erase_if(rest.instances, [&](std::uint32_t index) {
    const auto found = best.find(&context_.catalog.instances()[index]);
    if (found != best.end()) out.push_back(std::move(found->second));
    return found != best.end();
  });
  if (keeps && !rest.instances.empty()) offer_plan(rest, many, out);
}

void CandidateSearch::offer_plan(const Shape& shape, const std::shared_ptr<const Planned>& planned,
                                 std::vector<Recommendation>& out) {
  PlanUse use(context_.question, work_, *planned, context_.catalog, context_.coefficients);
  const rules::FactSet wanted = by_plan_.facts() | market_.judges().facts() | adjusting_.facts();
  const bool shared = InstanceKinds::share(wanted);
  std::uint32_t judged = kNoKind;  // that the facts are of
  const Rule* fell_by = nullptr;
  Facts facts = job_;
  plan_facts(facts, work_, planned->machine, planned->plan, context_.question.duty, context_.coefficients);
  for (const std::uint32_t index : shape.instances) {
    const Instance& instance = context_.catalog.instances()[index];
    const std::uint32_t kind = shared && index < kind_of_.size() ? kind_of_[index] : kNoKind;
    if (kind == kNoKind || kind != judged) {
      judged = kind;
      instance_facts(facts, view_of(instance), wanted);
      facts.set(Fact::fit, to_text(judge_fit(fitting_, facts).verdict));
      fell_by = by_plan_.first_to_fire(facts);
    }
    if (fell_by != nullptr)
      reject(*fell_by, view_of(instance), facts);
    else if (const auto best = best_offer(instance, planned, use, facts))
      add(candidate(*best, instance, planned, facts), out);
  }
}

/// In what candidates are ordered by, whatever it does: what is paid beside comes on top.
double CandidateSearch::least_node_cost(const Shape& shape) const {
  double least = std::numeric_limits<double>::infinity();
  for (const std::uint32_t index : shape.instances)
    for (const catalog::Offer& offer : context_.catalog.offers_of(context_.catalog.instances()[index]))
      if (const auto quote = context_.quoter.quote(offer, {.nodes = 1, .duty = &context_.question.duty}))
        least = std::min(least, *quote->instances().month / kHoursPerMonth * quote->order_factor());
  return least;
}

/// A budget is kept with the confidence that is asked for.
void CandidateSearch::add(Recommendation candidate, std::vector<Recommendation>& out) {
  const auto& budget = context_.question.constraints.budget;
  if (budget && work_.ends()) {
    add_intervals(candidate, context_, work_);
    const double chance = candidate.in_budget.value_or(1);
    if (chance < work_.confidence)
      return reject(*candidate.instance, {"budget", [chance, total = candidate.cost.total, budget = *budget] {
                                            return say("costs {}; chance of staying within {}: {}", human_price(total),
                                                       human_price(budget), chance_words(chance));
                                          }});
  }
  out.push_back(std::move(candidate));
}

/// Why what the answer is for cannot have it.
std::string CandidateSearch::not_ordered(const Priced& priced, const Instance& instance,
                                         const std::shared_ptr<const Planned>& planned, Facts& facts) const {
  if (!context_.question.orders) return {};
  const Status ordered = context_.question.orders(work_, candidate(priced, instance, planned, facts));
  return ordered ? std::string() : ordered.error().message;
}

/// The cheapest offer that every rule lets pass; otherwise the first reason of the cheapest.
std::optional<Priced> CandidateSearch::best_offer(const Instance& instance,
                                                  const std::shared_ptr<const Planned>& planned, PlanUse& use,
                                                  Facts& facts) {
  const catalog::Catalog& catalog = context_.catalog;
  const auto by_price = [&](const Priced& a, const Priced& b) {
    const auto key = [&](const Priced& priced) {
      return std::pair(priced.quote.place_order(), catalog.place_among_equals(*priced.offer));
    };
    return key(a) < key(b);
  };
  std::optional<Priced> best, fallen, none;
  const Rule* first_rule = nullptr;
  const OfferFilter* filter = context_.question.passes.get();
  bool filtered = false;
  std::string refused;
  market_.each(instance, std::ref(use), [&](Priced priced) {
    if (filter != nullptr && !filter->passes(instance, *priced.offer, priced.quote.hourly / priced.quote.nodes)) {
      filtered = true;
      return;
    }
    if (is_none(priced)) {
      if (!none) none = std::move(priced);
      return;
    }
    if (best && !by_price(priced, *best)) return;
    const Rule* rule = market_.against(*priced.offer, priced.quote, facts);
    if (rule == nullptr) {
      refused = not_ordered(priced, instance, planned, facts);
      if (refused.empty()) best = std::move(priced);
    } else if (!fallen || rule > first_rule || (rule == first_rule && by_price(priced, *fallen))) {
      fallen = std::move(priced);
      first_rule = rule;
    }
  });
  if (best) return best;
  if (!refused.empty()) {
    reject(instance, {"target", [&] { return refused; }});
  } else if (first_rule != nullptr) {
    offer_facts(facts, {*fallen->offer, fallen->quote, catalog, context_.question.today},
                rules::facts_shown(*first_rule));
    reject(*first_rule, view_of(instance), facts);
  } else if (filtered && !none) {
    reject(instance, {"filter", [] { return say("--filter excludes it"); }});
  } else {
    reject(instance, none ? why_none(*none)
                          : Reason{"no-exchange-rate", [] { return say("no exchange rate for its currency"); }});
  }
  return std::nullopt;
}

/// A surcharge that nobody publishes belongs to the price.
bool CandidateSearch::hides_licence(const Priced& priced) const {
  const Instance& instance = context_.catalog.instances()[priced.offer->instance];
  return priced.quote.lacks("licence") && instance.workstation_licence == catalog::Licence::surcharge;
}

/// What is no offer to the job, whatever the rules say: its price is not known whole, or it ends before the job does.
bool CandidateSearch::is_none(const Priced& priced) const {
  return hides_licence(priced) || priced.quote.outlasts || is_too_short(priced.quote) || is_too_many(priced.quote);
}

/// More instances than the seller is known to rent at once.
bool CandidateSearch::is_too_many(const money::Quote& quote) {
  return quote.billing.most_nodes && quote.nodes > *quote.billing.most_nodes;
}

/// How long the machines are needed: a job to its end, a service for the months that were said.
catalog::Number CandidateSearch::needed_hours(const money::Quote& quote) const {
  if (work_.ends()) return quote.elapsed;
  const auto& months = context_.question.duty.months;
  return months ? catalog::Number(*months * kHoursPerMonth) : catalog::Number();
}

/// What is over long before its commitment is: nobody signs that for it alone.
bool CandidateSearch::is_too_short(const money::Quote& quote) const {
  const money::Commitment& commitment = quote.commitment;
  const auto needed = needed_hours(quote);
  return needed && commitment.is_promise() && !commitment.by_day && *needed * (1 + 1e-9) < commitment.hours;
}

Reason CandidateSearch::why_none(const Priced& priced) const {
  if (hides_licence(priced))
    return {"licence-not-published", [] { return say("the price of its graphics license is not published"); }};
  const money::Quote& quote = priced.quote;
  if (is_too_many(quote))
    return {"more-than-rented", [term = priced.offer->term, most = *quote.billing.most_nodes, nodes = quote.nodes] {
              return say("{} sells at most {} instances at once, and the plan needs {}", to_text(term),
                         human_number(most), human_number(nodes));
            }};
  if (is_too_short(quote))
    return {"commitment-too-long",
            [term = priced.offer->term, committed = quote.commitment.hours, hours = *needed_hours(quote),
             rate = quote.rate / quote.nodes, on_demand = context_.quoter.on_demand_hourly(*priced.offer)] {
              std::string text = say("{} commits you to {}, but it is needed only for {}", to_text(term),
                                     human_duration(seconds(committed * 3600)), human_duration(seconds(hours * 3600)));
              if (on_demand && rate < *on_demand)
                text += say("; it pays off from {:.0f} hours of use a month", rate * kHoursPerMonth / *on_demand);
              return text;
            }};
  return {"term-too-short",
          [term = priced.offer->term, longest = quote.commitment.longest_hours, hours = quote.elapsed] {
            return say("{} ends after {}, and the job takes {}", to_text(term), human_duration(seconds(longest * 3600)),
                       human_duration(seconds(hours * 3600)));
          }};
}

Recommendation CandidateSearch::candidate(const Priced& priced, const Instance& instance,
                                          const std::shared_ptr<const Planned>& planned, Facts& facts) const {
  Recommendation out = candidate_of(priced, instance, planned, context_.catalog);
  if (adjusting_.rules().empty()) return out;
  offer_facts(facts, {*priced.offer, priced.quote, context_.catalog, context_.question.today}, adjusting_.facts());
  for (const Rule* rule : adjusting_.rules())
    if (rules::fires(*rule, facts)) out.parts.push_back({rule->id, rule->points / 100, 1, rule->points});
  return out;
}

catalog::Number chance_in_time(const Question& question, const job::Job& work, const PlannedMachine& planned,
                               Promises* promises, const physics::Coefficients& c) {
  if (promises == nullptr || !planned.plan.serving || !Promises::speak_of(work))
    return chance_of_targets(question, work, planned, c);
  return promises->chance(work, planned);
}

void add_intervals(Recommendation& candidate, const SearchContext& context, const job::Job& work) {
  candidate.intervals = intervals_for(work, candidate.machine(), candidate.plan(), context.coefficients);
  const auto& range = candidate.intervals.rate;
  if (candidate.plan().rate > 0 && range.low > 0) {
    PlanUse use(context.question, work, *candidate.planned, context.catalog, context.coefficients);
    const auto at = [&](double speed) {
      use.set_speed(speed);
      return *context.quoter.quote(*candidate.offer, use(*candidate.offer));
    };
    candidate.cost_range = std::make_shared<const CostRange>(CostRange{at(range.high), at(range.low)});
  }
  const CostRange* of_speed = work.ends() ? candidate.cost_range.get() : nullptr;
  candidate.cost_interval = cost_interval(candidate.cost, of_speed);
  candidate.in_time = chance_in_time(context.question, work, *candidate.planned,
                                     is_simulated(candidate) ? context.promises : nullptr, context.coefficients);
  candidate.in_budget = chance_of_budget(context.question, work, candidate.cost_interval);
}

Recommendation judged(const Priced& priced, const std::shared_ptr<const PlannedMachine>& planned,
                      const SearchContext& context, const job::Job& work) {
  Recommendation out =
      candidate_of(priced, context.catalog.instances()[priced.offer->instance], planned, context.catalog);
  add_remarks(out, context, work);
  add_intervals(out, context, work);
  out.in_time = chance_in_time(context.question, work, *planned, context.promises, context.coefficients);
  return out;
}

}  // namespace gpusel::answer
