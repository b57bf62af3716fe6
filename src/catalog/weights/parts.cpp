// What belongs together: the parts of a file that is split, and the layers of a model.
#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/weights/header.hpp"

namespace gpusel::catalog {

namespace {

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

/// Under the name of its module, so that a packed matrix is the same one as a plain one; scales belong to them.
void add_module(LayerStack& stack, std::uint32_t layer, std::string_view rest, double values) {
  const std::size_t dot = rest.rfind('.');
  const std::string_view last = rest.substr(dot == std::string_view::npos ? 0 : dot + 1);
  if (last.find("scale") != std::string_view::npos) return;
  double& held = stack.modules[std::string(rest.substr(0, dot))][layer];
  if (last == "weight") held = values;
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

void place_tensor(StoredWeights& out, std::string_view tensor, std::span<const double> shape, double elements) {
  if (is_vision(tensor)) return;
  static constexpr std::string_view kTables[] = {"emb", "wte", "shared."};
  out.has_table = out.has_table || std::ranges::any_of(kTables, [&](std::string_view word) {
                    return tensor.find(word) != std::string_view::npos;
                  });
  if (const auto layer = layer_of(tensor)) {
    if (tensor.find(".eh_proj") != std::string_view::npos || tensor.find(".nextn.") != std::string_view::npos)
      out.prediction.insert(layer->index);
    auto stack = std::ranges::find(out.stacks, layer->prefix, &LayerStack::prefix);
    constexpr std::size_t kMostStacks = 100;
    if (stack == out.stacks.end() && out.stacks.size() < kMostStacks && !tensor.starts_with("mtp."))
      stack = out.stacks.insert(stack, {std::string(layer->prefix), {}, 0, {}});
    if (stack != out.stacks.end()) {
      stack->layers.insert(layer->index);
      stack->elements += elements;
      add_module(*stack, layer->index, layer->rest, shape.empty() ? 0 : elements);
    }
    if (shape.size() == 2 && tensor.ends_with("self_attn.k_proj.weight") && !out.key_rows) out.key_rows = shape[0];
    return;
  }
  out.has_last_norm = out.has_last_norm || is_norm(tensor);
  if (shape.size() == 2 && is_word_table(tensor) && !out.table_rows) {
    out.table_rows = shape[0];
    out.table_width = shape[1];
  }
}

}  // namespace weights

}  // namespace gpusel::catalog
