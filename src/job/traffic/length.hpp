// How many tokens prompts or answers have, as a distribution.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace gpusel::job {

/// Log-normal through median and sigma, or as measured: shares of requests and what these stay below. Beyond 1 % and
/// 99 % nothing is said: the tails of a fitted curve are nobody's measurements.
struct Length {
  double median = 0;
  double sigma = 0;                                  // of the logarithm; 0: all are alike
  std::vector<std::pair<double, double>> quantiles;  // ascending, by share; instead of median and sigma

  static Length fixed(double tokens) { return {tokens, 0, {}}; }
  /// What that share of requests stays below; between measured ones straight in the logarithm.
  double at(double share) const;
  double mean() const;
  bool one_length() const { return quantiles.empty() && sigma <= 0; }
  bool operator==(const Length&) const = default;
};

}  // namespace gpusel::job
