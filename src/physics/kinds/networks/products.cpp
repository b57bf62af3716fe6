#include "physics/kinds/networks/products.hpp"

#include <algorithm>

namespace gpusel::physics {

using job::Precision;

namespace {

/// Of the dense peak: no kernel does better.
constexpr double kMostOfPeak = 0.9;

}  // namespace

std::optional<FlopPerSecond> product_rate(const CountedAsk& ask, Precision precision, bool fused) {
  const Device& device = ask.machine.device;
  const auto peak = device.peak(precision);
  if (!peak) return std::nullopt;
  const std::string_view architecture = device.gpu->architecture;
  const Precision done = device.done_in(precision);
  const double format = done == Precision::int8 ? ask.general.low_precision_efficiency.value
                                                : ask.general.format_efficiency.of(to_text(done));
  const double gaps = fused ? 1 : ask.general.eager_efficiency.of(architecture);
  return *peak * std::min(kMostOfPeak, ask.general.gemm_efficiency.of(architecture) * format * gaps);
}

BytesPerSecond memory_rate(const CountedAsk& ask) {
  return ask.machine.device.bandwidth * ask.general.bandwidth_efficiency.value;
}

double value_bytes(Precision precision) {
  switch (precision) {
    case Precision::fp64: return 8;
    case Precision::fp32:
    case Precision::tf32: return 4;
    case Precision::fp8:
    case Precision::int8: return 1;
    case Precision::nvfp4: return 0.5;
    default: return 2;
  }
}

Seconds reduce_time(const CountedAsk& ask, Bytes each, Seconds beside) {
  const int gpus = ask.machine.gpus();
  if (gpus <= 1) return {};
  const bool crosses = ask.machine.nodes > 1;
  const Seconds all =
      2 * (gpus - 1.0) / gpus * each / group_bandwidth(ask.machine, ask.machine.gpus_per_node, crosses, ask.general) +
      group_latency(ask.machine, crosses, ask.general);
  return std::max(all - beside * ask.general.gradient_overlap.value, all * ask.general.least_exposed.value);
}

BytesPerSecond exchange_rate(const CountedAsk& ask) {
  const Machine& machine = ask.machine;
  const auto& efficiency = ask.general.link_efficiency;
  // A bridge joins two devices; the others are reached over PCIe.
  const bool pairs = machine.link == catalog::NodeLink::nvlink_pairs && machine.gpus_per_node > 2;
  const std::string_view link = pairs ? "pcie" : link_case(machine.link);
  const BytesPerSecond peak = pairs ? pcie_bandwidth(*machine.device.gpu) : machine.link_bandwidth;
  BytesPerSecond rate = peak * efficiency.of(link == "pcie" ? "pcie staged" : link);
  if (machine.nodes <= 1) return rate;
  const BytesPerSecond network =
      machine.network * (ask.general.network_efficiency.of(machine.rdma ? "rdma" : "tcp") / machine.gpus_per_node);
  return machine.gpus_per_node > 1 ? std::min(rate, network) : network;
}

}  // namespace gpusel::physics
