// What rendering, simulation and video have in common on docs/method.md.
#pragma once

#include <cmath>

#include "estimate/counted/coefficients.hpp"
#include "support/page.hpp"

namespace gpusel::test::page {

using estimate::CountedCoefficients;
using estimate::CountedFigures;
using estimate::CountedPlan;
using estimate::Host;
using estimate::Machine;

inline const CountedCoefficients& c() { return *coefficients().counted; }

struct MachineCase {
  workload::Workload work;
  Machine machine;
  CountedPlan plan;
};

inline CountedFigures figures(const MachineCase& of, estimate::Trace* trace = nullptr) {
  return counted_figures(of.work, of.machine, of.plan, coefficients(), trace);
}

/// Some of them slices.
inline Machine any_machine() {
  Machine machine = any::counting_machine();
  any::leave_gaps(machine);
  if (!machine.on_cpu() && machine.gpus() == 1 && any::coin("slice"))
    machine.device = *estimate::make_device(*machine.device.gpu, any::number("share", 0.1, 0.99),
                                            any::number("slice GiB", 2, 80), coefficients());
  return machine;
}

inline double gpus_of(const Machine& machine) { return machine.on_cpu() ? machine.nodes : machine.gpus(); }

inline double boost_ghz(const catalog::Gpu& gpu) {
  if (gpu.clock_mhz) return *gpu.clock_mhz / 1000;
  const double cores = gpu.cuda_cores.value_or(0);
  return cores > 0 ? gpu.fp32_tflops.value_or(0) * 1000 / (2 * cores) : 0;
}

inline std::string any_codec(std::string_view name) { return any::one_of(name, {"h264", "hevc", "av1"}); }
inline std::string any_size(std::string_view name) {
  return any::one_of(name, {"1080p", "4k", "720p", "640x480", "1440p"});
}

}  // namespace gpusel::test::page
