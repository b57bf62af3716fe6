// A recommendation in ten seconds: the question, what to take, what would be cheaper, and who else does it. Everything
// else is asked for (recommend.hpp).
#pragma once

#include "job/limits/constraints.hpp"
#include "show/job/recommend.hpp"
#include "show/render/terminal/terminal.hpp"

namespace gpusel::show {

/// What each load takes, where none was given, and what a larger one cannot have.
void add_staircase(Document& page, const answer::Advice& advice);
/// Why a larger load is not served by the machine of the one before, a line each.
std::vector<std::string> staircase_remarks(const answer::Advice& advice);
/// The best of each large cloud that has no row; empty: all have one.
std::string named_clouds_text(const answer::Advice& advice,
                              const std::function<bool(const answer::Recommendation&)>& is_shown);

/// What most instances fell by that pass the limits on place and hardware: the reason to act on. A limit on money or
/// time comes first: what falls by it could do the job. Empty where there is none.
std::string chief_reason(const answer::Advice& advice, const job::Constraints& limits);

/// For a terminal, as much as its width leaves on one screen; all of it where `details` are asked for.
Document brief_page(const answer::Advice& advice, const job::Constraints& limits, const RecommendView& view,
                    const Terminal& terminal, const Document& details);

}  // namespace gpusel::show
