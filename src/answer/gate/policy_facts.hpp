// What rules in policy files say of facts, held against the catalogue. Private to this room.
#pragma once

#include "answer/gate/policy.hpp"
#include "base/io/fields.hpp"

namespace gpusel::answer {

/// Texts in a rule's condition that are no value of their fact: a slip would open the gate. With the nearest one.
void check_values(const Node& rule, const catalog::Catalog& catalog, Problems& problems);

bool compares_money(const rules::Condition& condition);
/// The facts with money in that currency; unknown where no rate is known.
rules::Facts in_currency(const PolicySubject& subject, Currency currency, const catalog::Catalog& catalog);

}  // namespace gpusel::answer
