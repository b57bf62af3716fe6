// A recommendation in ten seconds: the question, what to take, what would be cheaper, and who else does it. Everything
// else is asked for (recommend.hpp).
#pragma once

#include "job/limits/constraints.hpp"
#include "show/job/recommend.hpp"

namespace gpusel::show {

/// For a terminal.
Document brief_page(const answer::Advice& advice, const job::Constraints& limits, const RecommendView& view);

}  // namespace gpusel::show
