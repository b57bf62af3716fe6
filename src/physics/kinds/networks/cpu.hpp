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
  Coefficient bandwidth_efficiency;  // of peak that all cores together reach
  Coefficient live_share;            // of what layers put out that is in memory at once
  Coefficient interval_low, interval_high;
  Coefficient memory_low, memory_high;
};

template <class Visitor>
void visit_coefficients(CpuCoefficients& c, Visitor&& v) {
  v("cpu.work_per_cycle", c.work_per_cycle);
  v("cpu.smt_gain", c.smt_gain);
  v("cpu.matrix_efficiency", c.matrix_efficiency);
  v("cpu.bandwidth_efficiency", c.bandwidth_efficiency);
  v("cpu.live_share", c.live_share);
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
