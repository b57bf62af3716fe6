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
  bool has_last_norm = false;     // behind the last layer
  std::vector<LayerNeeds> needs;  // of each kind
};

/// The tower that reads images; nothing: none is described.
struct VisionTower {
  double layers = 0;
  double parameters = 0;  // without what fits it to the text model
  bool is_known = false;  // its class is, so that its size is exact
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
  VisionTower tower;
  std::deque<std::string> texts;
};

/// What is said of a model that reads images and does not describe how.
std::string tower_is_missing();

/// Where a size that a configuration states comes from: its tensors' own is not compared with the shape here.
enum class StatedSize : std::uint8_t { somebody, tensors };

/// From the object of a config.json, or of an inline model in a request (which may also say
/// params_b, active_params_b, layer_types, sliding_window, kv_lora_rank, qk_rope_head_dim).
/// Errors: a key of the wrong kind, with its position; a size far below the shape's; a shape that is not clear; a class
/// whose size does not follow from its keys.
Result<std::unique_ptr<ConfigModel>> read_config(const Node& root, const std::string& name,
                                                 StatedSize size = StatedSize::somebody);

/// `path`: a config.json; a .gguf file; a .safetensors file or an index of several, with config.json beside
/// it; or a directory that holds such files. Of weights only the headers are read.
Result<std::unique_ptr<ConfigModel>> read_model_file(const std::string& path);

/// Whether a model name can only be a path.
bool looks_like_path(std::string_view name);

}  // namespace gpusel::catalog
