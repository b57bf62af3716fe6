// What a pipeline stage holds for its backward pass, and over what it holds it.
#pragma once

#include "gpusel/estimate/training.hpp"

namespace gpusel::estimate {

/// One pipeline stage as one GPU of it sees it.
struct Stage {
  double layers = 0;   // of the body
  double body = 0;     // parameters of one tensor-parallel rank, before sharding
  double experts = 0;  // routed experts, before they are spread over GPUs
  double ends = 0;     // embedding and output head
  double microbatches_alive = 1;
  bool has_logits = false;
};

Stage make_stage(const workload::Workload& work, const TrainingPlan& plan, bool first, bool last,
                 const Coefficients& c);

/// Bytes of a value that is computed with: 4 where the arithmetic stores fp32, else 2.
double storage_bytes(workload::Precision precision);

/// Bytes that one token leaves in one layer for its backward pass when nothing is recomputed.
double layer_bytes_per_token(const workload::Workload& work, const TrainingPlan& plan, const Coefficients& c);

/// Softmax input, output and dropout mask of heads × s per token and layer, where attention is not fused.
double score_bytes_per_token(const workload::Workload& work, const TrainingPlan& plan);

struct Activations {
  Bytes kept;
  Bytes logits;
};

Activations stage_activations(const workload::Workload& work, const TrainingPlan& plan, const Stage& stage,
                              const Coefficients& c);

}  // namespace gpusel::estimate
