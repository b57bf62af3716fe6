// GPU memory by component: what the fullest GPU holds at its peak.
#pragma once

#include "gpusel/base/units.hpp"

namespace gpusel::estimate {

/// Share of offloaded weights that is on the GPU at any time: the layer in use and the next.
inline constexpr double kInFlight = 0.1;

struct MemoryBreakdown {
  Bytes weights;
  Bytes gradients;
  Bytes optimizer;
  Bytes activations;
  Bytes kv_cache;
  Bytes workspace;  // gathered weights, buckets, logits' temporaries, allocator slack, graphs
  Bytes framework;  // context and communication library: what the framework's counters do not see

  constexpr Bytes total() const {
    return weights + gradients + optimizer + activations + kv_cache + workspace + framework;
  }
};

/// Whatever runs holds something: none at all is not known. Work on data whose amount nobody said, for example.
constexpr bool is_known(const MemoryBreakdown& memory) { return memory.total().raw() > 0; }

/// The least and the most that 80 of 100 measurements should show.
struct Interval {
  double low = 0;
  double high = 0;
};

}  // namespace gpusel::estimate
