// Simulation: its coefficients. Private to this room.
#pragma once

#include "physics/coefficients.hpp"

namespace gpusel::physics {

struct SimulationCoefficients {
  Coefficient bandwidth_efficiency;      // of peak memory bandwidth, by architecture
  Coefficient cpu_bandwidth_efficiency;  // the same of a processor
  Coefficient exchange_share;            // of a step per doubling of the GPUs, by kind of link
  Coefficient spill_factor;              // of the rate when a case just does not fit, and at the limit
  Coefficient spill_limit;               // case over memory beyond which it is no use
  Coefficient process_gib;
  Coefficient spread;  // factor between estimate and measurement, by solver
};

template <class Visitor>
void visit_coefficients(SimulationCoefficients& c, Visitor&& v) {
  v("simulation.bandwidth_efficiency", c.bandwidth_efficiency);
  v("simulation.cpu_bandwidth_efficiency", c.cpu_bandwidth_efficiency);
  v("simulation.exchange_share", c.exchange_share);
  v("simulation.spill_factor", c.spill_factor);
  v("simulation.spill_limit", c.spill_limit);
  v("simulation.process_gib", c.process_gib);
  v("simulation.spread", c.spread);
}

}  // namespace gpusel::physics
