#include "physics/kinds/diffusion/diffusion_cpu.hpp"

#include "physics/kinds/diffusion/diffusion_size.hpp"
#include "physics/kinds/networks/cpu.hpp"

namespace gpusel::physics {

Figures diffusion_on_cpu(const job::DiffusionJob& job, const CountedAsk& ask) {
  const CpuCoefficients& c = ask.c.cpu;
  const DiffusionSize size = diffusion_size(*ask.work.model, job, ask.c.diffusion);
  const double width = storage_bytes(ask.layout.precision);
  const DiffusionWeights weights = diffusion_weights(ask, width);
  const double passes = size.passes * ask.batch() * static_cast<double>(job.steps);
  // Values are written and read once; the denoiser's weights are read in every step.
  const NetworkPass pass{flop(size.flop() * passes + size.decode_flop * ask.batch()),
                         bytes(2 * size.values * passes * width + 2 * size.decode_values * ask.batch() * width) +
                             weights.denoiser * static_cast<double>(job.steps)};
  Figures out;
  out.memory.weights = weights.all();
  out.memory.activations = bytes(size.values * size.passes * ask.batch() * width * c.live_share.value);
  out.memory.framework = gib(ask.general.context_gib.value);
  out.memory_ratio = {c.memory_low.value, c.memory_high.value};
  const auto found = cpu_pass(ask.machine.host, ask.layout.precision, ask.counted.engine, pass, c, ask.trace);
  if (!found) {
    out.unknown = "processor";
    return out;
  }
  out.latency = found->time;
  out.rate = record(ask.trace, {"throughput", "{:.3g}", ask.counted.unit.rate}, [&](auto told) {
    return told("batch", ask.batch()) * told("frames", job.frames) / told("latency", found->time.raw(), "s") *
           told("nodes", ask.machine.nodes);
  });
  out.bound_by = found->bound_by;
  out.rate_ratio = {c.interval_low.value, c.interval_high.value};
  return out;
}

}  // namespace gpusel::physics
