// All facts of one recommendation, for who judges it by itself. Private to this room.
#pragma once

#include "gpusel/advise/recommend.hpp"

namespace gpusel::advise {

/// All that is known; texts are of `work` and `catalog`.
rules::Facts facts_of(const Recommendation& candidate, const workload::Workload& work, const Question& question,
                      const catalog::Catalog& catalog, const estimate::Coefficients& coefficients);

}  // namespace gpusel::advise
