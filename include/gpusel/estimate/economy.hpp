// What runs cost besides the rate of the hardware: failures, restarts, loading and power. Each figure stands with its
// source in data/calibration/economy.yaml.
#pragma once

#include "gpusel/estimate/coefficients.hpp"

namespace gpusel::estimate {

struct EconomyCoefficients {
  Coefficient node_mtbf_hours;  // of a node of eight GPUs under training, between failures that end the job

  // Loading.
  Coefficient start_engine_s;            // of an engine between loaded weights and the first answer, by engine
  Coefficient start_loader_gbs;          // that one process of an engine loads weights at, by where they are kept
  Coefficient start_loader_growth;       // exponent: how that grows with the processes of a node
  Coefficient storage_usual_gbs;         // of one instance, where its provider's storage is not known, by kind
  Coefficient storage_local_gbs_per_tb;  // read from an instance's own disks
};

/// Lists each coefficient with its id once.
template <class Visitor>
void visit_coefficients(EconomyCoefficients& c, Visitor&& v) {
  v("failure.node_mtbf_hours", c.node_mtbf_hours);
  v("start.engine_s", c.start_engine_s);
  v("start.loader_gbs", c.start_loader_gbs);
  v("start.loader_growth", c.start_loader_growth);
  v("storage.usual_gbs", c.storage_usual_gbs);
  v("storage.local_gbs_per_tb", c.storage_local_gbs_per_tb);
}

}  // namespace gpusel::estimate
