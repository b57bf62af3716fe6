// Preprocessing: its coefficients. Private to this room.
#pragma once

#include "gpusel/estimate/coefficients.hpp"

namespace gpusel::estimate {

struct PreprocessCoefficients {};

template <class Visitor>
void visit_coefficients(PreprocessCoefficients&, Visitor&&) {}

}  // namespace gpusel::estimate
