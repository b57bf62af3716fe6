// Whether the day of a price has come.
#pragma once

#include "base/values/date.hpp"

namespace gpusel::catalog {

/// Later than today anywhere: further east it may be tomorrow. Unknown days are not.
inline bool is_to_come(Date date, Date today) {
  constexpr int kFurtherEast = 1;  // days
  const auto days = days_between(today, date);
  return days && *days > kFurtherEast;
}

}  // namespace gpusel::catalog
