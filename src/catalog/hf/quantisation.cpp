#include "catalog/hf/shape.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel::catalog::hf {

namespace {

/// Methods with one format each.
struct Method {
  std::string_view name;
  std::string_view format;
};
constexpr Method kMethods[] = {{"fp8", "fp8"},          {"fbgemm_fp8", "fp8"},     {"finegrained_fp8", "fp8"},
                               {"mxfp4", "mxfp4"},      {"modelopt_fp4", "nvfp4"}, {"nvfp4", "nvfp4"},
                               {"modelopt_fp8", "fp8"}, {"eetq", "w8a16"},         {"experts_int8", "w8a16"},
                               {"quanto_int8", "w8a16"}};

/// Integers of so many bits, with activations at 16 bit or at the weights' width.
std::string_view integer_format(double bits, bool activations_too) {
  if (bits == 4) return "w4a16";
  if (bits == 8) return activations_too ? "int8" : "w8a16";
  return {};
}

/// Groups of layers, each with its own scheme: the first that says anything.
std::string_view grouped_format(const Keys& quantised) {
  const Node* groups = quantised.find("config_groups");
  if (groups == nullptr || !groups->is_map()) return {};
  for (const Node& group : groups->children) {
    const Node* weights = group.find("weights");
    if (weights == nullptr || !weights->is_map()) continue;
    const Node* bits = weights->find("num_bits");
    const Node* type = weights->find("type");
    const Node* acts = group.find("input_activations");
    if (bits == nullptr) continue;
    const bool floating = type != nullptr && type->text == "float";
    const bool activations = acts != nullptr && acts->is_map();
    if (floating) return bits->text == "8" ? "fp8" : bits->text == "4" ? "nvfp4" : "";
    return integer_format(bits->text == "4" ? 4 : bits->text == "8" ? 8 : 0, activations);
  }
  return {};
}

/// Bits per weight as stated, for all layers or for a group of them.
Number stated_bits(const Keys& quantised) {
  const Number bits = quantised.number({"bits", "w_bit", "nbits", "num_bits"}, 1);
  const Node* groups = quantised.find("config_groups");
  if (bits || groups == nullptr || !groups->is_map()) return bits;
  for (const Node& group : groups->children)
    if (const Node* weights = group.find("weights"); weights != nullptr && weights->is_map())
      if (const Node* own = weights->find("num_bits")) return plain_number(own->text);
  return {};
}

std::string_view quantised_format(const Keys& quantised, std::string_view method) {
  for (const Method& each : kMethods)
    if (each.name == method) return each.format;
  if (method == "bitsandbytes" ||
      (method.empty() && (quantised.has("load_in_4bit") || quantised.has("load_in_8bit")))) {
    if (quantised.truth("load_in_4bit", false)) return "nf4";
    return "int8";
  }
  if (method == "compressed-tensors" || method == "compressed_tensors") return grouped_format(quantised);
  if (method.starts_with("modelopt") || method.empty()) {
    const std::string algorithm = lower(quantised.text("quant_algo"));
    if (algorithm.find("nvfp4") != std::string::npos) return "nvfp4";
    if (algorithm.find("w4a16") != std::string::npos || algorithm.find("int4") != std::string::npos) return "w4a16";
    if (algorithm.find("fp8") != std::string::npos) return "fp8";
    return grouped_format(quantised);
  }
  constexpr std::string_view kIntegers[] = {
      "gptq", "awq", "hqq", "autoround", "auto-round", "intel/auto-round", "gptq_marlin", "awq_marlin"};
  if (std::find(std::begin(kIntegers), std::end(kIntegers), method) == std::end(kIntegers)) return {};
  return integer_format(quantised.number({"bits", "w_bit", "nbits"}, 0).value_or(4), false);
}

std::string plain_precision(const Keys& keys, const Keys& root, std::vector<std::string>& notes) {
  std::string dtype;
  for (const Keys* map : {&keys, &root})
    for (const std::string_view key : {"torch_dtype", "dtype"})
      if (dtype.empty()) dtype = map->text(key);
  if (dtype == "float16" || dtype == "fp16") return "fp16";
  if (dtype == "float32" || dtype == "fp32") return "fp32";
  if (!dtype.empty() && dtype != "bfloat16" && dtype != "bf16" && dtype != "auto")
    notes.push_back(say("torch_dtype '{}' is not known: taken as bf16", printable(shorten(dtype, 40))));
  return "bf16";
}

}  // namespace

std::string stored_precision(const Keys& keys, const Keys& root, std::vector<std::string>& notes) {
  auto quantised = keys.map("quantization_config");
  if (!quantised) quantised = keys.map("compression_config");
  std::string plain = plain_precision(keys, root, notes);
  if (!quantised) return plain;
  const std::string method = lower(quantised->text("quant_method"));
  const std::string_view format = quantised_format(*quantised, method);
  if (!format.empty()) return std::string(format);
  const std::string named = printable(shorten(method.empty() ? "?" : method, 40));
  if (const Number bits = stated_bits(*quantised); bits && *bits >= 1 && *bits <= 8) {
    const std::string wider(*bits <= 4 ? "w4a16" : "w8a16");
    notes.push_back(
        say("weights of {:g} bits ('{}') are estimated as {}, the next larger format", *bits, named, wider));
    return wider;
  }
  const Node* at = keys.find("quantization_config");
  if (at == nullptr) at = keys.find("compression_config");
  keys.fail(*at, say("'quantization_config' ('{}') does not say how many bits the weights have: set 'bits' in it, or "
                     "remove it for the model in 16 bit",
                     named));
  return plain;
}

Number stored_block(const Keys& keys) {
  const auto quantised = keys.map("quantization_config");
  if (!quantised || lower(quantised->text("quant_method")) != "fp8") return std::nullopt;
  const std::vector<double> sides = quantised->counts("weight_block_size");
  if (sides.empty() || sides.front() < 1) return std::nullopt;
  return sides.front();
}

}  // namespace gpusel::catalog::hf
