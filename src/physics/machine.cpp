#include "physics/machine.hpp"

#include <algorithm>
#include <cmath>

#include "base/words/message.hpp"
#include "physics/serving/group_rates.hpp"

namespace gpusel::physics {

namespace {

using catalog::GpuLink;
using catalog::NodeLink;
using job::Precision;

catalog::Number peak_figure(const catalog::Gpu& gpu, Precision precision) {
  switch (precision) {
    case Precision::fp32: return gpu.fp32_tflops;
    case Precision::tf32: return gpu.tf32_dense_tflops;
    case Precision::fp16: return gpu.fp16_dense_tflops;
    case Precision::bf16: return gpu.bf16_dense_tflops;
    case Precision::fp8: return gpu.fp8_dense_tflops;
    case Precision::nvfp4: return gpu.fp4_dense_tflops;
    case Precision::fp64: return gpu.fp64_tflops;
    case Precision::int8: return gpu.int8_dense_tops;
  }
  return std::nullopt;
}

/// What runs instead where there is no hardware path: emulation at the next wider rate.
Precision fallback(Precision precision) {
  switch (precision) {
    case Precision::nvfp4: return Precision::fp8;
    case Precision::fp8: return Precision::bf16;
    case Precision::int8: return Precision::fp16;
    default: return Precision::fp32;
  }
}

/// Half of the FP8 rate, else a quarter to an eighth of the FP4 rate, as nearly all parts in data/gpus that publish
/// both have it, else what is usual for such a bandwidth; never below fp32.
std::optional<Device::AssumedRate> assumed_half(const catalog::Gpu& gpu, const Coefficients& c) {
  constexpr int kMatrixUnitsSince = 2020;  // older parts may have none
  if (gpu.fp16_dense_tflops || gpu.bf16_dense_tflops ||
      gpu.release_year.value_or(kMatrixUnitsSince) < kMatrixUnitsSince)
    return std::nullopt;
  const double fp32 = gpu.fp32_tflops.value_or(0);
  if (const double fp8 = gpu.fp8_dense_tflops.value_or(0); fp8 > 0)
    return Device::AssumedRate{std::max(fp8 / 2, fp32), std::max(fp8 / 2, fp32), std::max(fp8 / 2, fp32)};
  if (const double fp4 = gpu.fp4_dense_tflops.value_or(0); fp4 > 0)
    return Device::AssumedRate{std::max(fp4 / std::sqrt(4.0 * 8), fp32), std::max(fp4 / 8, fp32),
                               std::max(fp4 / 4, fp32)};
  const auto of_bandwidth = [&](std::string_view which) {
    return std::max(*gpu.memory_bandwidth_gbs * c.assumed_flop_per_byte.of(which) * 1e-3, fp32);
  };
  return Device::AssumedRate{of_bandwidth("usual"), of_bandwidth("low"), of_bandwidth("high")};
}

}  // namespace

bool Device::native(Precision precision) const {
  const auto figure = peak_figure(*gpu, precision);
  return precision == Precision::fp32 || (figure && *figure > 0);
}

Precision Device::done_in(Precision precision) const {
  const auto figure = peak_figure(*gpu, precision);
  // Nothing narrower stands in for fp64.
  const bool has_stand_in = precision != Precision::fp32 && precision != Precision::fp64;
  const bool missing = figure && *figure == 0 && has_stand_in;
  return missing ? done_in(fallback(precision)) : precision;
}

std::optional<FlopPerSecond> Device::peak(Precision precision) const {
  const auto figure = peak_figure(*gpu, done_in(precision));
  if (!figure || *figure == 0) return std::nullopt;
  return tflops(*figure) * share;
}

Result<Device> make_device(const catalog::Gpu& gpu, double share, std::optional<double> memory_gb,
                           const Coefficients& coefficients) {
  Device device;
  device.gpu = &gpu;
  device.engines = coefficients.engines.get();
  device.share = share / gpu.devices();
  const auto unknown = [&](std::string what) {
    return usage_error(say("the {} of '{}' is not published, so nothing can be estimated for it", what, gpu.id), "gpu");
  };
  if (!gpu.memory_bandwidth_gbs) return unknown(say("memory bandwidth"));
  device.bandwidth = gb_per_s(*gpu.memory_bandwidth_gbs) * device.share;
  device.assumed_half = assumed_half(gpu, coefficients);
  // What a slice is sold with is in binary gigabytes of frame buffer; a whole card is what its driver reports.
  Bytes total;
  if (share < 1 && memory_gb)
    total = gib(*memory_gb);
  else if (gpu.memory_gib_usable)
    total = gib(*gpu.memory_gib_usable) * device.share;
  else if (gpu.memory_gb)
    total = gb(*gpu.memory_gb) * device.share;
  else
    return unknown(say("memory"));
  device.usable = total - gib(coefficients.driver_reserve_gib.value) * share;
  return device;
}

Result<Device> make_slice(const catalog::Gpu& gpu, double compute, double memory, const Coefficients& coefficients) {
  auto device = make_device(gpu, 1, std::nullopt, coefficients);
  if (!device) return device;
  device->share *= compute;
  device->usable = device->usable * memory;
  device->bandwidth = device->bandwidth * memory;
  return device;
}

BytesPerSecond pcie_bandwidth(const catalog::Gpu& gpu) {
  const double generation = gpu.pcie_gen.value_or(3);
  const double lanes = gpu.pcie_lanes.value_or(16);
  const double gt_per_s = generation >= 6 ? 64 : generation >= 5 ? 32 : generation >= 4 ? 16 : 8;
  return gb_per_s(gt_per_s * lanes * (128.0 / 130.0) / 8);
}

LinkChoice usual_link(const catalog::Gpu& gpu, int gpus) {
  if (gpus <= 1) return {};
  const auto one_way = gb_per_s(gpu.interconnect_gbs_bidir.value_or(0) / 2);
  // A link whose rate is not published is reckoned as what every card has.
  switch (one_way > BytesPerSecond{} ? gpu.interconnect.value_or(GpuLink::none) : GpuLink::none) {
    case GpuLink::nvswitch_capable: return {NodeLink::nvswitch, one_way};
    case GpuLink::nvlink: return {NodeLink::nvlink_mesh, one_way};
    case GpuLink::infinity_fabric: return {NodeLink::xgmi, one_way};
    case GpuLink::ici: return {NodeLink::ici, one_way};
    case GpuLink::neuronlink: return {NodeLink::neuronlink, one_way};
    case GpuLink::hccs: return {NodeLink::hccs, one_way};
    // A bridge is optional and rare in clouds: not assumed.
    case GpuLink::nvlink_bridge:
    case GpuLink::roce:
    case GpuLink::none: break;
  }
  return {NodeLink::pcie, pcie_bandwidth(gpu)};
}

LinkChoice link_of_kind(const catalog::Gpu& gpu, job::Interconnect kind) {
  const auto one_way = gb_per_s(gpu.interconnect_gbs_bidir.value_or(0) / 2);
  if (kind == job::Interconnect::pcie || one_way == BytesPerSecond{}) return {NodeLink::pcie, pcie_bandwidth(gpu)};
  if (kind == job::Interconnect::nvlink) return {NodeLink::nvlink_mesh, one_way};
  return {NodeLink::nvswitch, one_way};
}

std::string_view link_case(NodeLink link) {
  switch (link) {
    case NodeLink::nvlink_pairs:
    case NodeLink::nvlink_mesh: return "nvlink";
    case NodeLink::nvswitch: return "nvswitch";
    case NodeLink::xgmi: return "xgmi";
    default: return "pcie";
  }
}

GroupRates::GroupRates(const Machine& machine, const Coefficients& c) : machine_(machine) {
  const std::string_view link = link_case(machine.link);
  const std::string_view network = machine.rdma ? "rdma" : "tcp";
  link_ = machine.link_bandwidth * c.link_efficiency.of(link);
  beyond_pair_ = machine.link == NodeLink::nvlink_pairs
                     ? pcie_bandwidth(*machine.device.gpu) * c.link_efficiency.of("pcie")
                     : link_;
  network_efficiency_ = c.network_efficiency.of(network);
  link_latency_ = microseconds(c.link_latency_us.of(link));
  network_latency_ = microseconds(c.network_latency_us.of(network));
}

BytesPerSecond GroupRates::bandwidth(int members_per_node, bool crosses_nodes) const {
  // A bridge joins two devices; a group beyond the pair goes over PCIe.
  const BytesPerSecond link = members_per_node > 2 ? beyond_pair_ : link_;
  if (!crosses_nodes) return link;
  const int groups = std::max(1, machine_.gpus_per_node / std::max(1, members_per_node));
  const BytesPerSecond network = machine_.network * (network_efficiency_ / groups);
  return members_per_node <= 1 ? network : std::min(link, network);
}

BytesPerSecond group_bandwidth(const Machine& machine, int members_per_node, bool crosses_nodes,
                               const Coefficients& coefficients) {
  return GroupRates(machine, coefficients).bandwidth(members_per_node, crosses_nodes);
}

Seconds group_latency(const Machine& machine, bool crosses_nodes, const Coefficients& coefficients) {
  return GroupRates(machine, coefficients).latency(crosses_nodes);
}

}  // namespace gpusel::physics
