#include "answer/truth/refit/robust_fit.hpp"

#include <algorithm>
#include <cmath>

#include "answer/estimate/map_fit.hpp"

namespace gpusel::answer {

namespace {

constexpr double kNear = 0.03;     // of a logarithm: closer than that no two runs are
constexpr int kWeighings = 40;     // of weighing anew
constexpr double kWeighed = 1e-4;  // of a logarithm

}  // namespace

double distance(double residual) {
  const double off = std::abs(residual);
  return off > kNear ? off : (off * off / kNear + kNear) / 2;
}

std::vector<double> least_distance(std::span<const RobustFigure> figures, std::size_t values, double spread,
                                   double prior) {
  std::vector<double> shift(values);
  for (int round = 0; round < kWeighings; ++round) {
    Positive precision(values);
    std::vector<double> right(values);
    for (std::size_t i = 0; i < values; ++i) precision.at(i, i) = 1 / (prior * prior);
    for (const RobustFigure& figure : figures) {
      double left = figure.residual;
      for (const auto& [value, slope] : figure.slopes) left -= slope * shift[value];
      const double weight = figure.weight / (spread * std::max(std::abs(left), kNear));
      for (const auto& [i, slope] : figure.slopes) {
        right[i] += weight * slope * figure.residual;
        for (const auto& [j, other] : figure.slopes) precision.at(i, j) += weight * slope * other;
      }
    }
    precision.factor();
    const std::vector<double> next = precision.solve(std::move(right));
    double most = 0;
    for (std::size_t i = 0; i < values; ++i) most = std::max(most, std::abs(next[i] - shift[i]));
    shift = next;
    if (most < kWeighed) break;
  }
  return shift;
}

}  // namespace gpusel::answer
