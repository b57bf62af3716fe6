#include "advise/limits.hpp"

#include <algorithm>

namespace gpusel::advise {

Result<LimitSet> LimitSet::of(const workload::Constraints& limits, const catalog::Catalog& catalog) {
  auto rules = workload::limit_rules(limits, catalog);
  if (!rules) return std::unexpected(rules.error());
  if (std::string clash = workload::contradiction(limits, catalog); !clash.empty())
    return std::unexpected(Error{ErrorKind::unsatisfied, std::move(clash), {}, {}});
  LimitSet set;
  for (rules::Rule& rule : *rules) {
    set.facts_ |= rules::facts_in(rule.when);
    const bool of_age = workload::find_limit(rule.id)->also.of_age;
    if (rule.stage == rules::Stage::offer)
      set.offers_.push_back({std::move(rule), of_age});
    else
      set.instances_.push_back(std::move(rule));
  }
  return set;
}

const rules::Rule* LimitSet::against(const InstanceView& instance) const {
  if (instances_.empty()) return nullptr;
  rules::Facts facts;
  instance_facts(facts, instance, facts_);
  return against(facts);
}

const rules::Rule* LimitSet::against(const rules::Facts& instance) const {
  const auto first = std::ranges::find_if(instances_, [&](const auto& rule) { return rules::fires(rule, instance); });
  return first == instances_.end() ? nullptr : &*first;
}

OfferVerdict LimitSet::allows(const OfferView& offer) const {
  auto verdict = OfferVerdict::allowed;
  if (offers_.empty()) return verdict;
  rules::Facts facts;
  offer_facts(facts, offer, facts_);
  for (const OfOffer& one : offers_) {
    if (!rules::fires(one.rule, facts)) continue;
    if (!one.of_age) return OfferVerdict::refused;
    verdict = OfferVerdict::too_old;
  }
  return verdict;
}

}  // namespace gpusel::advise
