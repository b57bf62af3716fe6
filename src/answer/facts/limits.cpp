#include "answer/facts/limits.hpp"

#include <algorithm>
#include <array>
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

Result<LimitSet> LimitSet::of(const job::Constraints& limits, const catalog::Catalog& catalog) {
  auto rules = job::limit_rules(limits, catalog);
  if (!rules) return std::unexpected(rules.error());
  if (std::string clash = job::contradiction(limits, catalog); !clash.empty())
    return std::unexpected(Error{ErrorKind::unsatisfied, std::move(clash), {}, say("change or remove one of them")});
  LimitSet set;
  set.rules_ = std::move(*rules);
  for (const rules::Rule& rule : set.rules_) set.facts_ |= rules::facts_in(rule.when);
  return set;
}

job::Constraints of_named(job::Constraints limits) {
  if (limits.market) return limits;
  limits.market = true;
  limits.assumed.push_back(job::find_limit("market")->option.key);
  return limits;
}

std::vector<std::string> excluding_pairs(const job::Constraints& asked, std::span<const rules::Rule> limits,
                                         const catalog::Catalog& catalog, const physics::Coefficients& coefficients,
                                         Date today) {
  struct Met {
    const job::Limit* limit;
    std::vector<const rules::Rule*> rules;
    std::vector<bool> by = {};  // each offer
    bool by_any() const { return std::ranges::find(by, true) != by.end(); }
  };
  std::vector<Met> all;
  rules::FactSet wanted;
  for (const job::Limit* limit : job::judged_limits()) {
    if (!limit->is_given(asked) || limit->on.subject > job::Subject::offer) continue;
    Met one{limit, {}};
    for (const rules::Rule& rule : limits)
      if (rule.id == limit->id()) one.rules.push_back(&rule);
    for (const rules::Rule* rule : one.rules) wanted |= rules::facts_in(rule->when);
    if (!one.rules.empty()) all.push_back(std::move(one));
  }
  for (const catalog::Instance& instance : catalog.instances()) {
    rules::Facts facts;
    const auto provider = catalog.provider(instance.provider);
    instance_facts(facts, {instance, provider ? *provider : nullptr, catalog, coefficients}, wanted);
    for (const catalog::Offer& offer : catalog.offers_of(instance)) {
      offer_facts(facts, {offer, money::Quote{}, catalog, today}, wanted);
      for (Met& one : all)
        one.by.push_back(
            std::ranges::none_of(one.rules, [&](const rules::Rule* rule) { return rules::fires(*rule, facts); }));
    }
    // What is sold on the term at a price that nobody wrote down meets it all the same.
    const std::size_t offers = catalog.offers_of(instance).size();
    if (provider &&
        std::ranges::any_of(asked.terms, [&](const auto& term) { return (*provider)->sells_unpriced(term); }))
      for (Met& one : all) {
        const auto last = one.by.end() - static_cast<std::ptrdiff_t>(offers);
        one.by.push_back(one.limit->id() == "term" || std::find(last, one.by.end(), true) != one.by.end());
      }
  }
  std::vector<std::string> pairs;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const auto &a = all[j].by, &b = all[i].by;
      bool both = false;
      for (std::size_t k = 0; k < a.size(); ++k) both = both || (a[k] && b[k]);
      if (!both && all[i].by_any() && all[j].by_any())
        pairs.push_back(job::exclude_each_other(all[j].limit->typed(asked), all[i].limit->typed(asked)));
    }
  return pairs;
}

std::string sizing_note(const job::Request& request) {
  if (!request.redundancy && !request.max_load) return {};
  return say("redundancy and max_load choose instances (gpusel recommend); this is what the machine itself does");
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

namespace {

std::string unpriced_of(std::string_view term, std::string_view sellers, bool several) {
  return several ? say("{} also sell {}, but no prices are recorded", sellers, say_name(term))
                 : say("{} also sells {}, but no prices are recorded", sellers, say_name(term));
}

}  // namespace

std::string unpriced_note(std::string_view term, std::span<const std::string_view> sellers) {
  return unpriced_of(term, join_texts(sellers, say_name(", ")), sellers.size() > 1);
}

bool is_unpriced_note(std::string_view note, std::string_view term) {
  static constexpr std::string_view kSellers = "\x01";
  return std::ranges::any_of(std::array{false, true}, [&](bool several) {
    const std::string form = unpriced_of(term, kSellers, several);
    const auto at = form.find(kSellers);
    return at != std::string::npos && note.starts_with(form.substr(0, at)) &&
           note.ends_with(form.substr(at + kSellers.size()));
  });
}

}  // namespace gpusel::answer
