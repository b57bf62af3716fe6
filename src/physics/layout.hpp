// How work is laid out on the devices of a machine.
#pragma once

#include "job/job.hpp"
#include "physics/formats.hpp"

namespace gpusel::physics {

/// Everything a planner chooses, whatever the kind of work. What a kind does not choose stays as it is here: undivided,
/// nothing recomputed. Degrees multiply to the number of GPUs: tp·pp·cp·dp.
struct Layout {
  const WeightFormat* weights = nullptr;  // of a served model; null: as it is computed in
  job::KvPrecision kv = job::KvPrecision::bf16;
  job::Precision precision = job::Precision::bf16;
  job::Sharding sharding = job::Sharding::none;
  int tp = 1;
  int pp = 1;
  int cp = 1;
  int ep = 1;                    // inside dp·cp
  int dp = 1;                    // data-parallel ranks, or replicas
  std::int64_t micro_batch = 1;  // sequences or items per GPU and pass
  std::int64_t grad_accum = 1;
  job::Checkpointing checkpointing = job::Checkpointing::none;
  double recomputed = 1;  // share of the layers that full checkpointing covers
  bool flash_attention = true;
  job::Offload offload = job::Offload::none;

  std::int64_t global_batch() const { return micro_batch * dp * grad_accum; }
};

}  // namespace gpusel::physics
