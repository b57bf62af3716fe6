// How sure it is that rank 1 is the best, what it costs to be wrong, and which test would settle it.
#pragma once

#include "answer/search/search.hpp"

namespace gpusel::answer {

/// Ranks that are looked at.
inline constexpr int kRanksOfEvidence = 20;

/// From paired draws of prices and speeds: whatever runs on one GPU errs alike in its speed, every price errs alone.
/// Nothing where fewer than two candidates are ranked by their cost. The intervals of the ranks that are looked at
/// have to be known.
std::optional<Evidence> evidence_of(const Advice& advice, const SearchContext& context);

/// From which price or speed on each of the first five ranks would be the best.
void add_switch_points(Advice& advice);

}  // namespace gpusel::answer
