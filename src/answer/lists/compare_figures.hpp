// The figures of compared items. Private to this room.
#pragma once

#include "answer/facts/candidates.hpp"
#include "answer/lists/compare.hpp"

namespace gpusel::answer {

/// Every figure of every item, with its ratio to the first item's and the best of each row.
void fill_values(std::span<Compared> items);

}  // namespace gpusel::answer
