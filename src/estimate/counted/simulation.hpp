// Simulation: its coefficients. Private to this room.
#pragma once

#include "gpusel/estimate/coefficients.hpp"

namespace gpusel::estimate {

struct SimulationCoefficients {};

template <class Visitor>
void visit_coefficients(SimulationCoefficients&, Visitor&&) {}

}  // namespace gpusel::estimate
