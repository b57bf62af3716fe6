// The figures that a test should show. Private to this room.
#pragma once

#include "answer/poc/poc_values.hpp"

namespace gpusel::answer {

/// What is tested of a recommendation.
ProofUnit unit_of(const Advice& advice, const Recommendation& chosen, const physics::Coefficients& c);

/// What is run for it.
struct ProofRuns {
  double prompts = 0;             // of a service, in one run
  std::vector<ProofUnit> scales;  // of training, on each number of cards
  Seconds duration;               // of all runs
};

/// Fills in figures, scales and their formulas.
ProofRuns add_figures(Poc& poc, const ProofUnit& unit, const Advice& advice, const catalog::Catalog& catalog,
                      const physics::Coefficients& c);

}  // namespace gpusel::answer
