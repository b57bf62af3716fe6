#include "show/document/chart.hpp"

#include <algorithm>
#include <cmath>

#include "base/values/number.hpp"
namespace gpusel::show {

namespace {

constexpr double kDecadeAndAHalf = 31.6;  // 10 ^ 1.5

/// 1, 2 or 5 × a power of ten, at least `value`.
double round_step(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0})
    if (factor * power >= value * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

/// Values of a logarithmic axis: powers of ten, with 2 and 5 between them where there is room.
std::vector<double> log_ticks(double low, double high, std::size_t most) {
  std::vector<double> all, decades;
  for (double power = std::pow(10, std::floor(std::log10(low))); power <= high * (1 + 1e-9); power *= 10)
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * power;
      if (value < low * (1 - 1e-9) || value > high * (1 + 1e-9)) continue;
      all.push_back(value);
      if (factor == 1) decades.push_back(value);
    }
  std::vector<double>& chosen = all.size() <= most || decades.size() < 2 ? all : decades;
  const std::size_t every = (chosen.size() + most - 1) / std::max<std::size_t>(most, 1);
  std::vector<double> out;
  for (std::size_t i = 0; i < chosen.size(); i += std::max<std::size_t>(every, 1)) out.push_back(chosen[i]);
  return out;
}

}  // namespace

double Scale::place(double value) const {
  if (high <= low) return 0.5;
  const double part = log ? std::log(std::max(value, low) / low) / std::log(high / low) : (value - low) / (high - low);
  return std::clamp(part, 0.0, 1.0);
}

std::vector<double> Scale::ticks(std::size_t most) const {
  if (high <= low || most < 2) return {low};
  if (log) return log_ticks(low, high, most);
  const double step = round_step((high - low) / static_cast<double>(most - 1));
  std::vector<double> out;
  const double first = std::ceil(low / step - 1e-9);
  for (double i = first; i * step <= high + step * 1e-9; ++i) out.push_back(i == 0 ? 0 : i * step);
  return out;
}

Scale scale_for(std::span<const double> values) {
  if (values.empty()) return {};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  Scale scale{*low, *high, *low > 0 && *high / *low > kDecadeAndAHalf};
  if (scale.log) {
    const auto down = [](double value) {
      const double power = std::pow(10, std::floor(std::log10(value) + 1e-9));
      return value >= 5 * power ? 5 * power : value >= 2 * power ? 2 * power : power;
    };
    scale.low = down(*low);
    scale.high = round_step(*high);
    return scale;
  }
  const double span = *high > *low ? *high - *low : std::max(std::abs(*low), 1.0) * 0.2;
  const double step = round_step(span / 5);
  scale.low = std::floor(*low / step) * step;
  scale.high = std::ceil(*high / step) * step;
  if (scale.high <= scale.low) scale.high = scale.low + step;
  return scale;
}

std::string tick_text(double value) {
  constexpr double kShortened = 10'000;
  return std::abs(value) >= kShortened ? human_count(value) : human_number(value);
}

Scale Bars::scale() const {
  Scale scale{base, base, false};
  for (const Bar& bar : bars) {
    scale.low = std::min({scale.low, bar.low, bar.high});
    scale.high = std::max({scale.high, bar.low, bar.high});
  }
  return scale;
}

}  // namespace gpusel::show
