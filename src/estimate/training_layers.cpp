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

MemoryBreakdown training_memory(const Workload& work, const Machine& machine, const TrainingPlan& plan,
                                const Coefficients& coefficients, Trace* trace) {
  MemoryBreakdown memory = uniform_memory(work, machine, plan, coefficients, trace);
  if (!is_partial(plan)) return memory;
  TrainingPlan other = plan;
  other.checkpointing = Checkpointing::none;
  const MemoryBreakdown kept = uniform_memory(work, machine, other, coefficients);
  memory.activations += (kept.activations - memory.activations) * (1 - plan.recomputed);
  memory.workspace += (kept.workspace - memory.workspace) * (1 - plan.recomputed);
  if (trace != nullptr)
    trace->push_back({"memory.recomputed_layers", say("layers that full checkpointing covers; the others keep all"),
                      say("{:.0f} of {:.0f}", plan.recomputed * work.parameters.layers, work.parameters.layers),
                      format("{:.2f} GiB", in_gib(memory.total())), "docs/method.md"});
  return memory;
}

}  // namespace gpusel::estimate
