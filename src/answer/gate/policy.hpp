// A gate for pipelines: what an organisation allows, as data, judged over a recommendation. Each policy passes, fails
// or cannot be judged because a fact is unknown; what follows from that is for the caller.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "answer/search/recommend.hpp"
#include "base/io/document.hpp"

namespace gpusel {

namespace answer {

enum class PolicySeverity : std::uint8_t { error, warning, note };
/// audit: findings are told and fail nothing.
enum class PolicyMode : std::uint8_t { enforce, audit };
enum class PolicyOutcome : std::uint8_t { pass, fail, unknown };
/// What a policy that cannot be judged means.
enum class UnknownFact : std::uint8_t { fail, allow };

/// One recommendation as policies see it, fresh or out of a saved answer.
struct PolicySubject {
  int rank = 1;
  std::string provider, sku, region;
  Currency currency;                  // of the facts about money
  rules::Facts facts;                 // their texts are of the catalogue or of `keeper`
  const catalog::Gpu* gpu = nullptr;  // null: none, or not in the catalogue
  Date priced;                        // unknown: no date, or one to come
  std::string price_source;
  std::shared_ptr<const void> keeper = {};
};

struct PolicyVerdict {
  PolicyOutcome outcome = PolicyOutcome::pass;
  std::string message;
  // Of what does not pass, where a comparison of facts decides.
  std::string condition;  // that is violated where it holds, as it would be typed
  std::string facts;      // its facts with their values
};

struct Policy {
  std::string id;
  std::string kind;   // its key, or "rule"
  std::string limit;  // as the file says it
  std::string reason;
  std::string url;  // of a page about it
  PolicySeverity severity = PolicySeverity::error;
  UnknownFact unknown = UnknownFact::fail;
  PolicyMode mode = PolicyMode::enforce;  // of its file
  std::string file;
  bool has_path = true;  // false: `file` is only what messages call it
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::vector<std::string> meant;  // what broad names in it stand for, in words
  std::function<PolicyVerdict(const PolicySubject&)> judge;
};

/// Adds the policies of one file. They keep pointers to `catalog`.
/// Errors: unknown keys and names, wrong types, an id that another policy has; all with file:line:column.
[[nodiscard]] Errors add_policies(const Document& file, const catalog::Catalog& catalog, std::vector<Policy>& policies);

/// A policy that was judged on one recommendation.
struct PolicyResult {
  const Policy* policy = nullptr;
  const PolicySubject* subject = nullptr;
  PolicyVerdict verdict;

  /// Fails, or cannot be judged where that counts as failing.
  bool is_finding() const;
  /// A finding that makes the gate fail.
  bool blocks() const;
};

/// Every policy on every subject, in the order of the subjects; points into both.
std::vector<PolicyResult> judge(std::span<const Policy> policies, std::span<const PolicySubject> subjects);

/// A fresh recommendation; it points into `advice` and `catalog`.
PolicySubject policy_subject(const Recommendation& one, const Advice& advice, const Question& question,
                             const catalog::Catalog& catalog, const physics::Coefficients& coefficients);

/// The recommendations of an answer that `recommend` or `lock` wrote, best first. `name` is what messages call it.
/// Errors: no such answer, one that ends early, or a damaged row, with its place.
Result<std::vector<PolicySubject>> saved_subjects(const std::string& content, const std::string& name, Date today,
                                                  const catalog::Catalog& catalog,
                                                  const physics::Coefficients& coefficients);

}  // namespace answer

template <>
inline constexpr auto enum_names<answer::PolicySeverity> =
    std::to_array<std::string_view>({"error", "warning", "note"});
template <>
inline constexpr auto enum_names<answer::PolicyMode> = std::to_array<std::string_view>({"enforce", "audit"});
template <>
inline constexpr auto enum_names<answer::PolicyOutcome> = std::to_array<std::string_view>({"pass", "fail", "unknown"});
template <>
inline constexpr auto enum_names<answer::UnknownFact> = std::to_array<std::string_view>({"fail", "allow"});

}  // namespace gpusel
