// Rules: a condition over facts, an effect, a message, a source. They come from data/rules/*.yaml
// and from the user's own files, and are data: no rule is code.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/io/document.hpp"
#include "base/values/enum.hpp"
#include "base/values/error.hpp"
#include "rules/facts.hpp"

namespace gpusel {

namespace catalog {
class Catalog;
}

namespace rules {

enum class Effect : std::uint8_t { reject, warn, note, adjust };

/// What a rule says of how a plan fits into memory: the gravest of those that fire is the verdict.
enum class FitVerdict : std::uint8_t { fits, tight, may_not_fit, does_not_fit };

enum class Operator : std::uint8_t { is, is_not, in, not_in, below, at_most, above, at_least, matches, known };

class Pattern;

/// Right-hand side of a comparison: a number, texts, or another fact times a factor.
struct Operand {
  double number = 0;
  std::vector<std::string> texts;
  std::optional<Fact> fact;
  double times = 1;
};

/// A tree of all, any and not over comparisons. Unknown facts make a comparison unknown, and a rule
/// fires only on a condition that is certainly true.
struct Condition {
  enum class Kind : std::uint8_t { all, any, negation, comparison } kind = Kind::all;
  std::vector<Condition> parts;  // of all, any, not

  Fact fact = Fact::task;
  Operator op = Operator::is;
  Operand operand;
  bool or_unknown = false;                 // an unknown fact counts as true
  std::shared_ptr<const Pattern> pattern;  // of the operand's text
};

struct Rule {
  std::string id;
  Effect effect = Effect::note;
  double points = 0;  // of adjust
  Condition when;
  std::string message;  // with {fact} placeholders
  std::string source;
  std::string advice = {};    // what whoever meets it can do; may be empty
  std::string in_brief = {};  // what excludes, in a list of reasons; empty: the words of its id
  Stage stage = Stage::job;   // of its last fact
  FitVerdict fit = FitVerdict::fits;
};

/// What a rule says of a candidate.
struct Verdict {
  const Rule* rule = nullptr;
  std::string message;
};

/// Rules out of the documents that have a `rules` section; a later document's rule replaces an
/// earlier one's of the same id.
/// Errors: unknown facts and keys, wrong types, duplicate ids, with file:line:column.
std::expected<std::vector<Rule>, Errors> read_rules(std::span<const Document> documents);

/// The catalogue's.
std::expected<std::vector<Rule>, Errors> read_rules(const catalog::Catalog& catalog);

/// Adds a user's own file of rules; one with the id of an earlier rule takes its place.
/// Errors as above, and any other section. `rules` is untouched then.
[[nodiscard]] Errors add_rule_file(const Document& file, std::vector<Rule>& rules);

bool fires(const Rule& rule, const Facts& facts);
Verdict verdict(const Rule& rule, const Facts& facts);

/// A condition as it would be typed: 'task in (pretrain, finetune) && memory_used_share > 0.97'.
std::string condition_text(const Condition& condition);
/// The facts a condition speaks of with their values: 'memory_used_share = 0.98'; the unknown ones as that.
std::string substituted(const Condition& condition, const Facts& facts);

/// The latest stage that any fact of a condition needs.
Stage stage_of(const Condition& condition);
/// Every fact a condition speaks of.
FactSet facts_in(const Condition& condition);

// Conditions built in code, for limits given on the command line.
Condition compare(Fact fact, Operator op, double number, bool or_unknown = true);
Condition compare(Fact fact, Operator op, std::vector<std::string> texts, bool or_unknown = true);
/// A regular expression (RE2: linear time, whatever the pattern).
Result<Condition> match(Fact fact, const std::string& pattern);
Condition negate(Condition condition);
Condition any_of(std::vector<Condition> parts);
Condition all_of(std::vector<Condition> parts);
Rule reject_when(std::string id, Condition when, std::string message);

}  // namespace rules

template <>
inline constexpr auto enum_names<rules::Effect> = std::to_array<std::string_view>({"reject", "warn", "note", "adjust"});
template <>
inline constexpr auto enum_names<rules::FitVerdict> =
    std::to_array<std::string_view>({"fits", "tight", "may-not-fit", "does-not-fit"});
template <>
inline constexpr auto enum_names<rules::Operator> = std::to_array<std::string_view>(
    {"is", "is_not", "in", "not_in", "below", "at_most", "above", "at_least", "matches", "known"});
template <>
inline constexpr auto enum_names<rules::FactType> = std::to_array<std::string_view>({"number", "text", "boolean"});
template <>
inline constexpr auto enum_names<rules::Stage> = std::to_array<std::string_view>({"job", "instance", "plan", "offer"});

}  // namespace gpusel
