// Image and video generation: its coefficients. Private to this room.
#pragma once

#include "gpusel/estimate/coefficients.hpp"

namespace gpusel::estimate {

struct DiffusionCoefficients {};

template <class Visitor>
void visit_coefficients(DiffusionCoefficients&, Visitor&&) {}

}  // namespace gpusel::estimate
