// Which files a path to a model stands for.
#include <algorithm>
#include <filesystem>
#include <set>

#include "base/text/text.hpp"
#include "base/values/units.hpp"
#include "base/words/message.hpp"
#include "catalog/hf/hf_config.hpp"
#include "catalog/read/model_check.hpp"
#include "catalog/weights/header.hpp"

namespace gpusel::catalog {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIndex = "model.safetensors.index.json";
constexpr std::string_view kUsual = "model.safetensors";
constexpr std::size_t kMostInFolder = 100'000;

Result<std::unique_ptr<ConfigModel>> read_config_at(const std::string& file) {
  auto text = read_text_file(file);
  if (!text) return std::unexpected(text.error());
  auto document = parse_json(*text, file, JsonDialect::python);
  if (!document) return std::unexpected(document.error());
  return read_config(document->root, file);
}

/// What the files hold wins over what the shape gives, once the two agree.
Status take_stored(ConfigModel& out, StoredWeights stored, const std::string& path) {
  const auto believed = check_stored(out, stored, path);
  if (!believed) return std::unexpected(believed.error());
  out.notes.insert(out.notes.end(), stored.contradicts.begin(), stored.contradicts.end());
  Model& m = out.model;
  const double loaded = stored.bytes - stored.unloaded_bytes;
  const bool gguf = stored.layout == "gguf";
  m.file_layout = gguf ? "gguf" : "safetensors";
  // A checkpoint says its quantisation in config.json; the types of its tensors are the containers'.
  const bool plain = m.native_dtype == "bf16" || m.native_dtype == "fp16" || m.native_dtype == "fp32";
  if (plain && stored.precision == "fp8")
    out.notes.push_back(
        say("most weights are fp8, and config.json says {} without a quantization_config: counted as "
            "the files have them",
            m.native_dtype));
  if (!stored.precision.empty() && (gguf || plain)) m.native_dtype = out.texts.emplace_back(stored.precision);
  // fp32 files are converted while they are loaded.
  if (*believed && loaded > 0 && m.native_dtype != "fp32") m.native_weights_gib = loaded / kGiB;
  out.stored = std::move(stored);
  return {};
}

Result<std::unique_ptr<ConfigModel>> from_gguf(const std::string& path) {
  auto file = read_gguf(path);
  if (!file) return std::unexpected(file.error());
  auto model = read_config(file->config, path, StatedSize::tensors);
  if (!model) return model;
  if (Status taken = take_stored(**model, std::move(file->stored), path); !taken) return std::unexpected(taken.error());
  return model;
}

/// The shape is in config.json: tensors alone do not say how many heads there are.
Result<std::unique_ptr<ConfigModel>> from_safetensors(const std::string& path, bool index) {
  const std::string beside = (fs::path(path).parent_path() / "config.json").string();
  const auto described = weights::is_there(beside);
  if (!described) return std::unexpected(described.error());
  if (!*described)
    return usage_error(say("there is no config.json next to it, and tensors alone do not give the number of heads"),
                       path);
  auto model = read_config_at(beside);
  if (!model) return model;
  const double layers = (*model)->model.layers.value_or(0);
  auto stored = index ? read_safetensors_index(path, layers) : read_safetensors_parts(path, layers);
  if (!stored) return std::unexpected(stored.error());
  if (Status taken = take_stored(**model, std::move(*stored), path); !taken) return std::unexpected(taken.error());
  return model;
}

constexpr std::string_view kAdapter = "adapter_config.json";

bool is_adapter_file(std::string_view name) { return name.starts_with("adapter_model"); }

/// Weights that are added to another model's say which, and are no model.
std::unexpected<Error> adapter_alone(const std::string& path) {
  std::string base;
  const auto text = read_text_file(path);
  const auto document = text ? parse_json(*text, path, JsonDialect::python) : std::unexpected(text.error());
  if (document && document->root.is_map())
    if (const Node* named = document->root.find("base_model_name_or_path"); named != nullptr && named->is_scalar())
      base = printable(shorten(named->text, 80));
  return base.empty() ? usage_error(say("an adapter, not a model: name the model that it was trained for"), path)
                      : usage_error(say("an adapter for '{}', not a model: name that model", base), path);
}

/// The names in a folder that end so, in order. Error: some may be missing.
Result<std::vector<std::string>> names_ending(const std::string& folder, std::string_view ending) {
  std::vector<std::string> out;
  std::error_code failed;
  std::size_t seen = 0;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end && seen < kMostInFolder;
       entry.increment(failed)) {
    ++seen;
    std::string name = entry->path().filename().string();
    if (name.ends_with(ending)) out.push_back(std::move(name));
  }
  if (failed) return weights::cannot_read_all(folder, failed.value());
  std::sort(out.begin(), out.end());
  return out;
}

