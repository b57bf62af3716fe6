// The figures of compared items. Private to this room.
#pragma once

#include "advise/facts/candidates.hpp"
#include "gpusel/advise/compare.hpp"

namespace gpusel::advise {

/// Every figure of every item, with its ratio to the first item's and the best of each row.
void fill_values(std::span<Compared> items);

}  // namespace gpusel::advise
