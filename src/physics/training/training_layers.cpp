// What a framework does with its layers, and plans that checkpoint some of them only.
#include "job/request/frameworks.hpp"
#include "physics/training/training.hpp"

#include "physics/training/uniform_memory.hpp"

namespace gpusel::physics {

using job::Checkpointing;
using job::Job;

bool has_fused_layers(std::string_view framework) { return job::framework_of(framework).megatron_core; }

bool is_partial(const Layout& layout) { return layout.checkpointing == Checkpointing::full && layout.recomputed < 1; }

bool recomputes_by_layer(const Job& work) { return job::framework_of(work.training.framework).recomputes_some; }

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
  return memory;
}

MemoryBreakdown training_memory(const Job& work, const Machine& machine, const Layout& layout,
                                const Coefficients& coefficients, Trace* trace) {
  const TrainingJob job(work, coefficients);
  const MemoryBreakdown all = uniform_memory(job, machine, layout, trace);
  if (!is_partial(layout)) return all;
  if (trace != nullptr)
    for (TraceLine& line : *trace)
      if (line.quantity == "memory.activations" || line.quantity == "memory.workspace") line.quantity += ".recomputed";
  record(trace, {"memory.recomputed_layers", "{:.0f}", "layers"}, [&](auto told) {
    return told("share that full checkpointing covers", layout.recomputed) * told("layers", work.parameters.layers);
  });
  Layout other = layout;
  other.checkpointing = Checkpointing::none;
  return partial_memory(all, uniform_memory(job, machine, other), layout.recomputed, trace);
}

}  // namespace gpusel::physics
