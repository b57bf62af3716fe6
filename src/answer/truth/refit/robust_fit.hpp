// A fit that a few odd rows do not lead astray: least sum of distances instead of squares. Private to this room.
#pragma once

#include <span>
#include <vector>

namespace gpusel::answer {

/// One figure: how far off it is, how much it counts, and what follows what.
struct RobustFigure {
  double residual = 0;
  double weight = 1;
  std::vector<std::pair<std::size_t, double>> slopes;  // of the values of this fit, by their places
};

/// What it costs to be so far off: the distance, and near nothing its square.
double distance(double residual);

/// Minimises Σ weight · distance(residual − slopes · shift) ÷ spread + Σ shift² ÷ (2 · prior²).
std::vector<double> least_distance(std::span<const RobustFigure> figures, std::size_t values, double spread,
                                   double prior);

}  // namespace gpusel::answer
