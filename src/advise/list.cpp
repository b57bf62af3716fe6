#include "gpusel/advise/list.hpp"

#include <algorithm>

#include "advise/candidates.hpp"
#include "advise/limits.hpp"

namespace gpusel::advise {

namespace {

bool none_fires(std::span<const rules::Rule> rules, const rules::Facts& facts, bool offers) {
  return std::none_of(rules.begin(), rules.end(), [&](const rules::Rule& rule) {
    return (rule.stage == rules::Stage::offer) == offers && rules::fires(rule, facts);
  });
}

}  // namespace

Result<std::vector<Listed>> list_instances(const workload::Constraints& constraints, Currency currency, Date today,
                                           const catalog::Catalog& catalog,
                                           const estimate::Coefficients& coefficients) {
  auto rules = limit_rules(constraints, catalog, Defaults::none);
  if (!rules) return std::unexpected(rules.error());
  auto converter = cost::Converter::into(currency, catalog);
  if (!converter) return std::unexpected(converter.error());
  const bool needs_offer = std::any_of(rules->begin(), rules->end(),
                                       [](const rules::Rule& rule) { return rule.stage == rules::Stage::offer; });
  std::vector<Listed> out;
  for (const catalog::Instance& instance : catalog.instances()) {
    rules::Facts facts;
    const auto provider = catalog.provider(instance.provider);
    instance_facts(facts, {instance, provider ? *provider : nullptr, catalog, coefficients});
    if (!none_fires(*rules, facts, false)) continue;
    Listed listed{&instance, nullptr, 0};
    bool on_demand = false;
    for (const catalog::Offer& offer : catalog.offers_of(instance)) {
      const Currency own = catalog.currency_of(offer);
      const auto cost = cost::job_cost({offer.per_hour(), own}, *converter, {1, seconds(3600)});
      if (!cost) continue;
      offer_facts(facts, {offer, *cost, catalog, today});
      if (!none_fires(*rules, facts, true)) continue;
      const bool better_term = offer.term == catalog::Term::on_demand && !on_demand;
      const bool same_term = (offer.term == catalog::Term::on_demand) == on_demand;
      if (listed.offer != nullptr && !better_term && !(same_term && cost->hourly < listed.hourly)) continue;
      on_demand = offer.term == catalog::Term::on_demand;
      listed.offer = &offer;
      listed.hourly = cost->hourly;
    }
    if (listed.offer != nullptr || !needs_offer) out.push_back(listed);
  }
  return out;
}

}  // namespace gpusel::advise