Result<std::unique_ptr<ConfigModel>> from_gguf_folder(const std::string& folder) {
  const auto in_folder = [&](std::string_view name) { return (fs::path(folder) / name).string(); };
  const auto names = names_ending(folder, ".gguf");
  if (!names) return std::unexpected(names.error());
  // Several quantisations beside each other are a choice that is the person's.
  const auto firsts = std::ranges::count_if(*names, [](const std::string& name) {
    return name.find("-of-") == std::string::npos || name.find("-00001-of-") != std::string::npos;
  });
  if (firsts == 1) return from_gguf(in_folder(names->front()));
  if (firsts > 1) return usage_error(say("has {} GGUF models: name one", firsts), folder, in_folder(names->front()));
  return read_config_at(in_folder("config.json"));
}

Result<std::unique_ptr<ConfigModel>> from_folder(const std::string& folder) {
  const auto in_folder = [&](std::string_view name) { return (fs::path(folder) / name).string(); };
  bool there[3] = {};
  for (std::size_t i = 0; const std::string_view name : {std::string_view("config.json"), kIndex, kUsual}) {
    const auto found = weights::is_there(in_folder(name));
    if (!found) return std::unexpected(found.error());
    there[i++] = *found;
  }
  const auto [described, indexed, usual] = there;
  const auto adapter = weights::is_there(in_folder(kAdapter));
  if (!adapter) return std::unexpected(adapter.error());
  if (!described && *adapter) return adapter_alone(in_folder(kAdapter));
  if (!described) return from_gguf_folder(folder);
  if (indexed) return from_safetensors(in_folder(kIndex), true);
  // One file, or the parts of one; where there is more, such as an adapter, the one of the usual name.
  const auto files = names_ending(folder, ".safetensors");
  if (!files) return std::unexpected(files.error());
  std::set<std::string> wholes;
  for (const std::string& file : *files)
    if (!is_adapter_file(file)) wholes.insert(parts_of_file(in_folder(file)).front());
  if (wholes.size() == 1) {
    const auto whole = std::ranges::find_if(*files, [](const std::string& file) { return !is_adapter_file(file); });
    return from_safetensors(in_folder(*whole), false);
  }
  if (usual) return from_safetensors(in_folder(kUsual), false);
  auto model = read_config_at(in_folder("config.json"));
  if (model && !wholes.empty())
    (*model)->notes.push_back(say("'{}' has {} files of weights and none is '{}': the figures are config.json's",
                                  printable(folder), wholes.size(), kUsual));
  if (model && wholes.empty() && !files->empty())
    (*model)->notes.push_back(
        say("'{}' has the weights of an adapter alone: the figures are config.json's", printable(folder)));
  return model;
}

}  // namespace

bool looks_like_path(std::string_view name) {
  return name.ends_with(".json") || name.ends_with(".gguf") || name.ends_with(".safetensors") ||
         name.starts_with("./") || name.starts_with("../") || name.starts_with("/") || name == "." || name == "..";
}

Result<std::unique_ptr<ConfigModel>> read_model_file(const std::string& path) {
  std::error_code failed;
  if (fs::is_directory(path, failed)) return from_folder(path);
  if (path.ends_with(".gguf")) return from_gguf(path);
  const fs::path named(path);
  if (named.filename() == kAdapter) return adapter_alone(path);
  if (is_adapter_file(named.filename().string())) return adapter_alone((named.parent_path() / kAdapter).string());
  if (path.ends_with(".safetensors")) return from_safetensors(path, false);
  if (path.ends_with(".index.json")) return from_safetensors(path, true);
  return read_config_at(path);
}

}  // namespace gpusel::catalog
