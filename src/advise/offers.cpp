// What instances of a shape cost with a plan, and under which offer: all that is asked once for each of a million.
#include <algorithm>
#include <limits>

#include "advise/search.hpp"
#include "gpusel/base/message.hpp"
#include "gpusel/base/number.hpp"

namespace gpusel::advise {

namespace {

using catalog::Instance;
using rules::Fact;
using rules::Facts;
using rules::Rule;

/// In the answer's currency, from one that is named by its code (USD where none is); nothing for unknown ones.
std::optional<double> in_answer_currency(double amount, std::string_view currency, const cost::Converter& converter) {
  const auto code = Currency::parse(currency.empty() ? Currency::usd().code() : currency);
  const cost::Exchange* exchange = code ? converter.exchange(*code) : nullptr;
  return exchange != nullptr ? std::optional(amount * exchange->rate) : std::nullopt;
}

/// Whether the job costs more under `one` than under `other` of the same instance, whatever the job is: sold alike, for
/// a price that is higher by more than rounding.
bool surely_dearer(const catalog::Offer& one, const catalog::Offer& other) {
  return one.term == other.term && one.currency == other.currency &&
         one.per_hour() > kMoreThanRounding * other.per_hour();
}

/// Price of one gigabyte in the first tier that is paid.
std::optional<double> first_tier(const catalog::Egress& egress) {
  for (const std::string_view tier : egress.tiers) {
    const auto price = plain_number(tier.substr(tier.find('=') + 1));
    if (price && *price > 0) return price;
  }
  return std::nullopt;
}

}  // namespace

/// Instances of a shape lie far apart in a large catalogue, and so do their offers: those to come are fetched from
/// memory while others are judged.
void CandidateSearch::fetch_ahead(const Shape& shape, std::size_t place) const {
  constexpr std::size_t kAhead = 8;
  const auto instances = context_.catalog.instances();
  if (place + 2 * kAhead >= shape.instances.size()) return;
  __builtin_prefetch(&instances[shape.instances[place + 2 * kAhead]].first_offer);
  const auto offers = context_.catalog.offers_of(instances[shape.instances[place + kAhead]]);
  for (std::size_t i = 0; i < std::min(kAhead, offers.size()); i += 2) __builtin_prefetch(&offers[i]);
}

void CandidateSearch::offer_shape(const Shape& shape, Planned planned_machine, std::vector<Recommendation>& out) {
  const auto plan = std::make_shared<const Planned>(std::move(planned_machine));
  const Used used = use_of(*plan);
  const std::span<const double> cheapest = context_.ceiling ? cheapest_hours() : std::span<const double>();
  const double dearest = context_.ceiling ? dearest_hour(used) : 0;
  const auto cheap_enough = [&](std::uint32_t index) {
    if (!context_.ceiling) return true;
    return cheapest[index] <= dearest && below_ceiling(context_.catalog.instances()[index], used);
  };
  if (std::ranges::none_of(shape.instances, cheap_enough)) return;
  const rules::FactSet wanted = by_plan_.facts() | by_offer_.facts() | adjusting_.facts();
  const bool shared = InstanceKinds::share(wanted);
  const auto kinds = all_kinds();
  std::uint32_t judged = kNoKind;  // that the facts are of
  const Rule* fell_by = nullptr;
  Facts facts = job_;
  plan_facts(facts, work_, plan->machine, plan->choice);
  for (std::size_t place = 0; place < shape.instances.size(); ++place) {
    fetch_ahead(shape, place);
    const std::uint32_t index = shape.instances[place];
    const Instance& instance = context_.catalog.instances()[index];
    if (!cheap_enough(index)) continue;
    const std::uint32_t kind = shared && index < kinds.size() ? kinds[index] : kNoKind;
    if (kind == kNoKind || kind != judged) {
      judged = kind;
      instance_facts(facts, view_of(instance), wanted);
      fell_by = by_plan_.first_to_fire(facts);
    }
    if (fell_by != nullptr)
      reject(*fell_by, view_of(instance), facts);
    else if (const auto best = best_offer(instance, used, facts))
      out.push_back(candidate(*best, instance, plan, facts));
  }
}

CandidateSearch::Used CandidateSearch::use_of(const Planned& planned) const {
  const double rate = plan::rate_of(planned.choice);
  Used used{
      planned, {planned.machine.nodes, seconds(kHoursPerMonth * 3600), plan::tokens_per_s(planned.choice)}, false};
  if (const auto duration = duration_of(work_, rate)) {
    used.usage.duration = *duration;
    used.ends = true;
  }
  if (work_.counted) {
    const workload::Unit& unit = work_.counted->unit;
    used.usage.units_per_hour = unit.priced_per_hour(std::min(rate, work_.counted->demand.value_or(rate)));
    used.usage.unit = unit.priced;
  }
  return used;
}

std::optional<cost::JobCost> CandidateSearch::cost_of(const catalog::Offer& offer, const Used& used) const {
  cost::Usage usage = used.usage;
  if (used.ends) usage.period = cost::subscription_period(offer.term);
  if (work_.counted && !add_licence(usage, offer, used.planned)) return std::nullopt;
  auto cost = cost::job_cost({offer.per_hour(), context_.catalog.currency_of(offer)}, context_.converter, usage);
  if (cost && work_.counted) add_egress(*cost, offer, used.planned);
  return cost;
}

bool CandidateSearch::add_licence(cost::Usage& usage, const catalog::Offer& offer, const Planned& planned) const {
  const Instance& instance = context_.catalog.instances()[offer.instance];
  if (!work_.counted->needs_workstation || instance.workstation_licence != catalog::Licence::surcharge) return true;
  if (!instance.workstation_per_gpu_hour) return false;
  const double each = *instance.workstation_per_gpu_hour * planned.machine.gpus_per_node;
  const auto licence = in_answer_currency(each, instance.workstation_currency, context_.converter);
  usage.licence_per_hour = licence.value_or(0);
  return licence.has_value();
}

void CandidateSearch::add_egress(cost::JobCost& cost, const catalog::Offer& offer, const Planned& planned) const {
  if (!work_.counted->sends_traffic()) return;
  const catalog::Region& region = context_.catalog.region_of(offer);
  const catalog::Egress* egress = context_.catalog.egress_of(region.provider, region.id);
  const auto per_gb = egress != nullptr ? first_tier(*egress) : std::nullopt;
  if (!per_gb) return;
  const double rate = plan::rate_of(planned.choice);
  const double gb_per_hour =
      work_.counted->egress_mbps * std::min(rate, work_.counted->demand.value_or(rate)) * 3600 / 8 / 1000;
  cost.egress_hourly = in_answer_currency(*per_gb * gb_per_hour, egress->currency, context_.converter);
}

bool CandidateSearch::below_ceiling(const Instance& instance, const Used& used) const {
  std::array<const catalog::Offer*, enum_names<catalog::Term>.size()> above{};  // of each term the last that is
  const bool bars = bars_terms();
  for (const catalog::Offer& offer : context_.catalog.offers_of(instance)) {
    const catalog::Offer*& other = above[static_cast<std::size_t>(offer.term)];
    if ((bars && is_barred(offer.term)) || (other != nullptr && surely_dearer(offer, *other))) continue;
    const auto cost = cost_of(offer, used);
    if (!cost) continue;
    if (cost_measure(*cost, work_) <= *context_.ceiling) return true;
    other = &offer;
  }
  return false;
}

/// Whether every offer on these terms falls, whatever else is true of it and of the job.
bool CandidateSearch::is_barred(catalog::Term term) const {
  auto& known = barred_[static_cast<std::size_t>(term)];
  if (known) return *known;
  rules::FactSet of_term;
  of_term.set(Fact::term);
  Facts facts;
  facts.set(Fact::term, to_text(term));
  known = std::ranges::any_of(by_offer_.rules(), [&](const Rule* rule) {
    return rules::facts_in(rule->when) == of_term && rules::fires(*rule, facts);
  });
  return *known;
}

/// The cheapest offer that every rule lets pass; otherwise the first reason of the cheapest.
std::optional<CandidateSearch::Priced> CandidateSearch::best_offer(const Instance& instance, const Used& used,
                                                                   Facts& facts) {
  const catalog::Catalog& catalog = context_.catalog;
  const auto by_price = [&](const Priced& a, const Priced& b) {
    return std::pair(a.cost.total, catalog.region_of(*a.offer).id) <
           std::pair(b.cost.total, catalog.region_of(*b.offer).id);
  };
  std::optional<Priced> best;
  std::optional<Priced> fallen;
  const Rule* first_rule = nullptr;
  for (const catalog::Offer& offer : catalog.offers_of(instance)) {
    if (best && (is_barred(offer.term) || surely_dearer(offer, *best->offer))) continue;
    const auto cost = cost_of(offer, used);
    if (!cost) continue;
    const Priced priced{&offer, *cost};
    if (best && !by_price(priced, *best)) continue;
    offer_facts(facts, {offer, *cost, catalog, context_.question.today}, by_offer_.facts());
    const Rule* rule = by_offer_.first_to_fire(facts);
    if (rule == nullptr) {
      best = priced;
    } else if (!fallen || rule > first_rule || (rule == first_rule && by_price(priced, *fallen))) {
      fallen = priced;
      first_rule = rule;
    }
  }
  if (best) return best;
  if (first_rule != nullptr) {
    offer_facts(facts, {*fallen->offer, fallen->cost, catalog, context_.question.today},
                rules::facts_shown(*first_rule));
    reject(*first_rule, view_of(instance), facts);
  } else {
    reject(instance, {"no-exchange-rate", [] { return say("no exchange rate for its currency"); }});
  }
  return std::nullopt;
}

Recommendation CandidateSearch::candidate(const Priced& priced, const Instance& instance,
                                          const std::shared_ptr<const Planned>& plan, Facts& facts) const {
  Recommendation out;
  out.instance = &instance;
  out.gpu = plan->machine.device.gpu;
  out.offer = priced.offer;
  out.region = &context_.catalog.region_of(*priced.offer);
  out.cost = priced.cost;
  out.planned = plan;
  if (adjusting_.rules().empty()) return out;
  offer_facts(facts, {*priced.offer, priced.cost, context_.catalog, context_.question.today}, adjusting_.facts());
  for (const Rule* rule : adjusting_.rules())
    if (rules::fires(*rule, facts)) out.parts.push_back({rule->id, rule->points / 100, 1, rule->points});
  return out;
}

}  // namespace gpusel::advise
