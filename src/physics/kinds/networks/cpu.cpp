#include "physics/kinds/networks/cpu.hpp"

#include <algorithm>

#include "physics/record.hpp"

namespace gpusel::physics {

using catalog::Cpu;
using job::Precision;

namespace {

catalog::Number per_cycle(const Cpu& cpu, Precision precision) {
  switch (precision) {
    case Precision::bf16: return cpu.bf16_flops_per_cycle;
    case Precision::fp16: return cpu.fp16_flops_per_cycle;
    case Precision::int8: return cpu.int8_ops_per_cycle;
    default: return cpu.fp32_flops_per_cycle;
  }
}

}  // namespace

double cores_of(const Host& host) { return host.vcpus / std::max(1.0, host.threads_per_core); }

std::optional<double> work_speed(const Host& host, const CpuCoefficients& c) {
  if (host.cpu == nullptr || host.ghz == 0) return std::nullopt;
  const double threads = host.threads_per_core > 1 ? c.smt_gain.value : 1;
  return cores_of(host) * threads * host.ghz * c.work_per_cycle.of(host.cpu->architecture);
}

std::optional<FlopPerSecond> cpu_peak(const Host& host, Precision precision) {
  if (host.cpu == nullptr || host.ghz == 0) return std::nullopt;
  const double own = per_cycle(*host.cpu, precision).value_or(0);
  const double done = std::max(own, host.cpu->fp32_flops_per_cycle.value_or(0));
  if (done == 0) return std::nullopt;
  return FlopPerSecond::raw(cores_of(host) * host.ghz * 1e9 * done);
}

std::optional<BytesPerSecond> socket_bandwidth(const Cpu& cpu) {
  if (!cpu.memory_channels || !cpu.memory_mts) return std::nullopt;
  constexpr double kBytesPerTransfer = 8;
  return BytesPerSecond::raw(*cpu.memory_channels * *cpu.memory_mts * 1e6 * kBytesPerTransfer);
}

std::optional<BytesPerSecond> cpu_bandwidth(const Host& host) {
  const auto socket = host.cpu != nullptr ? socket_bandwidth(*host.cpu) : std::nullopt;
  if (!socket || !host.cpu->cores_per_socket) return std::nullopt;
  return *socket * (cores_of(host) / *host.cpu->cores_per_socket);
}

std::optional<CpuPass> cpu_pass(const Host& host, Precision precision, job::Engine engine, const NetworkPass& pass,
                                const CpuCoefficients& c, Trace* trace) {
  const auto peak = cpu_peak(host, precision);
  const auto bandwidth = cpu_bandwidth(host);
  if (!peak || !bandwidth) return std::nullopt;
  const Seconds products = pass.products / (*peak * c.matrix_efficiency.of(to_text(engine)));
  const Seconds moving = pass.moved / (*bandwidth * c.bandwidth_efficiency.value);
  const Recorded entry{"latency", "{:.3g}", "s", "data/calibration/cpu.yaml, data/cpus"};
  const Seconds time = record(trace, entry, [&](auto told) {
    return told("FLOP", pass.products) / (told([&] { return say("peak of {}", to_text(precision)); }, *peak) *
                                          told("share reached", c.matrix_efficiency.of(to_text(engine)))) +
           told("bytes moved", pass.moved) /
               (told("bandwidth", *bandwidth) * told("share reached", c.bandwidth_efficiency.value));
  });
  return CpuPass{time, products > moving ? "compute" : "memory-bandwidth"};
}

Precision usual_on_cpu(const Host& host) {
  const bool has = host.cpu != nullptr && host.cpu->bf16_flops_per_cycle.value_or(0) != 0;
  return has ? Precision::bf16 : Precision::fp32;
}

}  // namespace gpusel::physics
