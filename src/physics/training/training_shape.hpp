// What a training sequence looks like to the layers of a model: rows, keys, and widths of what is kept.
#pragma once

#include "physics/training/training.hpp"

namespace gpusel::physics {

/// One sequence as the average layer sees it. The encoder of an encoder-decoder works on the source,
/// its decoder on the target and, through cross-attention, on the source.
struct SequenceShape {
  double rows = 0;      // tokens through the average layer, virtual ones included
  double targets = 0;   // tokens that get logits
  double counted = 0;   // tokens of source and target, virtual ones not counted
  double keys = 0;      // that a row's scores are for, in the average layer
  double all_keys = 0;  // the same, summed over the layers that have scores
  double attended = 0;  // those that a mask leaves
  double kv_rows = 0;   // rows of keys and values for each row of queries
};
SequenceShape sequence_shape(const job::Job& work);

/// Values per token of queries, keys, values and the attention's output on all tensor ranks together,
/// and of the compressed forms that latent attention keeps beside them. A rank holds at least one K/V head.
struct AttentionWidths {
  double q = 0, k = 0, v = 0, o = 0;
  double latent = 0;
};
AttentionWidths attention_widths(const catalog::Model& model, int tp);

/// Columns of the FFN that one token passes in the average layer: of a mixture of experts, those of its
/// experts, padded to their capacity, and of the shared ones.
double ffn_columns(const job::Job& work);

}  // namespace gpusel::physics
