// Offline rendering: its coefficients. Private to this room.
#pragma once

#include "gpusel/estimate/coefficients.hpp"

namespace gpusel::estimate {

struct RenderCoefficients {};

template <class Visitor>
void visit_coefficients(RenderCoefficients&, Visitor&&) {}

}  // namespace gpusel::estimate
