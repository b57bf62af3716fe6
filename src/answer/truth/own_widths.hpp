// How far estimates of work that was measured are off, in the user's own hands. Private to this room.
#pragma once

#include "physics/own.hpp"

namespace gpusel::answer {

/// What is left of a figure after the fit.
struct Residual {
  physics::OwnClass of;
  physics::Range80 range = physics::Range80::speed;
  int gpus = 1;
  double off = 0;       // ln(measured ÷ predicted), in spreads of the shipped interval
  double leverage = 0;  // share of it that the fit followed
  double floor = 0;     // spread of equal runs, in the same unit
  double share = 1;     // of the shipped spread that such a figure can have: less where its machine was measured
};

/// One width per kind of work and figure, and one over all models where several were measured.
std::vector<physics::OwnWidth> own_widths(std::span<const Residual> residuals, double prior_rows);

}  // namespace gpusel::answer
