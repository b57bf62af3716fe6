// What can be demanded of a recommendation: one kind of policy per key. Private to this room.
#pragma once

#include "answer/gate/policy.hpp"
#include "base/io/fields.hpp"

namespace gpusel::answer {

using PolicyJudge = std::function<PolicyVerdict(const PolicySubject&)>;

/// Where a demand is read from.
struct PolicySource {
  Fields& fields;
  const catalog::Catalog& catalog;
  std::vector<std::string> meant = {};  // what broad names stand for, in words
};

struct PolicyKind {
  std::string_view key;
  /// The demand that a node makes; nothing where it was reported as wrong.
  PolicyJudge (*read)(const PolicyKind& kind, PolicySource& source);
  // Of kinds that allow or deny values of one fact.
  rules::Fact fact = rules::Fact::task;
  bool allows = false;
  /// Values of the fact that a name means.
  Result<std::vector<std::string>> (*values_of)(std::string_view name, const catalog::Catalog& catalog) = nullptr;
  std::string_view message = {};  // with {fact} placeholders, where it is violated
};

std::span<const PolicyKind> all_policy_kinds();

// Demands of a figure.
PolicyJudge read_hourly(const PolicyKind& kind, PolicySource& source);
PolicyJudge read_monthly(const PolicyKind& kind, PolicySource& source);
PolicyJudge read_job_cost(const PolicyKind& kind, PolicySource& source);
PolicyJudge read_headroom(const PolicyKind& kind, PolicySource& source);
PolicyJudge read_fit_probability(const PolicyKind& kind, PolicySource& source);
PolicyJudge read_confidence(const PolicyKind& kind, PolicySource& source);
PolicyJudge read_price_age(const PolicyKind& kind, PolicySource& source);
PolicyJudge read_gpu_providers(const PolicyKind& kind, PolicySource& source);
PolicyJudge read_sku_regions(const PolicyKind& kind, PolicySource& source);

/// rules::RuleSet by a condition that holds where the policy is violated; `say_violated` gives the message then.
PolicyJudge judge_by(rules::Condition violated, std::function<std::string(const PolicySubject&)> say_violated);
/// The message of a rule.
std::string filled_in(std::string_view message, const rules::Facts& facts);

/// What an amount is in another currency; nothing where no rate is known.
std::optional<double> converted(Money money, Currency into, const catalog::Catalog& catalog);

}  // namespace gpusel::answer
