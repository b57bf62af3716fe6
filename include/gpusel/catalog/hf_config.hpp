// A model out of a Hugging Face config.json: the same record as a catalogue entry.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "gpusel/base/document.hpp"
#include "gpusel/catalog/model.hpp"

namespace gpusel::catalog {

/// Owns the texts its model points to.
struct ConfigModel {
  Model model;
  std::vector<std::string> unread;  // keys that were not used
  std::deque<std::string> texts;
};

/// From the object of a config.json, or of an inline model in a request (which may also say
/// params_b, active_params_b, layer_types, sliding_window, kv_lora_rank, qk_rope_head_dim).
/// Errors: a key of the wrong kind, with its position; a shape that is not clear.
Result<std::unique_ptr<ConfigModel>> read_config(const Node& root, const std::string& name);

/// `path`: a config.json, or a directory that holds one.
Result<std::unique_ptr<ConfigModel>> read_config_file(const std::string& path);

/// Whether a model name can only be a path.
bool looks_like_path(std::string_view name);

}  // namespace gpusel::catalog
