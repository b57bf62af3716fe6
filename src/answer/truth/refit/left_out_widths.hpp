// How wide intervals must be, from estimates of sources that were left out. Private to this room.
#pragma once

#include "answer/truth/refit/leave_out.hpp"

namespace gpusel::answer {

/// Of every figure. The intervals of each source become as wide as the other sources' rows ask for.
std::vector<LeftOutSpread> widths_without_each(std::vector<Comparison>& comparisons);

/// The value that a share of all weight lies up to. `weighed`: values and their weights.
double weighed_quantile(std::vector<std::pair<double, double>> weighed, double share);

}  // namespace gpusel::answer
