// What to cut where nobody sells the slice of a GPU that was asked for.
#pragma once

#include <string>
#include <vector>

#include "answer/lists/list.hpp"

namespace gpusel::answer {

/// A sentence for each part of a GPU among the limits: the cheapest instance whose GPUs can be cut so, what a slice
/// then costs and has; or that none can.
std::vector<std::string> slice_notes(const job::Constraints& limits, Currency currency, Date today,
                                     const catalog::Catalog& catalog, const physics::Coefficients& coefficients);

}  // namespace gpusel::answer
