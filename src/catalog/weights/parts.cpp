// What belongs together: the parts of a file that is split, and the layers of a model.
#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/weights/header.hpp"

namespace gpusel::catalog {

namespace {

using weights::TensorInfo;

constexpr std::size_t kMostParts = 10'000;
constexpr std::string_view kNumbers = "-00001-of-00003";

bool are_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Of digits, with or without zeros in front.
std::uint32_t whole_of(std::string_view digits) {
  std::uint32_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

/// "model.layers.12" of "model.layers.12.mlp.up_proj.weight": where its number begins; nothing for other tensors.
struct LayerName {
  std::string_view prefix;
  std::uint32_t index = 0;
  std::string_view rest;  // behind the number
};
std::optional<LayerName> layer_of(std::string_view tensor) {
  static constexpr std::string_view kStacks[] = {"layers", "layer", "h", "blocks", "block", "blk"};
  constexpr std::size_t kLongest = 5;  // digits
  std::string_view before;
  std::size_t at = 0;
  for (const std::string_view word : split(tensor, '.')) {
    const bool number = !word.empty() && word.size() <= kLongest && are_digits(word);
    if (number && std::ranges::find(kStacks, before) != std::end(kStacks))
      return LayerName{tensor.substr(0, at - 1), whole_of(word),
                       tensor.substr(std::min(at + word.size() + 1, tensor.size()))};
    before = word;
    at += word.size() + 1;
  }
  return std::nullopt;
}

/// "mlp.up_proj" and "weight" of "mlp.up_proj.weight". bitsandbytes puts what belongs to a matrix behind its name.
struct Part {
  std::string_view module, kind;
};
Part part_of(std::string_view rest) {
  constexpr std::string_view kBehind = ".weight.";
  if (const std::size_t at = rest.find(kBehind); at != std::string_view::npos)
    return {rest.substr(0, at), rest.substr(at + kBehind.size())};
  const std::size_t dot = rest.rfind('.');
  return {rest.substr(0, dot), rest.substr(dot == std::string_view::npos ? 0 : dot + 1)};
}

bool is_scale(std::string_view kind) {
  return kind.find("scale") != std::string_view::npos || kind.ends_with("absmax") || kind == "SCB";
}

bool is_matrix(std::string_view kind) {
  return kind == "weight" || kind == "qweight" || kind.starts_with("weight_packed") || kind == "_data" ||
         kind.ends_with("_blocks") || kind.ends_with("_proj");
}

/// What a packed matrix needs beside its scales, and what only says how it was packed.
bool is_beside(std::string_view kind) {
  static constexpr std::string_view kBeside[] = {"qzeros", "g_idx", "zeros", "weight_shape", "weight_format"};
  return std::ranges::find(kBeside, kind) != std::end(kBeside) || kind.ends_with("zero_point") ||
         kind.find("quant_") != std::string_view::npos;
}

bool is_narrow(const TensorInfo& tensor) {
  return tensor.is_packed() || tensor.type.starts_with("F8_") || tensor.name.ends_with(".qweight") ||
         tensor.name.ends_with(".weight_packed");
}

/// Scales that stand for columns tell the output's width where the matrix itself is packed.
Output outputs_of(std::string_view kind, const TensorInfo& tensor) {
  const auto shape = tensor.shape;
  if (kind == "SCB" && shape.size() == 1) return {shape[0], 0};
  if (shape.size() != 2) return {};
  if (kind == "scales") return {shape[1], 0};
  if (kind != "weight" && kind != "weight_packed" && kind != "_data") return {};
  if (tensor.is_packed() && shape[1] == 1) return {0, 2 * shape[0]};  // two of 4 bits in each, in one column
  return {shape[0], 0};
}

void keep_larger(Output& kept, const Output& other) {
  kept.width = std::max(kept.width, other.width);
  kept.values = std::max(kept.values, other.values);
}

/// Experts that lie together are the outer dimension of a tensor with two more.
double experts_of(const TensorInfo& tensor) {
  const bool together = tensor.shape.size() > 2 && (tensor.name.find("_exps.") != std::string_view::npos ||
                                                    tensor.name.find(".experts.") != std::string_view::npos);
  return together ? tensor.shape[0] : 0;
}

/// Under the name of its module, so that a packed matrix is the same one as a plain one; scales belong to them.
void add_module(LayerStack& stack, std::uint32_t layer, std::string_view rest, const TensorInfo& tensor) {
  const auto [module, kind] = part_of(rest);
  const std::string name(module);
  if (const Output output = outputs_of(kind, tensor); output.width > 0 || output.values > 0)
    keep_larger(stack.outputs[name], output);
  stack.experts = std::max(stack.experts, experts_of(tensor));
  if (is_scale(kind)) {
    stack.scaled[name].insert(layer);
    return;
  }
  if (is_beside(kind)) return;
  if (is_matrix(kind) && is_narrow(tensor)) stack.packed[name].insert(layer);
  double& held = stack.modules[name][layer];
  if (kind == "weight" && !tensor.is_packed()) held = tensor.elements;
}

/// The stack that a layer belongs to, made where it is new; nothing where there are too many.
LayerStack* stack_of(std::vector<LayerStack>& stacks, std::string_view prefix) {
  constexpr std::size_t kMostStacks = 100;
  const auto found = std::ranges::find(stacks, prefix, &LayerStack::prefix);
  if (found != stacks.end()) return &*found;
  if (stacks.size() >= kMostStacks) return nullptr;
  stacks.emplace_back().prefix = prefix;
  return &stacks.back();
}

void add_to_stack(std::vector<LayerStack>& stacks, const LayerName& layer, const TensorInfo& tensor) {
  LayerStack* stack = stack_of(stacks, layer.prefix);
  if (stack == nullptr) return;
  stack->layers.insert(layer.index);
  stack->elements += tensor.elements;
  add_module(*stack, layer.index, layer.rest, tensor);
}

void place_vision(StoredWeights& out, const TensorInfo& tensor) {
  out.has_vision = true;
  out.vision_elements += tensor.elements;
  if (tensor.is_packed()) out.packed_vision_elements += tensor.elements;
  if (const auto layer = layer_of(tensor.name)) add_to_stack(out.vision_stacks, *layer, tensor);
}

bool is_word_table(std::string_view tensor) {
  static constexpr std::string_view kNames[] = {"embed_tokens.weight",   "wte.weight",
                                                "embed_in.weight",       "word_embeddings.weight",
                                                "tok_embeddings.weight", "token_embd.weight"};
  return std::ranges::any_of(kNames, [&](std::string_view name) {
    return tensor.ends_with(name) && (tensor.size() == name.size() || tensor[tensor.size() - name.size() - 1] == '.');
  });
}

}  // namespace

std::vector<std::string> parts_of_file(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos || dot < kNumbers.size()) return {path};
  const std::string_view tail = std::string_view(path).substr(dot - kNumbers.size(), kNumbers.size());
  if (tail[0] != '-' || !are_digits(tail.substr(1, 5)) || tail.substr(6, 4) != "-of-" || !are_digits(tail.substr(10)))
    return {path};
  const auto count = std::size_t{whole_of(tail.substr(10))};
  if (count == 0 || count > kMostParts) return {path};
  std::vector<std::string> out;
  const std::string_view stem = std::string_view(path).substr(0, dot - kNumbers.size());
  for (std::size_t i = 1; i <= count; ++i)
    out.push_back(format("{}-{:05}-of-{:05}{}", stem, i, count, path.substr(dot)));
  return out;
}

namespace weights {

Result<bool> is_there(const std::string& path) {
  std::error_code failed;
  const bool there = std::filesystem::exists(path, failed);
  if (failed) return cannot_read_all(path, failed.value());
  return there;
}

std::unexpected<Error> cannot_read_all(const std::string& path, int why) {
  return usage_error(say("cannot read all of '{}': {}", printable(path), system_reason(why)));
}

std::optional<Error> missing_parts(const std::vector<std::string>& parts) {
  std::vector<std::string> missing;
  for (const std::string& part : parts) {
    const auto there = is_there(part);
    if (!there) return there.error();
    if (!*there) missing.push_back(part);
  }
  if (missing.empty()) return std::nullopt;
  const std::string first = std::filesystem::path(missing.front()).filename().string();
  return Error{
      ErrorKind::usage,
      say("{} of {} files of weights are missing, '{}' for one", missing.size(), parts.size(), printable(first)),
      std::filesystem::path(missing.front()).parent_path().string(),
      say("download the rest, or name its config.json alone")};
}

void place_tensor(StoredWeights& out, const TensorInfo& tensor) {
  const std::string_view name = tensor.name;
  if (is_vision(name)) return place_vision(out, tensor);
  static constexpr std::string_view kTables[] = {"emb", "wte", "shared."};
  out.has_table = out.has_table || std::ranges::any_of(kTables, [&](std::string_view word) {
                    return name.find(word) != std::string_view::npos;
                  });
  if (const auto layer = layer_of(name)) {
    if (name.find(".eh_proj") != std::string_view::npos || name.find(".nextn.") != std::string_view::npos)
      out.prediction.insert(layer->index);
    if (!name.starts_with("mtp.")) add_to_stack(out.stacks, *layer, tensor);
    return;
  }
  out.has_last_norm = out.has_last_norm || is_norm(name);
  if (tensor.shape.size() == 2 && !tensor.is_packed() && is_word_table(name) && !out.table_rows) {
    out.table_rows = tensor.shape[0];
    out.table_width = tensor.shape[1];
  }
}

}  // namespace weights

}  // namespace gpusel::catalog
