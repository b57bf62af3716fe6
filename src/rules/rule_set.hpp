// Rules that are judged together, and parts of a rule looked at by themselves.
#pragma once

#include <optional>
#include <vector>

#include "rules/rule.hpp"

namespace gpusel::rules {

/// Whether a condition is true; nothing where that hangs on what is not known.
std::optional<bool> holds(const Condition& condition, const Facts& facts);

/// Whether the rule can fire yet when only the facts of the stages up to `known` are settled, whatever the others are.
bool may_fire(const Rule& rule, const Facts& facts, Stage known);

/// Every fact that the rule's message shows.
FactSet facts_shown(const Rule& rule);

/// The condition without the parts that those facts have decided and that decide nothing: as true as it is.
Condition left_open(const Condition& condition, const Facts& facts, Stage known);

class RuleSet {
 public:
  /// What the job leaves open of the rule is judged from now on.
  void add(const Rule& rule, const Facts& job);

  const Rule* first_to_fire(const Facts& known) const;

  const std::vector<const Rule*>& rules() const { return rules_; }
  /// Those that what is open speaks of.
  const FactSet& facts() const { return facts_; }

 private:
  std::vector<const Rule*> rules_;
  std::vector<Condition> open_;
  FactSet facts_;
};

}  // namespace gpusel::rules
