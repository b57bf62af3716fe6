// What differs between two locks: rows, facts and versions, and which fact moves the answer.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/values/enum.hpp"
#include "show/document/document.hpp"
#include "show/gate/lock_facts.hpp"

namespace gpusel {

namespace show {

enum class RowChange : std::uint8_t { appeared, vanished, moved, changed };
/// What setting a fact back changes in today's answer, the most that it does; together: with others so marked, none of
/// which does it alone.
enum class FactEffect : std::uint8_t { best, together, cost, ranking, nothing };

struct RowDifference {
  RowChange change = RowChange::changed;
  Json before;             // a row of the ranking; null: none
  Json after;              // of today's
  std::string why;         // the rule that dropped it, or let it through again
  bool facts_kept = true;  // whether the first lock has the facts of its instance
};

struct FactDifference {
  FactChange fact;
  std::optional<FactEffect> effect;  // nothing: not replayed
  Json without;                      // the best row with this fact set back; null: none, or not replayed
};

struct VersionDifference {
  std::string what;  // "gpusel", "today", "catalog", "calibration", "rules", "file own.yaml"
  std::string before;
  std::string after;
};

/// Words that only one of two questions has: "--cloud aws".
struct QuestionDifference {
  std::vector<std::string> only_before;
  std::vector<std::string> only_after;

  bool empty() const { return only_before.empty() && only_after.empty(); }
};

struct LockDifference {
  Json before;  // both locks
  Json after;
  std::vector<RowDifference> rows;
  std::vector<FactDifference> facts;  // those that move the answer first
  std::vector<VersionDifference> versions;
  std::optional<bool> explained;  // whether all facts set back give the locked answer; nothing: not replayed
  bool asked_again = false;       // the second is the first one's question, asked today

  QuestionDifference question;

  bool empty() const { return rows.empty(); }
  /// Whether the costs of both are of the same unit of work.
  bool same_unit() const { return before["cost_unit"] == after["cost_unit"]; }
  bool best_changed() const;
  /// Of the best row's cost per unit of work (else in all), as a share of what it was; nothing where either has
  /// none, or another unit.
  std::optional<double> cost_change() const;
};

/// Without any replay.
LockDifference compare_locks(Json before, Json after);
/// What the ranking `with` does to that of `today`.
FactEffect effect_of(const Json& today, const Json& with);
/// But for facts: catalogues, overlays, rules and own prices are told by their hashes.
QuestionDifference question_difference(const Json& before, const Json& after);
/// Whether two rankings say the same of their best rows.
bool same_best(const Json& a, const Json& b);
/// Puts facts of instances that a lock did not keep beside its own: `then` is of the same catalogue.
void add_facts(Json& lock, const Json& then);
/// Whether a lock has the facts of a row's instance.
bool keeps_facts(const Json& lock, const Json& row);
/// The facts of a lock with the prices that its ranking tells.
Json known_facts(const Json& lock);

Json lock_diff_json(const LockDifference& difference, int status);
/// Every difference in a row.
Table lock_diff_table(const LockDifference& difference);
Document lock_diff_page(const LockDifference& difference, bool all);

}  // namespace show

template <>
inline constexpr auto enum_names<show::RowChange> =
    std::to_array<std::string_view>({"appeared", "vanished", "moved", "changed"});
template <>
inline constexpr auto enum_names<show::FactEffect> =
    std::to_array<std::string_view>({"best", "together", "cost", "ranking", "nothing"});

}  // namespace gpusel
