// Where something becomes true, by halving.
#pragma once

#include <numeric>

namespace gpusel {

/// The least number up to `high` for which something is true that stays true for more; not for `low`, for `high`.
template <class Holds>
double first_that(Holds holds, double low, double high) {
  // As long as there is a number between the two.
  for (double middle = std::midpoint(low, high); middle > low && middle < high; middle = std::midpoint(low, high))
    (holds(middle) ? high : low) = middle;
  return high;
}

}  // namespace gpusel
