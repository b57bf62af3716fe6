// What the GPUs of one machine exchange data at: looked up once for many groups of them.
#pragma once

#include "physics/machine.hpp"

namespace gpusel::physics {

/// Both arguments outlive it.
class GroupRates {
 public:
  GroupRates(const Machine& machine, const Coefficients& coefficients);

  /// As group_bandwidth() and group_latency() have it.
  BytesPerSecond bandwidth(int members_per_node, bool crosses_nodes) const;
  Seconds latency(bool crosses_nodes) const { return crosses_nodes ? network_latency_ : link_latency_; }

 private:
  const Machine& machine_;
  BytesPerSecond link_;
  BytesPerSecond beyond_pair_;  // of a group that a bridge does not join
  double network_efficiency_;
  Seconds link_latency_;
  Seconds network_latency_;
};

}  // namespace gpusel::physics
