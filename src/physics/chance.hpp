// Figures that are not sure.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/values/normal.hpp"
#include "physics/trace.hpp"

namespace gpusel::physics {

/// Log-normal, through the ends of the interval in which 80 of 100 measurements lie.
struct Likely {
  double median = 1;
  double spread = 0;  // standard deviation of the logarithm

  static Likely between(const Interval& of_80) {
    constexpr double kDeviations = 1.2815515655446004;  // of a normal distribution, that 90 % stay below
    if (of_80.low <= 0 || of_80.high < of_80.low) return {};
    return {std::sqrt(of_80.low * of_80.high), std::log(of_80.high / of_80.low) / (2 * kDeviations)};
  }

  /// The value so many standard deviations above the median.
  double at(double deviations) const { return median * std::exp(spread * deviations); }
  /// Chance of a value up to `limit`.
  double chance_within(double limit) const {
    if (spread <= 0) return median <= limit ? 1 : 0;
    return limit > 0 ? normal_share(std::log(limit / median) / spread) : 0;
  }
};

}  // namespace gpusel::physics
