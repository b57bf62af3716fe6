// What runs cost besides the rate of the hardware: failures, restarts, loading and power. Each figure stands with its
// source in data/calibration/economy.yaml.
#pragma once

#include "gpusel/estimate/coefficients.hpp"

namespace gpusel::estimate {

struct EconomyCoefficients {
  Coefficient node_mtbf_hours;  // of a node of eight GPUs under training, between failures that end the job
};

/// Lists each coefficient with its id once.
template <class Visitor>
void visit_coefficients(EconomyCoefficients& c, Visitor&& v) {
  v("failure.node_mtbf_hours", c.node_mtbf_hours);
}

}  // namespace gpusel::estimate
