// What no plan changes of a training job: looked up and counted once, however many plans are weighed.
#pragma once

#include <optional>

#include "physics/serving/group_rates.hpp"
#include "physics/training/training_shape.hpp"

namespace gpusel::physics {

/// Bytes that one token leaves in one layer for its backward pass when nothing is recomputed.
struct TokenBytes {
  double whole = 0;    // between the products of attention and FFN
  double divided = 0;  // in them: tensor ranks have a part each
  double scores = 0;   // softmax input, output and dropout mask, where attention is not fused

  /// All but the scores on one tensor rank; with sequence parallelism ranks share what lies between products too.
  double linear_on(int tp, bool shared) const { return whole / (shared ? tp : 1) + divided / tp; }
};

/// Both arguments outlive it.
struct TrainingJob {
  TrainingJob(const job::Job& of, const Coefficients& coefficients);

  const job::Job& work;
  const Coefficients& c;
  const catalog::Framework& framework;
  catalog::LayerCode code;  // whose layers and loss run
  SequenceShape sequence;
  AttentionWidths widths;  // of all tensor ranks together
  double trainable = 0;    // parameters that receive gradients
  double ffn_columns = 0;  // that one token passes

  // Coefficients of its framework.
  double chunk_layers = 0;
  double gated_bytes = 0;
  double logits_bytes = 0;
  double selective_share = 0;
  double step_bytes = 0;
  double unquantised_bytes = 0;
  double collectives_gib = 0;
  double score_bytes = 0;
  double pointwise_bytes = 0;
  double adapter_bytes = 0;
  double launch_exposed = 0;
  double logit_traffic = 0;
  double layer_us = 0;  // of launching, adapters included
  double tensor_exposed = 0;
  double slack = 0;  // what the caching allocator holds beyond what is alive, as a share of it

  /// Parts that a pipeline stage's layers are cut into; 1 without a pipeline.
  double chunks(const Layout& layout) const;
  const TokenBytes& token_bytes(const Layout& layout) const;

  /// Every matrix learns, and no adapter or virtual token beside frozen ones.
  bool trains_all() const;
  /// Norms of plain PyTorch, which work in fp32.
  bool unfused_norms() const;
  /// Autocast keeps fp32 weights, and what runs from layer to layer has their format; sharded weights are narrowed.
  bool stream_in_fp32(const Layout& layout) const;

 private:
  struct PerToken {
    int tp;
    job::Precision precision;
    bool flash_attention;
    bool in_fp32;
    TokenBytes bytes;
  };
  mutable std::optional<PerToken> per_token_;  // of the last plan: the next one often divides layers as it does
};

/// What no plan of one arithmetic changes of a machine. All arguments outlive it.
struct TrainingRates {
  TrainingRates(const Machine& machine, job::Precision precision, const Coefficients& c);

  job::Precision precision;
  std::optional<FlopPerSecond> peak;  // nothing where it is not published
  FlopPerSecond attention_peak;       // fused attention works at 16 bit whatever the products around it do
  GroupRates groups;
  double products = 0;  // share of peak that large products reach
  double attention = 0;
  double eager = 0;             // where layers are not fused
  double cast_bytes = 0;        // by Transformer Engine
  double loose_cast_bytes = 0;  // by anything else
};

}  // namespace gpusel::physics
