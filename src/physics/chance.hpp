// Figures that are not sure.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/values/normal.hpp"
#include "physics/memory.hpp"

namespace gpusel::physics {

/// The deviation of a log-normal quantity whose 10th and 90th percentiles are the ends of this interval; 0 where it is
/// none.
inline double deviation_of(const Interval& of_80) {
  return of_80.low > 0 && of_80.high > of_80.low ? std::log(of_80.high / of_80.low) / (2 * kNinetyPercent) : 0;
}
/// The 10th and the 90th percentile over the median.
inline Interval ratio_of(double deviation) {
  return {std::exp(-kNinetyPercent * deviation), std::exp(kNinetyPercent * deviation)};
}

/// Log-normal, through the ends of the interval in which 80 of 100 measurements lie.
struct Likely {
  double median = 1;
  double spread = 0;  // standard deviation of the logarithm

  static Likely between(const Interval& of_80) {
    if (of_80.low <= 0 || of_80.high < of_80.low) return {};
    return {std::sqrt(of_80.low * of_80.high), deviation_of(of_80)};
  }

  /// The value so many standard deviations above the median.
  double at(double deviations) const { return median * std::exp(spread * deviations); }
  /// Chance of a value up to `limit`.
  double chance_within(double limit) const {
    if (spread <= 0) return median <= limit ? 1 : 0;
    return limit > 0 ? normal_share(std::log(limit / median) / spread) : 0;
  }
  /// The chance of at least so much.
  double chance_of(double least) const {
    if (spread <= 0) return median >= least * (1 - 1e-9) ? 1 : 0;
    return 1 - chance_within(least);
  }
};

/// The chance that `holds` is true of how many standard deviations reality lies on the bad side, which it is up to
/// some number of them and beyond that no more.
template <class Holds>
double chance_up_to(Holds holds) {
  double low = -4;
  double high = 4;
  if (!holds(low)) return 0;
  if (holds(high)) return 1;
  while (high - low > 0.02) {
    const double middle = (low + high) / 2;
    (holds(middle) ? low : high) = middle;
  }
  return normal_share((low + high) / 2);
}

}  // namespace gpusel::physics
