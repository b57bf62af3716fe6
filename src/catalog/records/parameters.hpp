// Where a model's parameters are. Memory needs all of them, a token's arithmetic only the active
// ones, quantisation leaves some at 16 bit, and pipeline stages hold different parts.
#pragma once

#include "base/values/error.hpp"
#include "catalog/records/model.hpp"

namespace gpusel::catalog {

/// Counts of parameters (not billions). Their sum is total().
struct Parameters {
  double embedding = 0;         // token embedding table
  double head = 0;              // output projection; 0 when tied to the embedding
  double body = 0;              // attention, dense FFN, shared experts, norms: the same for every token
  double experts = 0;           // routed experts, all of them
  double vision = 0;            // vision tower and projector
  double mtp = 0;               // multi-token-prediction layers
  double layer_embeddings = 0;  // per-layer embedding tables

  double layers = 0;        // the body is spread over
  double moe_layers = 0;    // the experts are spread over
  double routed_share = 0;  // experts_per_token / experts
  double ffn_matrices = 3;
  bool is_gated() const { return ffn_matrices == 3; }

  double total() const { return embedding + head + body + experts + vision + mtp + layer_embeddings; }
  /// What inference loads: all but multi-token prediction.
  double loaded() const { return total() - mtp; }
  /// In matrix products per token, the output projection included (tied or not).
  double active(double output_projection) const { return body + experts * routed_share + output_projection; }
};

/// From the published total and the shape. An error when the shape is unknown, contradicts itself, or
/// needs more than twice or less than half of the total: a figure in another unit.
Result<Parameters> parameters_of(const Model& model);

/// Fills in what a description of a mixture of experts leaves open and its sizes tell: the experts' width
/// where the given one is the dense layers', and the experts per token; two where nothing tells.
void complete_experts(Model& model);

/// Parameters of one layer's attention: h·d·(heads + 2·kv_heads) + heads·d·h, or the low-rank
/// matrices of multi-head latent attention.
double attention_parameters(const Model& model);

/// Parameters beside the layers of the language model, in billions: towers, heads of further tokens, tables.
double parts_billions(const Model& model);

/// What has to be stored, in billions, where the shape is the whole of it: a language model whose layers are of one
/// kind. Unknown otherwise.
Number size_from_shape(const Model& model);
/// "0.7 B parameters, but its layers, heads and vocabulary add up to 70.6 B".
std::string size_words(const Model& model, double from_shape);

/// The count that the shape alone gives, in billions (biases left out: under 0.1 % where they exist).
Number parameters_from_shape(const Model& model);

}  // namespace gpusel::catalog
