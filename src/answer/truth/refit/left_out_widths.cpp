#include "answer/truth/refit/left_out_widths.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace gpusel::answer {

namespace {

constexpr double kInside = 0.8;
constexpr double kSure = 1e-6;            // of a logarithm: an end that is the estimate itself
constexpr std::size_t kLeastSources = 3;  // other ones, for a width of their own
constexpr double kQuartile = 0.6745;      // standard deviations from the middle to the quartile

using BySource = std::map<std::string_view, std::vector<Comparison*>>;

/// How far what was measured lies towards the end of the interval on its side; nothing where there is none.
std::optional<double> reach_used(const Comparison& each) {
  if (!each.interval || each.interval->low <= 0) return std::nullopt;
  const double off = std::log(each.measured / each.predicted);
  const double end =
      off > 0 ? std::log(each.interval->high / each.predicted) : std::log(each.predicted / each.interval->low);
  return end > kSure ? std::optional(std::abs(off) / end) : std::nullopt;
}

double factor_without(const BySource& sources, std::string_view source) {
  std::vector<std::pair<double, double>> used;
  std::size_t others = 0;
  for (const auto& [name, comparisons] : sources) {
    if (name == source) continue;
    ++others;
    for (const Comparison* each : comparisons)
      if (const auto share = reach_used(*each)) used.emplace_back(*share, 1 / static_cast<double>(comparisons.size()));
  }
  return others < kLeastSources || used.empty() ? 1 : weighed_quantile(std::move(used), kInside);
}

void widen(Comparison& each, double factor) {
  if (!each.interval || each.interval->low <= 0) return;
  const auto end = [&](double at) { return each.predicted * std::pow(at / each.predicted, factor); };
  each.interval = physics::Interval{end(each.interval->low), end(each.interval->high)};
}

/// A standard deviation that a few odd ones do not widen: from the middle of the distances to the middle.
double robust_deviation(const std::vector<double>& values) {
  const double middle = median(values);
  std::vector<double> off;
  for (const double value : values) off.push_back(std::abs(value - middle));
  return median(std::move(off)) / kQuartile;
}

void set_deviations(const BySource& sources, LeftOutSpread& out) {
  std::vector<double> middles;
  double within = 0;
  for (const auto& [name, comparisons] : sources) {
    std::vector<double> off;
    for (const Comparison* each : comparisons) off.push_back(std::log(each->measured / each->predicted));
    middles.push_back(median(off));
    within += std::pow(robust_deviation(off), 2) / static_cast<double>(sources.size());
  }
  out.between = robust_deviation(middles);
  out.within = std::sqrt(within);
}

}  // namespace

double weighed_quantile(std::vector<std::pair<double, double>> weighed, double share) {
  std::ranges::sort(weighed);
  double all = 0;
  for (const auto& [value, weight] : weighed) all += weight;
  double sum = 0;
  for (const auto& [value, weight] : weighed)
    if ((sum += weight) >= share * all) return value;
  return weighed.empty() ? 0 : weighed.back().first;
}

std::vector<LeftOutSpread> widths_without_each(std::vector<Comparison>& comparisons) {
  std::map<Figure, BySource> figures;
  for (Comparison& each : comparisons) figures[each.figure][source_of(*each.row, each.file)].push_back(&each);
  std::vector<LeftOutSpread> out;
  for (const auto& [figure, sources] : figures) {
    LeftOutSpread spread{figure};
    set_deviations(sources, spread);
    std::vector<const Comparison*> all;
    std::map<std::string_view, double> factors;
    for (const auto& [name, of_source] : sources) {
      all.insert(all.end(), of_source.begin(), of_source.end());
      factors[name] = factor_without(sources, name);
    }
    spread.shipped_inside = accuracy_of(all).coverage.value_or(0);
    spread.factor = factor_without(sources, {});
    for (const auto& [name, of_source] : sources)
      for (Comparison* each : of_source) widen(*each, factors[name]);
    out.push_back(spread);
  }
  return out;
}

}  // namespace gpusel::answer
