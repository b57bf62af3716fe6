// How the parts of a pass through the model add up, whoever knows them: formulas or tables.
#pragma once

#include <algorithm>

namespace gpusel::physics {

/// In seconds.
struct PassParts {
  double weights = 0;       // reading them
  double products = 0;      // matrix products
  double attention = 0;     // of prompts
  double between = 0;       // what streams through memory between the products of prompts
  double caches = 0;        // attention of sequences that decode
  double launch = 0;        // kernels of a pass without graphs, launched while the GPU works on those before
  double fixed = 0;         // small kernels, gaps, the scheduler
  double links = 0;         // between GPUs
  double host = 0;          // launching a decode step without graphs
  double host_exposed = 0;  // of the shorter of host and GPU, the share that does not overlap
};

/// Weights come from memory while products are made of those before; the rest comes on top.
inline double pass_time(const PassParts& p) {
  const double gpu = std::max(p.weights, p.products + p.attention + p.between) + p.caches;
  const double device = std::max(gpu, p.launch) + p.fixed + p.links;
  return std::max(device, p.host) + p.host_exposed * std::min(device, p.host);
}

}  // namespace gpusel::physics
