// What something costs in ten seconds: the sum, what it is made of, and from when another term is cheaper.
#pragma once

#include "answer/cost/break_even.hpp"
#include "show/document/document.hpp"

namespace gpusel::show {

/// One item. `found`: null where break-evens were not asked for.
Document cost_brief(const answer::CostItem& item, const answer::CostAnswer& answer, const answer::BreakEvens* found);

}  // namespace gpusel::show
