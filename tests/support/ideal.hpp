// The physics without what was fitted to measurements, for figures that are worked by hand.
#pragma once

#include "physics/coefficients.hpp"

namespace gpusel::test {

/// Rates are peaks (half of it for the products of training, which are capped), nothing takes a fixed time, hides
/// behind other work or is kept in memory but what the formulas count: a better fit changes no figure made with these.
const physics::Coefficients& ideal();

}  // namespace gpusel::test
