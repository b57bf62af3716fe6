#include "answer/facts/limits.hpp"

#include <algorithm>
#include "base/words/message.hpp"

namespace gpusel::answer {

Result<LimitSet> LimitSet::of(const job::Constraints& limits, const catalog::Catalog& catalog) {
  auto rules = job::limit_rules(limits, catalog);
  if (!rules) return std::unexpected(rules.error());
  if (std::string clash = job::contradiction(limits, catalog); !clash.empty())
    return std::unexpected(Error{ErrorKind::unsatisfied, std::move(clash), {}, {}});
  LimitSet set;
  set.rules_ = std::move(*rules);
  for (const rules::Rule& rule : set.rules_) set.facts_ |= rules::facts_in(rule.when);
  return set;
}

bool is_of_age(const rules::Rule& rule) {
  const auto* limit = job::find_limit(rule.id);
  return limit != nullptr && limit->also.of_age;
}

bool LimitSet::about_offers() const {
  return std::ranges::find(rules_, rules::Stage::offer, &rules::Rule::stage) != rules_.end();
}

const rules::Rule* LimitSet::against(const InstanceView& instance) const {
  rules::Facts facts;
  instance_facts(facts, instance, facts_);
  return against(facts);
}

const rules::Rule* LimitSet::against(const rules::Facts& instance) const {
  const auto first = std::ranges::find_if(rules_, [&](const rules::Rule& rule) {
    return rule.stage != rules::Stage::offer && rules::fires(rule, instance);
  });
  return first == rules_.end() ? nullptr : &*first;
}

std::string unpriced_note(std::string_view term, std::string_view sellers) {
  return say("sold as {}, but the prices are not on record: {}", term, sellers);
}

}  // namespace gpusel::answer
