// A condition judged by itself, for who must know more than whether a rule fires.
#pragma once

#include <optional>

#include "gpusel/rules/rule.hpp"

namespace gpusel::rules {

/// Whether a condition is true; nothing where that hangs on what is not known.
std::optional<bool> holds(const Condition& condition, const Facts& facts);

/// Whether the rule can fire yet when only the facts of the stages up to `known` are settled, whatever the others are.
bool may_fire(const Rule& rule, const Facts& facts, Stage known);

}  // namespace gpusel::rules
