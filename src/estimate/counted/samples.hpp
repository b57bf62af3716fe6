// Networks that read samples: its coefficients. Private to this room.
#pragma once

#include "gpusel/estimate/coefficients.hpp"

namespace gpusel::estimate {

struct SampleCoefficients {};

template <class Visitor>
void visit_coefficients(SampleCoefficients&, Visitor&&) {}

}  // namespace gpusel::estimate
