// Parts of a rule looked at by themselves, for who must know more than whether it fires.
#pragma once

#include <optional>

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

}  // namespace gpusel::rules
