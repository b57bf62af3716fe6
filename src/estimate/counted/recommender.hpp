// Recommendation: its coefficients. Private to this room.
#pragma once

#include "gpusel/estimate/coefficients.hpp"

namespace gpusel::estimate {

struct RecommenderCoefficients {};

template <class Visitor>
void visit_coefficients(RecommenderCoefficients&, Visitor&&) {}

}  // namespace gpusel::estimate
