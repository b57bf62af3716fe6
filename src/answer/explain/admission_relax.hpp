// The constraints of a question, each with how to lift it and what of it an instance needs. Private to this room.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "answer/explain/admission.hpp"
#include "answer/facts/candidates.hpp"
#include "job/limits/limits.hpp"

namespace gpusel::answer {

/// What is known of an instance that is ranked with a constraint lifted.
struct Lifted {
  const Question& asked;
  const Recommendation& as;
  const rules::Facts& facts;
};

struct Relaxation {
  std::string rule;                                              // that it lifts: the flag without dashes
  std::function<void(Question& to, const Question& from)> copy;  // what the flag set
  /// The flag with what the instance needs; without a value where only leaving it out will do.
  std::function<Change(const Lifted& lifted)> need;
  bool replaces = false;  // a list whose values go when others are set
  /// The number that was asked for, where values between it and what was needed may do: another plan meets them.
  std::function<std::optional<double>(const Question& question)> asked = nullptr;
};

/// Every limit of the command line that rejects by its own rule.
std::span<const Relaxation> limit_relaxations();
/// Targets and counts that a plan has to meet.
std::span<const Relaxation> plan_relaxations();
/// What of a plan was pinned: `rule` is the key of the request.
std::span<const Relaxation> pins();

/// A number that was asked for, on its way to one that is known to do.
struct Yielded {
  Change* change;
  double asked;
  double enough;
  std::string unit;

  /// `share` 0: as asked, 1: as is enough.
  void set(double share) const { change->value = job::at_most(asked + (enough - asked) * share) + unit; }
};
/// Nothing where the limit is no such number, or the change asks for less.
std::optional<Yielded> yielded_by(const Relaxation& limit, Change& change, const Question& asked);
/// As little as passes, of all alike, by halving.
void halve(std::span<Yielded> yielded, const std::function<bool()>& passes);

/// Null: no such limit.
const Relaxation* find_relaxation(std::string_view rule);

/// The question without any of these constraints, to copy from.
const Question& unbounded();

/// Sets a flag's value as the command line would. False: it cannot be set.
bool set_flag(Question& question, const Change& change);

}  // namespace gpusel::answer
