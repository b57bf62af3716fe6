// What a file of weights says in its header: tensors, their types and sizes. No weights are loaded.
#pragma once

#include <string>
#include <vector>

#include "base/io/document.hpp"

namespace gpusel::catalog {

/// All tensors of one type: "BF16", "Q4_K".
struct TensorType {
  std::string name;
  double tensors = 0;
  double elements = 0;
  double bytes = 0;
};

struct StoredWeights {
  std::string layout;  // "safetensors" or "gguf"
  double files = 0;
  std::vector<TensorType> types;  // the largest first; empty where only the sum is known
  double bytes = 0;
  double elements = 0;
  double unloaded_bytes = 0;  // multi-token prediction
  double vision_elements = 0;
  bool has_head = false;  // an output projection of its own
  std::string precision;  // a weight format, where the types alone say it; or empty
};

/// A GGUF file in terms of a Hugging Face configuration.
struct GgufModel {
  Node config;
  StoredWeights stored;
};

/// One file, from its header. `layers`: tensors of later layers are for multi-token prediction; 0: unknown.
/// Errors: not such a file; a header that is cut off, too large or contradicts itself.
Result<StoredWeights> read_safetensors(const std::string& path, double layers = 0);
/// An index: the shards it names, or its total where none of them is there.
Result<StoredWeights> read_safetensors_index(const std::string& path, double layers = 0);
/// One file, or all parts of one that is split into …-00001-of-00003.gguf.
Result<GgufModel> read_gguf(const std::string& path);

}  // namespace gpusel::catalog
