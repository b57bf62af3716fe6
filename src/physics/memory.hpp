// GPU memory by component: what the fullest GPU holds at its peak.
#pragma once

#include "physics/record.hpp"

namespace gpusel::physics {

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
  Bytes spare;      // of the workspace: what the allocator holds, and gives back before it fails

  /// By the names of the answer.
  template <class Tell>
  constexpr auto sum(const Tell& told) const {
    return told.some("weights", weights) + told.some("gradients", gradients) + told.some("optimizer", optimizer) +
           told.some("activations", activations) + told.some("kv_cache", kv_cache) + told.some("workspace", workspace) +
           told.some("framework", framework);
  }
  constexpr Bytes total() const { return sum(Untold{}); }
  /// Without which it does not run.
  constexpr Bytes needed() const { return total() - spare; }
};

/// Whatever runs holds something: none at all is not known. Work on data whose amount nobody said, for example.
constexpr bool is_known(const MemoryBreakdown& memory) { return memory.total().raw() > 0; }

/// The least and the most that 80 of 100 measurements should show.
struct Interval {
  double low = 0;
  double high = 0;
};

}  // namespace gpusel::physics
