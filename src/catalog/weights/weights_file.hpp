// What a file of weights says in its header: tensors, their types and sizes. No weights are loaded.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/document.hpp"
#include "catalog/records/field.hpp"

namespace gpusel::catalog {

/// All tensors of one type: "BF16", "Q4_K".
struct TensorType {
  std::string name;
  double tensors = 0;
  double elements = 0;
  double bytes = 0;
};

/// What a matrix gives for one token, as far as its tensors tell.
struct Output {
  double width = 0;   // values per token
  double values = 0;  // of the whole matrix, where its shape is lost in the packing
};

/// Layers with one beginning of their names: "model.layers.0", "blk.0".
struct LayerStack {
  using Layers = std::set<std::uint32_t>;

  std::string prefix;
  Layers layers;
  double elements = 0;
  /// "mlp.up_proj": which layers have it, and how many values; 0 where they are packed or not known.
  std::map<std::string, std::map<std::uint32_t, double>, std::less<>> modules;
  std::map<std::string, Output, std::less<>> outputs;         // the most of any layer
  std::map<std::string, Layers, std::less<>> packed, scaled;  // fewer bits than 16, and the scales of these
  double experts = 0;                                         // in the tensors that hold all of a layer together
};

struct StoredWeights {
  std::string layout;  // "safetensors" or "gguf"
  double files = 0;
  std::vector<TensorType> types;  // the largest first; empty where only the sum is known
  double bytes = 0;
  double elements = 0;
  double unloaded_bytes = 0;  // multi-token prediction
  double unloaded_elements = 0;
  std::vector<LayerStack> stacks;         // of text, not of vision or multi-token prediction
  std::set<std::uint32_t> prediction;     // layers whose tensors say that they are for multi-token prediction
  Number table_rows, table_width;         // of the token embedding
  std::vector<LayerStack> vision_stacks;  // of towers that read images
  std::vector<std::string> contradicts;   // what does not agree and leaves the figures as they are
  double vision_elements = 0;
  double packed_vision_elements = 0;  // of these, several in one value
  bool has_vision = false;
  bool has_head = false;   // an output projection of its own
  bool has_table = false;  // of words
  bool has_last_norm = false;
  std::string precision;  // a weight format, where the types alone say it; or empty
};

/// A GGUF file in terms of a Hugging Face configuration.
struct GgufModel {
  Node config;
  StoredWeights stored;
};

/// One file, from its header. `layers`: tensors of later layers are for multi-token prediction; 0: unknown.
/// Errors: not such a file; a header that is cut off, too large or contradicts itself.
/// An index: the shards it names, or its total where none of them is there. Errors: a shard that is missing; a tensor
/// that is not where the index says, is there twice, or that it does not name.
Result<StoredWeights> read_safetensors_index(const std::string& path, double layers = 0);
/// All parts of a file that is split into …-00001-of-00003.safetensors, whichever of them was named. Errors: parts
/// that are missing.
Result<StoredWeights> read_safetensors_parts(const std::string& path, double layers = 0);
/// The names of all parts of a file that is split so; only `path` itself where its name does not say it.
std::vector<std::string> parts_of_file(const std::string& path);
/// Tensors that some layers lack, or have smaller, and most others of their kind have, in one sentence; or nothing.
std::optional<std::string> lost_tensors(const LayerStack& stack, std::span<const std::uint32_t> kinds);
/// Experts of a layer, stored one by one or together; 0 where there are none.
double experts_in(const LayerStack& stack);
/// What the layers of a kind must have.
struct LayerNeeds {
  std::uint32_t layer = 0;  // the first of its kind
  bool attention = false;
  bool ffn = false;
};
/// A matrix that goes with others of the same layer, or the whole attention or FFN, where all layers of a kind lack it:
/// its name. `gated`: FFNs have three matrices; `latent`: keys and values are made of a latent.
std::optional<std::string> lost_kind(const LayerStack& stack, const LayerNeeds& needs, bool gated, bool latent);
/// Packed matrices without their scales, in one sentence.
std::optional<std::string> lost_scales(const LayerStack& stack);
bool has_norms(const LayerStack& stack);
bool is_norm(std::string_view tensor);
/// One file, or all parts of one that is split into …-00001-of-00003.gguf.
Result<GgufModel> read_gguf(const std::string& path);

}  // namespace gpusel::catalog
