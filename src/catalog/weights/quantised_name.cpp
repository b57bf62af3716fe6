#include "catalog/weights/quantised_name.hpp"

#include <algorithm>
#include <array>

#include "base/text/text.hpp"

namespace gpusel::catalog {

namespace {

/// A word at the end of a name, and what it says of the weights: nothing, where it only goes with others.
struct Word {
  std::string_view text;
  std::string_view format = {};
};

// AWQ and GPTQ are of 4 bits unless the name says 8. "Int8" alone is GPTQ of Qwen, Yi and TeleChat; who narrows
// activations too says W8A8. Longer words stand before their ends.
constexpr Word kWords[] = {
    {"fp8-dynamic", "fp8"},     {"fp8-static-pertensor", "fp8"},
    {"w-mxfp4-a-fp8", "mxfp4"}, {"nvfp4-w4a4", "nvfp4"},
    {"nvfp4-fp8", "nvfp4"},     {"nvfp4-qad", "nvfp4"},
    {"nvfp4-v2", "nvfp4"},      {"awq-lite", "w4a16"},
    {"int4-mixed-ar", "w4a16"}, {"w4a16", "w4a16"},
    {"w8a16", "w8a16"},         {"w8a8", "int8"},
    {"nvfp4", "nvfp4"},         {"mxfp4", "mxfp4"},
    {"mxfp8", "fp8"},           {"fp8", "fp8"},
    {"fp4", "nvfp4"},           {"awq", "w4a16"},
    {"gptq", "w4a16"},          {"autoround", "w4a16"},
    {"hqq", "w4a16"},           {"i1-gguf", "q4_k_m"},
    {"gguf", "q4_k_m"},         {"bnb", "nf4"},
    {"int4", "w4a16"},          {"4bit", "w4a16"},
    {"channel-int8", "int8"},   {"block-int8", "int8"},
    {"int8", "w8a16"},          {"8bit", "w8a16"},
    {"8bits", "w8a16"},
};

/// Other words of such names, which say nothing about the format.
constexpr std::string_view kOthers[] = {
    "unsloth", "dynamic", "quantized", "quantised",    "marlin",        "fp16mix", "compressed-tensors",
    "block",   "ud",      "mlx",       "g128",         "128g",          "sym",     "qat",
    "ct",      "compact", "int8mix",   "int8mix-lite", "int8mix-medium"};

constexpr std::array<std::string_view, 15> kGguf = {"q2_k",   "q3_k_s", "q3_k_m", "q3_k_l", "iq4_xs",
                                                    "q4_0",   "q4_1",   "q4_k_s", "q4_k_m", "q5_0",
                                                    "q5_k_s", "q5_k_m", "q6_k",   "q8_0",   "f16"};
/// What a type that has no figures of its own is nearest to, by its bits.
struct Nearest {
  std::string_view start;
  std::string_view format;
};
constexpr Nearest kNearest[] = {{"q2", "q2_k"},    {"iq2", "q2_k"},  {"q3", "q3_k_m"},
                                {"iq3", "q3_k_m"}, {"q4", "q4_k_m"}, {"iq4", "iq4_xs"},
                                {"q5", "q5_k_m"},  {"q6", "q6_k"},   {"q8", "q8_0"}};

/// Cuts `word` and what divides it from the rest off the end.
bool cut(std::string& name, std::string_view word) {
  if (name.size() <= word.size() + 1 || !name.ends_with(word)) return false;
  const char divider = name[name.size() - word.size() - 1];
  if (divider != '-' && divider != '_' && divider != ':' && divider != '.') return false;
  name.resize(name.size() - word.size() - 1);
  return true;
}

/// The format of a GGUF file at the end of the name, which is cut off; empty where there is none.
std::string cut_gguf_type(std::string& name) {
  const auto at = name.find_last_of("-:.");
  if (at == std::string::npos || at == 0) return {};
  const std::string type = name.substr(at + 1);
  const bool named = std::ranges::find(kGguf, type) != kGguf.end();
  const bool shaped = type.contains('_') && (type.starts_with('q') || type.starts_with("iq"));
  if (!named && !shaped) return {};
  if (named) {
    name.resize(at);
    return type;
  }
  for (const Nearest& nearest : kNearest)
    if (type.starts_with(nearest.start)) {
      name.resize(at);
      return std::string(nearest.format);
    }
  return {};
}

/// What all the words say together.
class Format {
 public:
  void take(const Word& word) {
    is_gguf_ = is_gguf_ || word.text.ends_with("gguf");
    is_bnb_ = is_bnb_ || word.text == "bnb";
    is_integer_ = is_integer_ || word.text.starts_with("awq") || word.text == "gptq" || word.text == "autoround";
    has_eight_ = has_eight_ || word.text == "int8" || word.text.starts_with("8bit");
    if (format_.empty()) format_ = word.format;
    for (const std::string_view packing : {"gguf", "awq", "gptq"})
      if (packing_.empty() && word.text.contains(packing)) packing_ = packing;
  }
  void take_file(std::string type) { file_ = std::move(type); }

  bool known() const { return !format_.empty() || !file_.empty(); }
  bool open() const { return is_gguf_ && file_.empty(); }
  std::string packing() const { return packing_; }
  std::string text() const {
    if (!file_.empty()) return file_;
    if (is_gguf_) return "q4_k_m";
    if (is_bnb_) return has_eight_ ? "int8" : "nf4";
    if (is_integer_) return has_eight_ ? "w8a16" : "w4a16";
    return format_;
  }

 private:
  std::string format_;  // of the last word, which is read first
  std::string file_;
  std::string packing_;
  bool is_gguf_ = false;
  bool is_bnb_ = false;
  bool is_integer_ = false;
  bool has_eight_ = false;
};

bool cut_word(std::string& name, Format& format) {
  for (const Word& word : kWords)
    if (cut(name, word.text)) {
      format.take(word);
      return true;
    }
  for (const std::string_view other : kOthers)
    if (cut(name, other)) return true;
  if (std::string type = cut_gguf_type(name); !type.empty()) {
    format.take_file(std::move(type));
    return true;
  }
  return false;
}

}  // namespace

std::optional<QuantisedName> quantised_name(std::string_view name) {
  std::string rest = lower(trim(name));
  Format format;
  while (cut_word(rest, format)) {
  }
  if (!format.known() || rest.ends_with('/')) return std::nullopt;
  return QuantisedName{std::string(trim(name).substr(0, rest.size())), format.text(), format.open(), format.packing()};
}

std::vector<std::string> base_spellings(const QuantisedName& name) {
  std::vector<std::string> spelled{name.base};
  const auto slash = name.base.rfind('/');
  std::string bare = slash == std::string::npos ? name.base : name.base.substr(slash + 1);
  if (slash != std::string::npos) spelled.push_back(bare);
  constexpr std::string_view kMeta = "meta-";
  if (lower(bare).starts_with(kMeta)) spelled.push_back(bare.substr(kMeta.size()));
  spelled.push_back(bare + "-hf");
  return spelled;
}

bool is_called(std::span<const std::string_view> names, std::string_view name) {
  const std::string folded = fold_name(name);
  return std::ranges::any_of(names, [&](std::string_view one) {
    const auto slash = one.rfind('/');
    return fold_name(one) == folded || (slash != std::string_view::npos && fold_name(one.substr(slash + 1)) == folded);
  });
}

}  // namespace gpusel::catalog
