// The hardware an estimate is for: so many equal devices, how they are linked, and nothing of what
// they cost or who rents them out.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "base/values/error.hpp"
#include "base/values/units.hpp"
#include "catalog/records/gpu.hpp"
#include "catalog/records/market.hpp"
#include "catalog/records/parts.hpp"
#include "job/request/terms.hpp"
#include "physics/coefficients.hpp"

namespace gpusel::physics {

/// One device as software sees it: a GPU, one half of a two-GPU board, or a slice of a GPU.
struct Device {
  const catalog::Gpu* gpu = nullptr;
  double share = 1;  // of the listed part
  Bytes usable;      // what a process can have
  BytesPerSecond bandwidth;
  const EngineAbilities* engines = nullptr;                 // of the coefficients it was made with
  std::shared_ptr<const catalog::Gpu> processor = nullptr;  // what `gpu` is then: cores that stand in for a GPU
  /// 16-bit rate of the listed part that serving assumes where none is published: its median, and the ends of 80 %.
  struct AssumedRate {
    double tflops, low, high;
  };
  std::optional<AssumedRate> assumed_half = std::nullopt;

  /// Dense peak for training arithmetic. Nothing where it is not published.
  std::optional<FlopPerSecond> peak(job::Precision precision) const;
  /// The arithmetic that really does the work: the format itself, or the next wider one in hardware.
  job::Precision done_in(job::Precision precision) const;
  /// Whether that arithmetic is done in hardware. Without it, bf16 runs at fp32 speed, fp8 not at all.
  bool native(job::Precision precision) const;
};

/// What stands beside the GPUs of one node; without GPUs, the machine itself.
struct Host {
  const catalog::Cpu* cpu = nullptr;  // null: not known
  double vcpus = 0;                   // 0: not known
  double threads_per_core = 0;        // 0: not known
  double ghz = 0;                     // of all cores; 0: not known
  double turbo_ghz = 0;               // of one
  Bytes memory;
  BytesPerSecond storage = {};  // read of a data set, one node; 0: not known
};

struct Machine {
  Device device;
  Host host;
  int gpus_per_node = 1;
  int nodes = 1;
  catalog::NodeLink link = catalog::NodeLink::none;
  BytesPerSecond link_bandwidth;  // per device, one direction, peak
  BytesPerSecond network;         // per node, one direction
  bool rdma = false;

  int gpus() const { return gpus_per_node * nodes; }
  bool on_cpu() const { return device.gpu == nullptr || device.processor != nullptr; }
  /// What a process can have: of one GPU, or of a node without any.
  Bytes memory() const { return device.gpu == nullptr ? host.memory : device.usable; }
};

/// A device of `share` of a listed part; `memory_gb` where a slice states its own.
/// Errors: the part's memory or bandwidth is not published.
Result<Device> make_device(const catalog::Gpu& gpu, double share, std::optional<double> memory_gb,
                           const Coefficients& coefficients);

/// A slice with `compute` of the GPU's SMs and `memory` of its memory and bandwidth. Errors: as make_device().
Result<Device> make_slice(const catalog::Gpu& gpu, double compute, double memory, const Coefficients& coefficients);

/// One direction of a PCIe link, bytes per second: 8, 16, 32 GT/s per lane with 128b/130b coding.
BytesPerSecond pcie_bandwidth(const catalog::Gpu& gpu);

/// The link the part is usually found with in a node of `gpus` devices, and its one-way bandwidth.
struct LinkChoice {
  catalog::NodeLink link = catalog::NodeLink::none;
  BytesPerSecond bandwidth;
};
LinkChoice usual_link(const catalog::Gpu& gpu, int gpus);
LinkChoice link_of_kind(const catalog::Gpu& gpu, job::Interconnect kind);

/// Name under which coefficients know a link.
std::string_view link_case(catalog::NodeLink link);

/// Bandwidth that a collective among `members` devices per node of a group sees, per device and one
/// direction, achieved; `crosses_nodes` adds the network, shared by the node's groups.
BytesPerSecond group_bandwidth(const Machine& machine, int members_per_node, bool crosses_nodes,
                               const Coefficients& coefficients);
Seconds group_latency(const Machine& machine, bool crosses_nodes, const Coefficients& coefficients);

}  // namespace gpusel::physics
