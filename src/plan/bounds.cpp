// What any plan of a job comes to at least, and the arithmetic it is done in unless told otherwise.
#include <algorithm>

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

namespace {

/// Of the tokens that are counted, the share that the average layer works on: of a sequence an encoder's layers see the
/// source alone, a decoder's the target.
double rows_per_token(const Workload& work) {
  if (!work.model->is_encoder_decoder()) return 1;
  const double layers = work.parameters.layers;
  const double decoder = work.model->decoder_layers.value_or(layers / 2);
  const auto source = static_cast<double>(work.training.seq_len);
  const auto target = static_cast<double>(work.training.target_len);
  return ((layers - decoder) * source + decoder * target) / (layers * (source + target));
}

/// Experts take no more tokens than there is room for.
double active_parameters(const Workload& work) {
  const auto& p = work.parameters;
  return p.body + p.experts * p.routed_share * std::min(1.0, work.training.capacity_factor);
}

}  // namespace

Seconds least_time(const Workload& work, const Machine& machine) {
  if (work.counted || !workload::is_training(work.task)) return {};
  const auto peak = machine.device.peak(work.training.precision.value_or(best_precision(machine.device)));
  if (!peak) return {};
  const double passes = workload::trains_adapter(work.training.method) ? 2 : 3;
  const double rows = work.training.tokens * rows_per_token(work);
  return flop(2 * passes * active_parameters(work) * rows) / (*peak * machine.gpus());
}

}  // namespace gpusel::plan
