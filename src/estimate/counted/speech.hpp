// Speech: its coefficients. Private to this room.
#pragma once

#include "gpusel/estimate/coefficients.hpp"

namespace gpusel::estimate {

struct SpeechCoefficients {};

template <class Visitor>
void visit_coefficients(SpeechCoefficients&, Visitor&&) {}

}  // namespace gpusel::estimate
