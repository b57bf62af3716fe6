// What any plan of a job comes to at least, and the arithmetic it is done in unless told otherwise.
#include <algorithm>

#include "physics/planner/plan.hpp"

namespace gpusel::physics {

using job::Job;
using job::Precision;
using job::Sharding;
using physics::Machine;

Precision best_precision(const physics::Device& device) {
  if (device.gpu->has_bf16 && device.native(Precision::bf16)) return Precision::bf16;
  if (device.native(Precision::fp16)) return Precision::fp16;
  return Precision::fp32;
}

Bytes least_total_memory(const Job& work, const physics::Device& device) {
  if (work.counted) return {};
  if (!job::is_training(work.task)) {
    const auto formats = allowed_formats(work, device);
    const Bytes weights = formats ? physics::stored_weights(work, *formats->back()) : Bytes{};
    return work.inference.offload == job::Offload::none ? weights : weights * physics::kInFlight;
  }
  const auto sharding = work.training.sharding.value_or(Sharding::zero3);
  const bool sharded = sharding == Sharding::zero3 || sharding == Sharding::fsdp;
  // States that every GPU must hold whole bound a node through a single GPU only.
  const Precision precision = work.training.precision.value_or(best_precision(device));
  return sharded ? physics::training_states(work, precision) : Bytes{};
}

namespace {

/// Of the tokens that are counted, the share that the average layer works on: of a sequence an encoder's layers see the
/// source alone, a decoder's the target.
double rows_per_token(const Job& work) {
  if (!work.model->is_encoder_decoder()) return 1;
  const double layers = work.parameters.layers;
  const double decoder = work.model->decoder_layers.value_or(layers / 2);
  const auto source = static_cast<double>(work.training.seq_len);
  const auto target = static_cast<double>(work.training.target_len);
  return ((layers - decoder) * source + decoder * target) / (layers * (source + target));
}

/// Experts take no more tokens than there is room for.
double active_parameters(const Job& work) {
  const auto& p = work.parameters;
  return p.body + p.experts * p.routed_share * std::min(1.0, work.training.capacity_factor);
}

}  // namespace

Seconds least_time(const Job& work, const Machine& machine) {
  if (work.counted || !job::is_training(work.task)) return {};
  const auto peak = machine.device.peak(work.training.precision.value_or(best_precision(machine.device)));
  if (!peak) return {};
  const double passes = job::trains_adapter(work.training.method) ? 2 : 3;
  const double rows = work.training.tokens * rows_per_token(work);
  return flop(2 * passes * active_parameters(work) * rows) / (*peak * machine.gpus());
}

}  // namespace gpusel::physics
