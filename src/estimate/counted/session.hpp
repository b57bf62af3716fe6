// Interactive graphics: its coefficients. Private to this room.
#pragma once

#include "gpusel/estimate/coefficients.hpp"

namespace gpusel::estimate {

struct SessionCoefficients {};

template <class Visitor>
void visit_coefficients(SessionCoefficients&, Visitor&&) {}

}  // namespace gpusel::estimate
