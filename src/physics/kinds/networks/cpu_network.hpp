// A network's inference on a machine without a GPU. Private to this room.
#pragma once

#include "physics/kinds/kinds.hpp"

namespace gpusel::physics {

/// What one sample costs, whatever it runs on.
struct SampleCost {
  double flops = 0;
  double values = 0;  // that layers put out
};

/// Memory of the host, rate and latency at the plan's batch. The model's parameters are those of the workload.
Figures network_on_cpu(const SampleCost& sample, const CountedAsk& ask);

}  // namespace gpusel::physics
