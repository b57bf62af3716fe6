// What a framework does with its layers, and plans that checkpoint some of them only.
#include <algorithm>

#include "physics/training/training.hpp"

#include "physics/training/uniform_memory.hpp"

namespace gpusel::physics {

using job::Checkpointing;
using job::Job;

bool is_partial(const Layout& layout) { return layout.checkpointing == Checkpointing::full && layout.recomputed < 1; }

bool recomputes_by_layer(const Job& work) { return work.training.framework_record->recomputes_some.value_or(false); }

bool can_checkpoint(const Job& work, Checkpointing kind) {
  return may(work.training.framework_record->checkpointing, to_text(kind));
}

namespace {

/// Of what all layers would need, treated as the one or as the other.
Bytes mixed_bytes(Bytes recomputing, Bytes keeping, double recomputed, const Recorded& entry, Trace* trace) {
  return record(trace, entry, [&](auto told) {
    const auto less = told("if all were recomputed", recomputing);
    return less + (told("if none were", keeping) - less) * (1 - told("share of the layers that is", recomputed));
  });
}

}  // namespace

MemoryBreakdown partial_memory(const MemoryBreakdown& recomputing, const MemoryBreakdown& keeping, double recomputed,
                               Trace* trace) {
  MemoryBreakdown memory = recomputing;
  memory.activations =
      mixed_bytes(memory.activations, keeping.activations, recomputed, {"memory.activations", "{:.2f}", "GiB"}, trace);
  memory.workspace =
      mixed_bytes(memory.workspace, keeping.workspace, recomputed, {"memory.workspace", "{:.2f}", "GiB"}, trace);
  memory.spare = recomputing.spare * recomputed + keeping.spare * (1 - recomputed);
  return memory;
}

void give_back(MemoryBreakdown& memory, Bytes usable, Trace* trace) {
  const Bytes over = std::min(memory.spare, memory.total() - usable);
  if (over <= Bytes{}) return;
  const Bytes held = memory.workspace;
  if (trace != nullptr)
    for (TraceLine& line : *trace)
      if (line.quantity == "memory.workspace") line.quantity = "workspace.held";
  memory.workspace = record(trace, {"memory.workspace", "{:.2f}", "GiB"},
                            [&](auto told) { return told("held", held) - told("slack without room", over); });
  memory.spare = memory.spare - over;
}

double training_deviation(const MemoryBreakdown& memory, const Coefficients& c, Trace* trace) {
  const Bytes states = memory.weights + memory.gradients + memory.optimizer;
  const Bytes needed = memory.needed();
  if (needed <= Bytes{}) return 0;
  return record(trace, {"fit.deviation", "{:.3f}", {}, "calibration"}, [&](auto told) {
    const auto of_states = told("deviation of states", c.states_deviation.value) * told("states", in_gib(states));
    const auto of_rest = told("deviation of activations and buffers", c.activations_deviation.value) *
                         told("activations and workspace", in_gib(needed - states - memory.framework));
    return power(power(of_states, 2.0) + power(of_rest, 2.0), 0.5) / told("needed", in_gib(needed));
  });
}

MemoryBreakdown training_memory(const Job& work, const Machine& machine, const Layout& layout,
                                const Coefficients& coefficients, Trace* trace) {
  const TrainingJob job(work, coefficients);
  MemoryBreakdown memory = uniform_memory(job, machine, layout, trace);
  if (!is_partial(layout)) {
    give_back(memory, machine.device.usable, trace);
    return memory;
  }
  if (trace != nullptr)
    for (TraceLine& line : *trace)
      if (line.quantity == "memory.activations" || line.quantity == "memory.workspace") line.quantity += ".recomputed";
  record(trace, {"memory.recomputed_layers", "{:.0f}", "layers"}, [&](auto told) {
    return told("share that full checkpointing covers", layout.recomputed) * told("layers", work.parameters.layers);
  });
  Layout other = layout;
  other.checkpointing = Checkpointing::none;
  memory = partial_memory(memory, uniform_memory(job, machine, other), layout.recomputed, trace);
  give_back(memory, machine.device.usable, trace);
  return memory;
}

}  // namespace gpusel::physics
