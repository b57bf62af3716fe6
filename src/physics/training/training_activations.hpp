// What a pipeline stage holds for its backward pass, and over what it holds it.
#pragma once

#include "physics/training/training_job.hpp"

namespace gpusel::physics {

/// One pipeline stage as one GPU of it sees it.
struct Stage {
  double layers = 0;   // of the body
  double body = 0;     // parameters of one tensor-parallel rank, before sharding
  double experts = 0;  // routed experts, before they are spread over GPUs
  double ends = 0;     // embedding and output head
  double microbatches_alive = 0;
  bool has_logits = false;
};

Stage make_stage(const TrainingJob& job, const Layout& layout, bool first, bool last);

/// Transformer Engine keeps inputs of products, and frozen weights, in the 8 bit that it multiplies in.
bool saves_in_8_bit(const TrainingJob& job, const Layout& layout);

/// Sets of its activations that a stage holds at once.
double microbatches_alive(const TrainingJob& job, const Layout& layout, bool first);

TokenBytes layer_bytes_per_token(const TrainingJob& job, const Layout& layout);

struct Activations {
  Bytes per_layer;   // of one micro-batch, for each layer and micro-batch in flight
  double alive = 0;  // of those layers
  Bytes once;        // beside them: one layer that is under way
  Bytes logits;

  /// All of it but the logits; `what` a layer keeps, in words.
  template <class Tell, class Words>
  auto kept(const Tell& told, const Words& what) const {
    return told(what, per_layer) * told("layers in flight", alive) + told.some("one layer in progress", once);
  }
};

Activations stage_activations(const TrainingJob& job, const Layout& layout, const Stage& stage, Trace* trace = nullptr);

}  // namespace gpusel::physics
