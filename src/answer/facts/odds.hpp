// How likely a candidate is to do what is asked of it: to fit, to keep its targets, to stay within the budget.
#pragma once

#include "answer/search/recommend.hpp"

namespace gpusel::answer {

/// Of every stated target together: rate, latencies, deadline. Nothing where none is stated, or a speed is not known.
/// All of them hang on one speed, so that the least likely of them decides.
catalog::Number chance_of_targets(const Question& question, const job::Job& work, const PlannedMachine& planned,
                                  const physics::Coefficients& c);

/// In which 80 of 100 bills lie: what the speed leaves open of `range`, and the price of `quote` of what it is today.
/// Nothing (0, 0) where that is not known.
physics::Interval cost_interval(const money::Quote& quote, const CostRange* range);

/// Nothing without a budget, or where the interval is not known.
catalog::Number chance_of_budget(const Question& question, const job::Job& work, const physics::Interval& cost);

}  // namespace gpusel::answer
