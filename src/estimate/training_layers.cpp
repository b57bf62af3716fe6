// What a framework does with its layers, and plans that checkpoint some of them only.
#include "gpusel/base/message.hpp"
#include "gpusel/estimate/training.hpp"
#include "gpusel/workload/frameworks.hpp"

#include "estimate/uniform_memory.hpp"

namespace gpusel::estimate {

using workload::Checkpointing;
using workload::Workload;

bool has_fused_layers(const Workload& work) { return workload::framework_of(work.training.framework).megatron_core; }

bool is_partial(const TrainingPlan& plan) { return plan.checkpointing == Checkpointing::full && plan.recomputed < 1; }

bool recomputes_by_layer(const Workload& work) {
  return workload::framework_of(work.training.framework).recomputes_some;
}

MemoryBreakdown partial_memory(const MemoryBreakdown& recomputing, const MemoryBreakdown& keeping, double recomputed) {
  MemoryBreakdown memory = recomputing;
  memory.activations += (keeping.activations - memory.activations) * (1 - recomputed);
  memory.workspace += (keeping.workspace - memory.workspace) * (1 - recomputed);
  return memory;
}

MemoryBreakdown training_memory(const Workload& work, const Machine& machine, const TrainingPlan& plan,
                                const Coefficients& coefficients, Trace* trace) {
  const TrainingJob job(work, coefficients);
  const MemoryBreakdown all = uniform_memory(job, machine, plan, trace);
  if (!is_partial(plan)) return all;
  TrainingPlan other = plan;
  other.checkpointing = Checkpointing::none;
  const MemoryBreakdown memory = partial_memory(all, uniform_memory(job, machine, other), plan.recomputed);
  if (trace != nullptr)
    trace->push_back({"memory.recomputed_layers", say("layers that full checkpointing covers; the others keep all"),
                      say("{:.0f} of {:.0f}", plan.recomputed * work.parameters.layers, work.parameters.layers),
                      format("{:.2f} GiB", in_gib(memory.total())), "docs/method.md"});
  return memory;
}

}  // namespace gpusel::estimate
