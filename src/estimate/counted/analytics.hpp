// Detectors on streams: its coefficients. Private to this room.
#pragma once

#include "gpusel/estimate/coefficients.hpp"

namespace gpusel::estimate {

struct AnalyticsCoefficients {};

template <class Visitor>
void visit_coefficients(AnalyticsCoefficients&, Visitor&&) {}

}  // namespace gpusel::estimate
