// What any plan of a job comes to at least, and the arithmetic it is done in unless told otherwise.
#include "gpusel/plan/plan.hpp"

namespace gpusel::plan {

using estimate::Machine;
using workload::Precision;
using workload::Sharding;
using workload::Workload;

Precision best_precision(const estimate::Device& device) {
  if (device.gpu->has_bf16 && device.native(Precision::bf16)) return Precision::bf16;
  if (device.native(Precision::fp16)) return Precision::fp16;
  return Precision::fp32;
}

Bytes least_total_memory(const Workload& work, const estimate::Device& device) {
  if (work.counted) return {};
  if (!workload::is_training(work.task)) {
    const auto formats = allowed_formats(work, device);
    const Bytes weights = formats ? estimate::stored_weights(work, *formats->back()) : Bytes{};
    return work.inference.offload == workload::Offload::none ? weights : weights * estimate::kInFlight;
  }
  const auto sharding = work.training.sharding.value_or(Sharding::zero3);
  const bool sharded = sharding == Sharding::zero3 || sharding == Sharding::fsdp;
  // States that every GPU must hold whole bound a node through a single GPU only.
  const Precision precision = work.training.precision.value_or(best_precision(device));
  return sharded ? estimate::training_states(work, precision) : Bytes{};
}

Seconds least_time(const Workload& work, const Machine& machine) {
  if (work.counted || !workload::is_training(work.task)) return {};
  const auto peak = machine.device.peak(work.training.precision.value_or(best_precision(machine.device)));
  if (!peak) return {};
  const double passes = workload::trains_adapter(work.training.method) ? 2 : 3;
  return flop(2 * passes * work.parameters.active(0) * work.training.tokens) / (*peak * machine.gpus());
}

}  // namespace gpusel::plan
