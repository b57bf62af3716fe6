// All facts of one recommendation, for who judges it by itself. Private to this room.
#pragma once

#include "answer/search/recommend.hpp"

namespace gpusel::answer {

/// All that is known; texts are of `work` and `catalog`.
rules::Facts facts_of(const Recommendation& candidate, const job::Job& work, const Question& question,
                      const catalog::Catalog& catalog, const physics::Coefficients& coefficients);

/// The same for a limit that is moved until this candidate passes: a budget has to hold for as many of 100 bills as
/// the confidence of `work` says.
rules::Facts facts_to_pass(const Recommendation& candidate, const job::Job& work, const Question& question,
                           const catalog::Catalog& catalog, const physics::Coefficients& coefficients);

}  // namespace gpusel::answer
