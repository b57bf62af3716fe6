#include "support/page.hpp"

#include <algorithm>

namespace gpusel::test::page {

double pcie(const catalog::Gpu& gpu) {
  const int generation = static_cast<int>(gpu.pcie_gen.value_or(3));
  const double gt_per_s = std::exp2(std::clamp(generation, 3, 6));
  return gt_per_s * gpu.pcie_lanes.value_or(16) * 128 / 130 / 8 * 1e9;
}

bool is_consumer(const catalog::Gpu& gpu) {
  return gpu.capability.value_or(0) >= 7.5 && gpu.fp16_dense_tflops.value_or(1e9) < 2.5 * gpu.fp32_tflops.value_or(0);
}

Link link(const estimate::Machine& machine, int members_here, bool crosses) {
  using catalog::NodeLink;
  const auto& c = coefficients();
  std::string_view kind = "pcie";
  if (machine.link == NodeLink::nvlink_mesh || machine.link == NodeLink::nvlink_pairs) kind = "nvlink";
  if (machine.link == NodeLink::nvswitch) kind = "nvswitch";
  if (machine.link == NodeLink::xgmi) kind = "xgmi";
  const std::string_view network = machine.rdma ? "rdma" : "tcp";
  Link out;
  out.rate = machine.link_bandwidth.raw() * c.link_efficiency.of(kind);
  if (machine.link == NodeLink::nvlink_pairs && members_here > 2)
    out.rate = pcie(*machine.device.gpu) * c.link_efficiency.of("pcie");
  out.latency = c.link_latency_us.of(kind) * 1e-6;
  if (!crosses) return out;
  const double groups = std::max(1, machine.gpus_per_node / std::max(1, members_here));
  const double shared = machine.network.raw() * c.network_efficiency.of(network) / groups;
  out.rate = members_here <= 1 ? shared : std::min(out.rate, shared);
  out.latency = c.network_latency_us.of(network) * 1e-6;
  return out;
}

std::string said(const estimate::Trace& trace, std::string_view quantity) {
  const auto found = std::ranges::find(trace, quantity, &estimate::TraceLine::quantity);
  must(found != trace.end(), std::string(quantity));
  return found->formula + " = " + found->substituted;
}

void must_say(const estimate::Trace& trace, std::string_view quantity, const std::string& words) {
  const std::string all = said(trace, quantity);
  must(all.find(words) != std::string::npos, all + " does not say " + words);
}

void must_have(const estimate::MemoryBreakdown& is, const estimate::MemoryBreakdown& page) {
  must_be_near(is.weights.raw(), page.weights.raw(), "weights");
  must_be_near(is.gradients.raw(), page.gradients.raw(), "gradients");
  must_be_near(is.optimizer.raw(), page.optimizer.raw(), "optimiser");
  must_be_near(is.activations.raw(), page.activations.raw(), "activations");
  must_be_near(is.kv_cache.raw(), page.kv_cache.raw(), "cache");
  must_be_near(is.workspace.raw(), page.workspace.raw(), "workspace");
  must_be_near(is.framework.raw(), page.framework.raw(), "framework");
}

double figure(const estimate::CountedFigures& figures, std::string_view key) {
  const auto found = std::ranges::find(figures.more, key, &estimate::NamedFigure::key);
  must(found != figures.more.end(), std::string(key));
  return found->value;
}

}  // namespace gpusel::test::page
