// What processors do: ordinary work by cores and clock, networks by the peak of their matrix and vector units and by
// memory bandwidth. Private to this room.
#pragma once

#include <optional>

#include "physics/coefficients.hpp"
#include "physics/machine.hpp"
#include "physics/trace.hpp"

namespace gpusel::physics {

struct CpuCoefficients {
  Coefficient work_per_cycle;        // ordinary work per core and clock, by core design
  Coefficient smt_gain;              // of both threads of a core over one
  Coefficient matrix_efficiency;     // of peak products that batched networks reach, by engine
  Coefficient training_share;        // of that rate that training reaches, by kind of network
  Coefficient bandwidth_efficiency;  // of peak that all cores together reach
  Coefficient live_share;            // of what layers put out that is in memory at once
  Coefficient weight_bytes;          // of 4-bit weights that one core unpacks per clock, by core design
  Coefficient decode_bandwidth;      // of a socket's peak that generating text reaches, by core design
  Coefficient chiplet_cores;         // that share one link to the memory; 0: all of a socket
  Coefficient chiplet_gbs;           // read over that link
  Coefficient prompt_flops;          // of one core per clock while it reads prompts, by core design
  Coefficient prompt_cores_half;     // at which so many cores read half of what they would alone, by matrix unit
  Coefficient system_share;          // of a machine's memory that the kernel keeps
  Coefficient system_gib;            // that a system takes besides
  Coefficient interval_low, interval_high;
  Coefficient memory_low, memory_high;
};

template <class Visitor>
void visit_coefficients(CpuCoefficients& c, Visitor&& v) {
  v("cpu.work_per_cycle", c.work_per_cycle);
  v("cpu.smt_gain", c.smt_gain);
  v("cpu.matrix_efficiency", c.matrix_efficiency);
  v("cpu.training_share", c.training_share);
  v("cpu.bandwidth_efficiency", c.bandwidth_efficiency);
  v("cpu.live_share", c.live_share);
  v("cpu.weight_bytes", c.weight_bytes);
  v("cpu.decode_bandwidth", c.decode_bandwidth);
  v("cpu.chiplet_cores", c.chiplet_cores);
  v("cpu.chiplet_gbs", c.chiplet_gbs);
  v("cpu.prompt_flops", c.prompt_flops);
  v("cpu.prompt_cores_half", c.prompt_cores_half);
  v("cpu.system_share", c.system_share);
  v("cpu.system_gib", c.system_gib);
  v("cpu.interval_low", c.interval_low);
  v("cpu.interval_high", c.interval_high);
  v("cpu.memory_low", c.memory_low);
  v("cpu.memory_high", c.memory_high);
}

/// Cores that the vCPUs of a node are threads of.
double cores_of(const Host& host);

/// Ordinary work of all vCPUs of a node, in GHz of a Skylake core. Nothing where the processor is not known.
std::optional<double> work_speed(const Host& host, const CpuCoefficients& c);

/// Peak of products of a node. What has no path of its own is done as fp32.
std::optional<FlopPerSecond> cpu_peak(const Host& host, job::Precision precision);

/// Peak memory bandwidth of all cores of a socket. Nothing where it is not published.
std::optional<BytesPerSecond> socket_bandwidth(const catalog::Cpu& cpu);

/// Peak memory bandwidth of the cores rented, by their share of a socket.
std::optional<BytesPerSecond> cpu_bandwidth(const Host& host);

/// The work of a network's pass over one batch, whatever it runs on.
struct NetworkPass {
  Flop products;
  Bytes moved;  // weights once, activations written and read
};

/// Time of that pass on all cores of one node, and what bounds it. Nothing where figures of the processor are not
/// published.
struct CpuPass {
  Seconds time;
  std::string_view bound_by;
};
std::optional<CpuPass> cpu_pass(const Host& host, job::Precision precision, job::Engine engine, const NetworkPass& pass,
                                const CpuCoefficients& c, Trace* trace = nullptr);

/// The arithmetic networks are usually run in on a processor: bf16 where it has products for it.
job::Precision usual_on_cpu(const Host& host);

}  // namespace gpusel::physics
