// The normal distribution.
#pragma once

#include <cmath>

namespace gpusel {

/// Standard deviations above the mean that 90 % stay below.
inline constexpr double kNinetyPercent = 1.2815515655446004;

/// Of all, so many lie below that many standard deviations.
inline double normal_share(double deviations) { return std::erfc(-deviations / std::sqrt(2.0)) / 2; }

/// The number of standard deviations that a share `p` of all stays below.
inline double normal_quantile(double p) {
  double low = -10;
  double high = 10;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (normal_share(middle) < p ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace gpusel
