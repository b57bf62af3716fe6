// What networks that are not counted in tokens have in common on docs/method.md.
#pragma once

#include <algorithm>
#include <cmath>

#include "estimate/counted/coefficients.hpp"
#include "support/page.hpp"

namespace gpusel::test::page {

using catalog::ModelKind;
using estimate::Coefficients;
using estimate::CountedCoefficients;
using estimate::CountedFigures;
using estimate::CountedPlan;
using estimate::Host;
using estimate::Machine;
using estimate::MemoryBreakdown;
using workload::Checkpointing;
using workload::Engine;
using workload::Offload;
using workload::Precision;

/// What all these networks have in common.
class Network {
 public:
  Network(const workload::Workload& of, const CountedPlan& with, const Machine& on)
      : work(of), plan(with), machine(on), m(*of.model) {}

  bool trains() const { return workload::is_training(work.task); }
  bool on_cpu() const { return machine.on_cpu(); }
  double b() const { return static_cast<double>(plan.batch); }
  double n() const { return on_cpu() ? machine.nodes : machine.gpus(); }
  double P() const { return m.params_b.value_or(0) * 1e9; }
  double L() const { return m.layers.value_or(0); }
  double h() const { return m.hidden_size.value_or(0); }
  const catalog::Gpu& gpu() const { return *machine.device.gpu; }
  std::string_view engine() const { return trains() ? "training" : to_text(work.counted->engine); }
  double wide(Precision precision) const {
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
  double value() const { return wide(plan.precision); }
  bool again() const { return plan.checkpointing == Checkpointing::full; }
  double peak(Precision precision) const {
    const auto rate = machine.device.peak(precision);
    return rate ? rate->raw() : 0;
  }
  double BW() const { return machine.device.bandwidth.raw(); }
  double stream() const { return BW() * c.bandwidth_efficiency.value; }
  double states() const {
    switch (work.training.optimizer) {
      case workload::Optimizer::adamw: return 8;
      case workload::Optimizer::sgd: return 4;
      case workload::Optimizer::adafactor: return 0.02;
      default: return 2.06;  // adamw8bit
    }
  }
  double context_memory() const { return c.context_gib.value * kGiB; }
  double collectives() const { return n() > 1 ? c.collectives_gib.of("training") * kGiB : 0; }
  /// As for speech: dense peak · gemm · eager · format, at most 0.9 of the peak.
  double product_rate(bool fused) const {
    const Precision done = machine.device.done_in(plan.precision);
    const double format =
        done == Precision::int8 ? c.low_precision_efficiency.value : c.format_efficiency.of(to_text(done));
    const double eager = fused ? 1 : c.eager_efficiency.of(gpu().architecture);
    return peak(plan.precision) * std::min(0.9, c.gemm_efficiency.of(gpu().architecture) * format * eager);
  }
  /// An all-reduce of so many bytes beside so much other work.
  double reduced(double each, double beside) const {
    if (n() <= 1) return 0;
    const Link with = link(machine, machine.gpus_per_node, machine.nodes > 1);
    const double all = 2 * ring(n()) * each / with.rate + with.latency;
    return std::max(all - c.gradient_overlap.value * beside, c.least_exposed.value * all);
  }
  /// Products and bytes at what a processor does of them.
  mutable double processor_flops = 0, processor_bytes = 0;  // that were worked out last
  double on_processor(double flops, double moved) const {
    processor_flops = flops;
    processor_bytes = moved;
    const Host& host = machine.host;
    const double cores = host.vcpus / std::max(1.0, host.threads_per_core);
    const auto& cpu = *host.cpu;
    const catalog::Number own = plan.precision == Precision::bf16   ? cpu.bf16_flops_per_cycle
                                : plan.precision == Precision::fp16 ? cpu.fp16_flops_per_cycle
                                : plan.precision == Precision::int8 ? cpu.int8_ops_per_cycle
                                                                    : cpu.fp32_flops_per_cycle;
    const double per_cycle = std::max(own.value_or(0), cpu.fp32_flops_per_cycle.value_or(0));
    const double rate = cores * host.ghz * 1e9 * per_cycle;
    const double memory = *cpu.memory_channels * *cpu.memory_mts * 1e6 * 8 * cores / *cpu.cores_per_socket;
    return flops / (rate * more.cpu.matrix_efficiency.of(to_text(work.counted->engine))) +
           moved / (memory * more.cpu.bandwidth_efficiency.value);
  }

  const workload::Workload& work;
  const CountedPlan& plan;
  const Machine& machine;
  const catalog::Model& m;
  const Coefficients& c = coefficients();
  const CountedCoefficients& more = *coefficients().counted;
};

struct NetworkCase {
  workload::Workload work;
  CountedPlan plan;
  Machine machine;
};

inline std::string any_model(std::initializer_list<ModelKind> kinds) {
  std::vector<std::string> found;
  for (const catalog::Model& model : shipped().models())
    if (model.kind && std::ranges::find(kinds, *model.kind) != kinds.end()) found.emplace_back(model.id);
  return any::one_of("model", found);
}

inline NetworkCase any_network(const Asked& asked) {
  auto work = job_of(asked);
  given(work.counted.has_value());
  any::leave_gaps(work);
  Machine machine = any::counting_machine();
  any::leave_gaps(machine);
  CountedPlan plan;
  plan.batch = any::size("batch", 1, 512);
  const std::vector<std::string> formats{"fp16", "bf16", "fp32", "tf32", "fp8", "int8"};
  plan.precision = *from_text<Precision>(any::one_of("arithmetic", formats));
  if (any::coin("recomputes")) plan.checkpointing = Checkpointing::full;
  return {std::move(work), plan, machine};
}

inline CountedFigures figures(const NetworkCase& of, estimate::Trace* trace = nullptr) {
  return counted_figures(of.work, of.machine, of.plan, coefficients(), trace);
}

inline std::string any_engine() {
  return any::one_of("engine", {"pytorch", "torch-compile", "tensorrt", "onnxruntime"});
}

}  // namespace gpusel::test::page
