// Transcoding: its coefficients. Private to this room.
#pragma once

#include "gpusel/estimate/coefficients.hpp"

namespace gpusel::estimate {

struct TranscodeCoefficients {};

template <class Visitor>
void visit_coefficients(TranscodeCoefficients&, Visitor&&) {}

}  // namespace gpusel::estimate
