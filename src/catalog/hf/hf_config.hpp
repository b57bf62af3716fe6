// A model out of a Hugging Face config.json: the same record as a catalogue entry.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/io/document.hpp"
#include "catalog/records/parameters.hpp"
#include "catalog/weights/weights_file.hpp"

namespace gpusel::catalog {

/// What the tensors of a decoder of a known class can be compared with; no layers: with nothing.
struct LayerKinds {
  std::vector<std::uint32_t> of_layer;  // layers of one kind have the same tensors
  bool have_norms = false;
  bool has_last_norm = false;  // behind the last layer
};

/// Owns the texts its model points to.
struct ConfigModel {
  Model model;
  Parameters recount;                   // by part, from the shape alone
  double prediction_parameters = 0;     // multi-token-prediction layers beside them; not in params_b
  std::vector<std::string> unread;      // keys that were not understood and may matter
  std::vector<std::string> notes;       // what was taken for granted
  std::optional<StoredWeights> stored;  // what the files of weights hold, where they were given
  bool class_known = false;             // else counted as a plain one
  bool is_for_generation = false;       // its publisher names a class with an output projection
  double prediction_layers = 0;         // for multi-token prediction, stored behind the model's own
  double empty_layers = 0;              // without any weights
  double table_width = 0;               // of one row of the token embedding
  LayerKinds layer_kinds;
  std::deque<std::string> texts;
};

/// From the object of a config.json, or of an inline model in a request (which may also say
/// params_b, active_params_b, layer_types, sliding_window, kv_lora_rank, qk_rope_head_dim).
/// Errors: a key of the wrong kind, with its position; a shape that is not clear; a class whose size
/// does not follow from its keys.
Result<std::unique_ptr<ConfigModel>> read_config(const Node& root, const std::string& name);

/// `path`: a config.json; a .gguf file; a .safetensors file or an index of several, with config.json beside
/// it; or a directory that holds such files. Of weights only the headers are read.
Result<std::unique_ptr<ConfigModel>> read_model_file(const std::string& path);

/// Whether a model name can only be a path.
bool looks_like_path(std::string_view name);

}  // namespace gpusel::catalog
