// A configuration on its way to a model: what was read so far, and the parameters that follow from it.
#pragma once

#include "catalog/hf/layers.hpp"
#include "catalog/records/parameters.hpp"

namespace gpusel::catalog::hf {

struct Shape {
  Keys keys;  // of the text part, then of the whole file
  Keys root;
  ModelClass model_class;
  Model& model;
  std::vector<Layer> layers;  // of the decoder, or of the only stack
  bool nested = false;        // the text is a part of the file

  bool is(Trait trait) const { return model_class.is(trait); }
  double hidden() const { return model.hidden_size.value_or(0); }
  /// Weights of one norm over `width`.
  double norm(double width) const { return is(kNoNorm) ? 0 : width * (is(kNormBias) && !is_biasless() ? 2 : 1); }
  /// Classes with biases state their absence so.
  bool is_biasless() const;
};

/// Whether queries and keys have norms of their own.
bool normalizes_queries(const Shape& shape);

/// Parameters of one layer's token mixing, without the norm in front of it.
double mixer_parameters(const Shape& shape, Mixer mixer);
/// Values of the fixed state that a layer keeps per sequence.
double state_values(const Shape& shape, Mixer mixer);

/// Values of one row of the token embedding.
double table_width(const Shape& shape);

/// Falcon, under its own name and those that its first checkpoints have.
inline bool is_falcon(std::string_view type) { return type == "falcon" || type.starts_with("RefinedWeb"); }
/// The decoder of its larger sizes, with groups of K/V heads.
inline bool is_new_falcon(const Keys& keys, std::string_view type) {
  return keys.truth("new_decoder_architecture", type == "RefinedWeb" && keys.has("n_head_kv"));
}

/// What the experts of a mixture are; nothing for a dense model. The reading has the error where a mixture does not
/// say what it must, and `notes` what was taken from the published defaults of its class.
void read_experts(const Keys& keys, const ModelClass& model_class, Model& model, std::vector<std::string>& notes);

/// All parts of a decoder, an encoder or both; `vision` is left to the towers.
Parameters count_parameters(const Shape& shape);
/// Multi-token-prediction layers that are stored beside the model.
double prediction_parameters(const Shape& shape, const Parameters& parts);

/// What is beside the text: towers and projectors.
struct Towers {
  double parameters = 0;
  double vision_layers = 0;
  double vision_parameters = 0;  // without the projector
  bool vision_known = false;     // by its class
  bool vision_missing = false;   // the model reads images, and the file does not say how
  std::vector<std::string> notes;
  std::string unknown;  // why their size does not follow from the keys; or empty
};
Towers count_towers(const Shape& shape);
/// A vision model alone, or a pair with a text model; `notes` has what was taken from the published defaults.
double count_standalone_tower(const Shape& shape, std::vector<std::string>& notes);

/// What the weights of a checkpoint are stored as: a name among the weight formats, of quantization_config where there
/// is one, else of torch_dtype. What is not known is said in `notes` and taken as 16 bit.
std::string stored_precision(const Keys& keys, const Keys& root, std::vector<std::string>& notes);

/// Side of the blocks that share a scale in fp8 weights; nothing where they have none.
Number stored_block(const Keys& keys);

}  // namespace gpusel::catalog::hf
