#include "physics/kinds/networks/processor.hpp"

#include <algorithm>
#include <cmath>

#include "base/words/message.hpp"
#include "physics/kinds/coefficients.hpp"
#include "physics/record.hpp"

namespace gpusel::physics {

namespace {

constexpr double kGiga = 1e9;
constexpr std::string_view kWhere = "data/calibration/cpu.yaml, data/cpus";

/// The units that multiply, by the name coefficients know them by.
std::string_view units_of(const catalog::Cpu& cpu) {
  const bool amx = std::ranges::any_of(cpu.isa, [](std::string_view one) { return one == "amx-int8"; });
  return amx ? "amx" : cpu.arch == catalog::CpuArch::arm64 ? "arm" : "x86";
}

/// What all cores at work ask of the memory: what they unpack, as far as the links of their chiplets let it through.
BytesPerSecond asked_for(const Host& host, const CpuCoefficients& c, Trace* trace) {
  const std::string_view design = host.cpu->architecture;
  const double cores = working_cores(host);
  const double links = std::ceil(cores / std::max(1.0, c.chiplet_cores.of(design)));
  const double per_link = c.chiplet_gbs.of(design);
  return record<BytesPerSecond>(trace, {"processor.cores", "{:.4g}", "GB/s", kWhere}, [&](auto told) {
    const auto unpacked = told("cores", cores) * told("clock", host.ghz * kGiga, "Hz") *
                          told("weights that a core unpacks per clock", c.weight_bytes.of(design), "B");
    return per_link > 0 ? least(unpacked, told("chiplets", links) * told("link of one", per_link * kGiga, "B/s"))
                        : unpacked;
  });
}

/// Reading weights and caches while text is generated: time of the cores and time of the memory add up.
BytesPerSecond reading(const Host& host, const CpuCoefficients& c, Trace* trace) {
  const BytesPerSecond asked = asked_for(host, c, trace);
  const BytesPerSecond socket = *socket_bandwidth(*host.cpu);
  return record(trace, {"processor.bandwidth", "{:.4g}", "GB/s", kWhere}, [&](auto told) {
    const auto cores = told("rate of the cores", asked);
    const auto memory = told("peak of the socket's memory", socket) *
                        told("share that is reached", c.decode_bandwidth.of(host.cpu->architecture));
    return cores * (memory / (cores + memory));
  });
}

/// Products of prompts: the more cores, the more each of them waits.
FlopPerSecond multiplying(const Host& host, const CpuCoefficients& c, Trace* trace) {
  const double half = c.prompt_cores_half.of(units_of(*host.cpu));
  return record<FlopPerSecond>(trace, {"processor.rate", "{:.4g}", "TFLOPS", kWhere}, [&](auto told) {
    const auto cores = told("cores", working_cores(host));
    return cores * told("clock", host.ghz * kGiga, "Hz") *
           told("products of a core per clock", c.prompt_flops.of(host.cpu->architecture), "FLOP") /
           (1.0 + cores / told("cores that halve it", half));
  });
}

Error unknown(const Host& host, std::string what) {
  const std::string_view cpu = host.cpu != nullptr ? host.cpu->id : std::string_view("cpu");
  return {
      ErrorKind::usage, say("the {} of '{}' is not published, so nothing can be estimated for it", what, cpu), {}, {}};
}

std::optional<Error> lacking(const Host& host) {
  if (host.cpu == nullptr) return unknown(host, say("processor"));
  if (!host.cpu->cores_per_socket || host.ghz <= 0) return unknown(host, say("number and clock of the cores"));
  if (!socket_bandwidth(*host.cpu)) return unknown(host, say("memory bandwidth"));
  if (host.memory <= Bytes{}) return unknown(host, say("memory"));
  return std::nullopt;
}

}  // namespace

bool runs_on_cpus(const job::Job& work) {
  if (work.counted) return work.counted->on_cpu;
  return work.task == job::Task::inference && work.model != nullptr && work.model->is_generator() &&
         job::kernels_of(work.inference.engine) == job::Engine::llama_cpp;
}

double working_cores(const Host& host) { return std::min(cores_of(host), host.cpu->cores_per_socket.value_or(0)); }

Result<Machine> machine_for(const job::Job& work, Machine machine, const Coefficients& c) {
  if (work.counted || machine.device.gpu != nullptr) return machine;
  const Host& host = machine.host;
  if (auto error = lacking(host)) return std::unexpected(std::move(*error));
  const CpuCoefficients& cpu = c.counted->cpu;
  auto part = std::make_shared<catalog::Gpu>();
  part->id = host.cpu->id;
  part->vendor = host.cpu->vendor;
  part->name = host.cpu->name;
  part->architecture = host.cpu->architecture;
  machine.device.bandwidth = reading(host, cpu, nullptr);
  part->memory_bandwidth_gbs = machine.device.bandwidth.raw() / kGB;
  part->fp32_tflops = part->fp16_dense_tflops = multiplying(host, cpu, nullptr).raw() / 1e12;
  part->has_fp16 = true;
  machine.device.usable = host.memory * (1 - cpu.system_share.value) - gib(cpu.system_gib.value);
  machine.device.gpu = part.get();
  machine.device.processor = std::move(part);
  machine.device.engines = c.engines.get();
  machine.gpus_per_node = 1;
  return machine;
}

void explain_processor(const Host& host, const Coefficients& c, Trace& trace) {
  reading(host, c.counted->cpu, &trace);
  multiplying(host, c.counted->cpu, &trace);
}

}  // namespace gpusel::physics
