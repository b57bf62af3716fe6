// The most probable shift of a few coefficients given what was measured: least squares in logarithms, held by a prior.
#pragma once

#include <span>
#include <vector>

namespace gpusel::answer {

/// A symmetric matrix with positive eigenvalues: whatever a prior has been added to.
class Positive {
 public:
  explicit Positive(std::size_t size) : size_(size), cells_(size * size) {}
  double& at(std::size_t row, std::size_t column) { return cells_[row * size_ + column]; }
  double at(std::size_t row, std::size_t column) const { return cells_[row * size_ + column]; }

  /// Into its Cholesky factor, in place.
  void factor();
  /// What the factored matrix times the result is.
  std::vector<double> solve(std::vector<double> right) const;

 private:
  std::size_t size_;
  std::vector<double> cells_;
};

/// One figure: ln(measured ÷ predicted), how far such figures scatter, and what a shift of each coefficient does.
struct FitFigure {
  double residual = 0;
  double deviation = 1;
  std::vector<double> sensitivity;  // ∂ ln(predicted) ÷ ∂ ln(coefficient)
};

struct FitResult {
  std::vector<double> shift;      // of each ln(coefficient) from where the prior stands
  std::vector<double> deviation;  // of that, when the figures have been heard
  std::vector<double> leverage;   // of each figure: share of it that the fit follows
};

/// Minimises Σ ((residual − sensitivity·(shift − at)) ÷ deviation)² + Σ (shift ÷ prior)². The residuals were taken at
/// the shifts `at`.
FitResult most_probable(std::span<const FitFigure> figures, std::span<const double> prior, std::span<const double> at);

}  // namespace gpusel::answer
