#include "job/traffic/length.hpp"

#include <algorithm>
#include <cmath>

#include "base/values/normal.hpp"

namespace gpusel::job {

double Length::at(double share) const {
  if (quantiles.empty())
    return sigma > 0 ? median * std::exp(sigma * normal_quantile(std::clamp(share, 0.01, 0.99))) : median;
  const auto above = std::ranges::lower_bound(quantiles, share, {}, &std::pair<double, double>::first);
  if (above == quantiles.begin()) return quantiles.front().second;
  if (above == quantiles.end()) return quantiles.back().second;
  const auto& [high, high_tokens] = *above;
  const auto& [low, low_tokens] = *(above - 1);
  const double part = (share - low) / (high - low);
  return std::max(1.0, low_tokens) * std::pow(std::max(1.0, high_tokens) / std::max(1.0, low_tokens), part);
}

double Length::mean() const {
  if (one_length()) return median;
  constexpr int kParts = 400;
  double sum = 0;
  for (int i = 0; i < kParts; ++i) sum += at((i + 0.5) / kParts);
  return sum / kParts;
}

}  // namespace gpusel::job
