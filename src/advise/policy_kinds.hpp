// What can be demanded of a recommendation: one kind of policy per key. Private to this room.
#pragma once

#include "gpusel/advise/policy.hpp"
#include "gpusel/base/fields.hpp"

namespace gpusel::advise {

using PolicyJudge = std::function<PolicyVerdict(const PolicySubject&)>;

struct PolicyKind {
  std::string_view key;
  /// The demand that a node makes; nothing where it was reported as wrong.
  PolicyJudge (*read)(const PolicyKind& kind, Fields& fields, const catalog::Catalog& catalog);
  // Of kinds that allow or deny values of one fact.
  rules::Fact fact = rules::Fact::task;
  bool allows = false;
  /// Values of the fact that a name means.
  Result<std::vector<std::string>> (*values_of)(std::string_view name, const catalog::Catalog& catalog) = nullptr;
  std::string_view message = {};  // with {fact} placeholders, where it is violated
};

std::span<const PolicyKind> all_policy_kinds();

/// Judges by a condition that holds where the policy is violated; `say_violated` gives the message then.
PolicyJudge judge_by(rules::Condition violated, std::function<std::string(const PolicySubject&)> say_violated);
/// The message of a rule.
std::string filled_in(std::string_view message, const rules::Facts& facts);

}  // namespace gpusel::advise
