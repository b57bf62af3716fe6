#include "physics/kinds/networks/cpu_network.hpp"

#include "physics/kinds/networks/network.hpp"
#include "physics/kinds/networks/products.hpp"

namespace gpusel::physics {

Figures network_on_cpu(const SampleCost& sample, const CountedAsk& ask) {
  const CpuCoefficients& c = ask.c.cpu;
  const double each = value_bytes(ask.layout.precision);
  const double parameters = *ask.work.model->params_b * 1e9;
  const double values = sample.values * ask.batch();
  // Backwards takes twice what forwards does.
  const double passes = ask.training() ? 3 : 1;
  // What layers put out is written once and read once; weights are read once per pass.
  const NetworkPass pass{flop(passes * sample.flops * ask.batch()), bytes(passes * (2 * values + parameters) * each)};
  Figures out;
  out.memory.weights = bytes(parameters * each);
  out.memory.activations =
      bytes(values * each * (ask.training() ? ask.c.samples.saved_copies.value : c.live_share.value));
  if (ask.training()) {
    out.memory.gradients = bytes(parameters * 4);
    out.memory.optimizer = bytes(parameters * 8);
  }
  out.memory.framework = gib(ask.general.context_gib.value);
  const auto found = cpu_pass(ask.machine.host, ask.layout.precision, ask.counted.engine, pass, c, ask.trace);
  if (!found) {
    out.unknown = "processor";
    return out;
  }
  const double share = ask.training() ? c.training_share.of(kind_of(*ask.work.model)) : 1;
  out.latency = found->time / share;
  out.rate = record(ask.trace, {"throughput", "{:.4g}", ask.counted.unit.rate}, [&](auto told) {
    const auto alone =
        told("batch", ask.batch()) / told("time of a pass", found->time.raw(), "s") * told("nodes", ask.machine.nodes);
    return share != 1 ? alone * told("share that training reaches", share) : alone;
  });
  out.bound_by = found->bound_by;
  out.rate_ratio = {c.interval_low.value, c.interval_high.value};
  out.memory_ratio = {c.memory_low.value, c.memory_high.value};
  return out;
}

}  // namespace gpusel::physics
