#include "answer/estimate/map_fit.hpp"

#include <algorithm>
#include <cmath>

namespace gpusel::answer {

namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

void Positive::factor() {
  for (std::size_t column = 0; column < size_; ++column) {
    for (std::size_t row = column; row < size_; ++row) {
      double sum = at(row, column);
      for (std::size_t k = 0; k < column; ++k) sum -= at(row, k) * at(column, k);
      at(row, column) = row == column ? std::sqrt(sum) : sum / at(column, column);
    }
  }
}

std::vector<double> Positive::solve(std::vector<double> right) const {
  for (std::size_t row = 0; row < size_; ++row) {
    for (std::size_t k = 0; k < row; ++k) right[row] -= at(row, k) * right[k];
    right[row] /= at(row, row);
  }
  for (std::size_t row = size_; row-- > 0;) {
    for (std::size_t k = row + 1; k < size_; ++k) right[row] -= at(k, row) * right[k];
    right[row] /= at(row, row);
  }
  return right;
}

FitResult most_probable(std::span<const FitFigure> figures, std::span<const double> prior, std::span<const double> at) {
  const std::size_t size = prior.size();
  Positive precision(size);
  std::vector<double> right(size);
  for (std::size_t i = 0; i < size; ++i) precision.at(i, i) = 1 / (prior[i] * prior[i]);
  for (const FitFigure& figure : figures) {
    const double weight = 1 / (figure.deviation * figure.deviation);
    const double target = figure.residual + dot(figure.sensitivity, at);
    for (std::size_t i = 0; i < size; ++i) {
      right[i] += weight * figure.sensitivity[i] * target;
      for (std::size_t j = 0; j < size; ++j)
        precision.at(i, j) += weight * figure.sensitivity[i] * figure.sensitivity[j];
    }
  }
  precision.factor();
  FitResult out;
  out.shift = precision.solve(std::move(right));
  for (std::size_t i = 0; i < size; ++i) {
    std::vector<double> unit(size);
    unit[i] = 1;
    out.deviation.push_back(std::sqrt(precision.solve(std::move(unit))[i]));
  }
  for (const FitFigure& figure : figures)
    out.leverage.push_back(dot(figure.sensitivity, precision.solve(figure.sensitivity)) /
                           (figure.deviation * figure.deviation));
  return out;
}

}  // namespace gpusel::answer
