#include "estimate/counted/cpu_network.hpp"

#include "estimate/counted/products.hpp"
#include "gpusel/base/message.hpp"

namespace gpusel::estimate {

CountedFigures network_on_cpu(const SampleCost& sample, const CountedAsk& ask) {
  const CpuCoefficients& c = ask.c.cpu;
  const double each = value_bytes(ask.plan.precision);
  const double parameters = *ask.work.model->params_b * 1e9;
  const double values = sample.values * ask.batch();
  // Backwards takes twice what forwards does.
  const double passes = ask.training() ? 3 : 1;
  // What layers put out is written once and read once; weights are read once per pass.
  const NetworkPass pass{flop(passes * sample.flops * ask.batch()), bytes(passes * (2 * values + parameters) * each)};
  CountedFigures out;
  out.memory.weights = bytes(parameters * each);
  out.memory.activations =
      bytes(values * each * (ask.training() ? ask.c.samples.saved_copies.value : c.live_share.value));
  if (ask.training()) {
    out.memory.gradients = bytes(parameters * 4);
    out.memory.optimizer = bytes(parameters * 8);
  }
  out.memory.framework = gib(ask.general.context_gib.value);
  const auto found = cpu_pass(ask.machine.host, ask.plan.precision, ask.counted.engine, pass, c);
  if (!found) {
    out.unknown = "processor";
    return out;
  }
  out.latency = found->time;
  out.rate = ask.batch() / found->time.raw() * ask.machine.nodes;
  out.bound_by = found->bound_by;
  out.rate_ratio = {c.interval_low.value, c.interval_high.value};
  out.memory_ratio = {c.memory_low.value, c.memory_high.value};
  if (ask.trace != nullptr)
    ask.trace->push_back(
        {"throughput", say("batch ÷ (FLOPs ÷ (peak of {} × share) + bytes ÷ bandwidth)", to_text(ask.plan.precision)),
         format("{:.3g} GFLOP, {:.3g} MB, {:.0f} cores at {:g} GHz", pass.products.raw() / 1e9, pass.moved.raw() / 1e6,
                cores_of(ask.machine.host), ask.machine.host.ghz),
         format("{:.4g} {}", out.rate, ask.counted.unit.rate), say("data/calibration/cpu.yaml, data/cpus")});
  return out;
}

}  // namespace gpusel::estimate
