// What a model class implies and its config.json does not say.
#pragma once

#include <string_view>

#include "catalog/records/model.hpp"

namespace gpusel::catalog::hf {

/// Ways in which a class departs from the plain decoder: gated FFN, two RMS norms per layer, no biases,
/// a head of its own, rotary positions.
enum Trait : unsigned {
  kPlainFfn = 1U << 0U,  // two matrices
  kTied = 1U << 1U,      // when tie_word_embeddings is absent
  kQkvBias = 1U << 2U,   // on queries, keys and values
  kOutBias = 1U << 3U,   // on the attention's output
  kFfnBias = 1U << 4U,
  kNormBias = 1U << 5U,    // layer norms with a bias
  kQkNorm = 1U << 6U,      // a norm of a head's width on queries and keys
  kWideQkNorm = 1U << 7U,  // a norm over all heads on queries and keys
  kSandwich = 1U << 8U,    // norms before and after attention and FFN
  kOneNorm = 1U << 9U,     // attention and FFN side by side behind one norm
  kNoNorm = 1U << 10U,     // norms without weights
  kPositions = 1U << 11U,  // a table of learned positions
  kHeadBias = 1U << 12U,
  kPooler = 1U << 13U,     // a dense layer behind the first token
  kTableNorm = 1U << 14U,  // a norm behind the embedding
  kSinks = 1U << 15U,      // a learned logit per head
  kExpertBias = 1U << 16U,
  kSharedGate = 1U << 17U,  // a gate in front of the shared expert
  kQueryGate = 1U << 18U,   // a gate as wide as the queries
  kAttentionFree = 1U << 19U,
  kPostNorm = 1U << 20U,          // T5's and BERT's families: no norm behind the last layer
  kMerged = 1U << 21U,            // states the width of both FFN branches together
  kPositionsBehind = 1U << 22U,   // two rows of padding before the positions
  kFourfold = 1U << 23U,          // an FFN four times as wide as the model where its width is left out
  kMixture = 1U << 24U,           // of experts, always
  kExpertWidth = 1U << 25U,       // experts of another width than dense layers: moe_intermediate_size
  kHybrid = 1U << 26U,            // some layers mix tokens otherwise than by attention, and the file says which
  kOrDense = 1U << 27U,           // a mixture, unless the file says that there are no experts
  kAttentionExperts = 1U << 28U,  // queries and outputs in each expert, as wide as the keys that all share
};

struct ModelClass {
  std::string_view type;
  ModelKind kind = ModelKind::decoder_llm;
  unsigned traits = 0;
  double head_dim = 0;    // where the config leaves it out
  double full_every = 0;  // one layer in so many sees everything, the others a window
  double window = 0;      // where the config leaves it out

  bool is(Trait trait) const { return (traits & trait) != 0; }
};

/// Nothing for a class that is not known.
const ModelClass* find_class(std::string_view type);
/// Why a class is known and still not read: its layers cannot be told from the configuration. Or empty.
std::string_view refusal(std::string_view type);

}  // namespace gpusel::catalog::hf
