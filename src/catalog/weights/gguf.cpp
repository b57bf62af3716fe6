// GGUF: magic, version, key-value pairs, then the name, shape, type and place of each tensor.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/weights/header.hpp"

namespace gpusel::catalog {

namespace {

using namespace weights;

constexpr std::uint64_t kMagic = 0x46554747;  // "GGUF"
constexpr std::uint64_t kMostTensors = 1'000'000;
constexpr std::uint64_t kMostPairs = 1'000'000;
constexpr std::uint64_t kLongestKey = 65'535;
constexpr std::uint64_t kLongestText = std::uint64_t{32} << 20U;
constexpr std::size_t kMostKept = std::size_t{64} << 20U;  // of keys and values in all
constexpr std::uint64_t kMostTexts = 10'000'000;           // of a list: a vocabulary has less than a million
constexpr std::uint64_t kLongestArray = 4096;              // of numbers that are kept, one per layer

struct GgmlType {
  std::uint64_t id;
  std::string_view name;
  double block, bytes;  // so many values in so many bytes
};
// From ggml's own table of types (gguf-py/gguf/constants.py).
constexpr GgmlType kTypes[] = {
    {0, "F32", 1, 4},         {1, "F16", 1, 2},         {2, "Q4_0", 32, 18},      {3, "Q4_1", 32, 20},
    {6, "Q5_0", 32, 22},      {7, "Q5_1", 32, 24},      {8, "Q8_0", 32, 34},      {9, "Q8_1", 32, 36},
    {10, "Q2_K", 256, 84},    {11, "Q3_K", 256, 110},   {12, "Q4_K", 256, 144},   {13, "Q5_K", 256, 176},
    {14, "Q6_K", 256, 210},   {15, "Q8_K", 256, 292},   {16, "IQ2_XXS", 256, 66}, {17, "IQ2_XS", 256, 74},
    {18, "IQ3_XXS", 256, 98}, {19, "IQ1_S", 256, 50},   {20, "IQ4_NL", 32, 18},   {21, "IQ3_S", 256, 110},
    {22, "IQ2_S", 256, 82},   {23, "IQ4_XS", 256, 136}, {24, "I8", 1, 1},         {25, "I16", 1, 2},
    {26, "I32", 1, 4},        {27, "I64", 1, 8},        {28, "F64", 1, 8},        {29, "IQ1_M", 256, 56},
    {30, "BF16", 1, 2},       {34, "TQ1_0", 256, 54},   {35, "TQ2_0", 256, 66},   {39, "MXFP4", 32, 17},
    {40, "NVFP4", 64, 36}};

struct FileType {
  std::uint64_t id;
  std::string_view format;
};
// general.file_type, by the names of the weight formats.
constexpr FileType kFileTypes[] = {
    {0, "fp32"},    {1, "f16"},     {2, "q4_0"},     {3, "q4_1"},    {7, "q8_0"},    {8, "q5_0"},    {9, "q5_1"},
    {10, "q2_k"},   {11, "q3_k_s"}, {12, "q3_k_m"},  {13, "q3_k_l"}, {14, "q4_k_s"}, {15, "q4_k_m"}, {16, "q5_k_s"},
    {17, "q5_k_m"}, {18, "q6_k"},   {19, "iq2_xxs"}, {20, "iq2_xs"}, {21, "q2_k"},   {22, "iq3_xs"}, {23, "iq3_xxs"},
    {24, "iq1_s"},  {25, "iq4_nl"}, {26, "iq3_s"},   {27, "iq3_m"},  {28, "iq2_s"},  {29, "iq2_m"},  {30, "iq4_xs"},
    {31, "iq1_m"},  {32, "bf16"},   {36, "tq1_0"},   {37, "tq2_0"},  {38, "mxfp4"},  {39, "nvfp4"}};

constexpr std::uint64_t kGuessed = 1024;  // a flag on general.file_type: whoever wrote it inferred it from the tensors

/// Formats of files that are mostly of a type which is no format itself.
struct MainType {
  std::string_view type;
  std::string_view format;
};
constexpr MainType kMainTypes[] = {{"F32", "fp32"},    {"Q3_K", "q3_k_m"}, {"Q4_K", "q4_k_m"},
                                   {"Q5_K", "q5_k_m"}, {"Q8_1", "q8_0"},   {"Q8_K", "q8_0"}};

/// One value: a number, a text, or numbers of a list (none kept of a list of texts, only how many).
struct Value {
  std::optional<double> number;
  std::string text;
  std::vector<double> list;
  double length = 0;
};
using Metadata = std::map<std::string, Value, std::less<>>;

constexpr int kString = 8;
constexpr int kArray = 9;

int width_of(std::uint64_t type) {
  constexpr int kWidths[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  return type < std::size(kWidths) ? kWidths[type] : 0;
}

double read_number(Header& in, std::uint64_t type) {
  const int width = width_of(type);
  if (type == 6 || type == 12) return in.real(width);
  const std::uint64_t raw = in.number(width);
  if (type == 1) return static_cast<double>(static_cast<std::int8_t>(raw));
  if (type == 3) return static_cast<double>(static_cast<std::int16_t>(raw));
  if (type == 5) return static_cast<double>(static_cast<std::int32_t>(raw));
  if (type == 11) return static_cast<double>(static_cast<std::int64_t>(raw));
  return static_cast<double>(raw);
}

void read_array(Header& in, Value& out) {
  const std::uint64_t type = in.number(4);
  const std::uint64_t count = in.number(8);
  if (in.failed()) return;
  const int width = width_of(type);
  if (type != kString && width == 0) return in.fail(say("a list of type {} in the header is not known", type));
  const std::uint64_t least = type == kString ? 8 : static_cast<std::uint64_t>(width);
  if (count > in.left() / least) return in.fail(say("the header is cut off: a list of {} is announced", count));
  if (type == kString && count > kMostTexts)
    return in.fail(say("a list of {} texts in the header is more than the {} that are read", count, kMostTexts));
  out.length = static_cast<double>(count);
  for (std::uint64_t i = 0; i < count && !in.failed(); ++i) {
    if (type == kString) {
      in.skip(in.number(8));
    } else if (count > kLongestArray) {
      in.skip(least * count);
      return;
    } else {
      out.list.push_back(read_number(in, type));
    }
  }
}

Value read_value(Header& in, std::uint64_t type) {
  Value value;
  if (type == kString)
    value.text = in.text(in.number(8), kLongestText);
  else if (type == kArray)
    read_array(in, value);
  else if (width_of(type) > 0)
    value.number = read_number(in, type);
  else
    in.fail(say("a value of type {} in the header is not known", type));
  return value;
}

class GgufReader {
 public:
  explicit GgufReader(StoredWeights& out) : out_(out) {}

  Status add(const std::string& path) {
    auto in = Header::open(path);
    if (!in) return std::unexpected(in.error());
    if (in->number(4) != kMagic) return usage_error(say("not a GGUF file"), path);
    const std::uint64_t version = in->number(4);
    if (in->failed()) return in->failure();
    if (version != 2 && version != 3)
      return usage_error(say("GGUF version {} is not read: 2 and 3 are, in little-endian order", version), path);
    const std::uint64_t tensors = in->number(8);
    const std::uint64_t pairs = in->number(8);
    if (tensors > kMostTensors || pairs > kMostPairs)
      in->fail(say("{} tensors and {} keys are more than are read", tensors, pairs));
    read_pairs(*in, pairs);
    read_tensors(*in, tensors);
    if (in->failed()) return in->failure();
    ++out_.files;
    return {};
  }

  const Metadata& metadata() const { return metadata_; }

  /// A part of several says so, whatever its name is.
  Status check_parts(const std::string& path, std::size_t read) const {
    const auto parts = metadata_.find("split.count");
    if (parts != metadata_.end() && parts->second.number.value_or(0) > static_cast<double>(read))
      return usage_error(
          say("it is one of {:g} parts, but {} were found", *parts->second.number, read), path,
          say("parts must have names that end in -00001-of-{:05}.gguf", static_cast<int>(*parts->second.number)));
    const auto tensors = metadata_.find("split.tensors.count");
    if (tensors != metadata_.end() && tensors->second.number.value_or(0) > static_cast<double>(names_.size()))
      return usage_error(say("only {} of {:g} tensors exist", names_.size(), *tensors->second.number), path);
    return {};
  }

 private:
  void read_pairs(Header& in, std::uint64_t count) {
    std::size_t kept = 0;
    for (std::uint64_t i = 0; i < count && !in.failed(); ++i) {
      std::string key = in.text(in.number(8), kLongestKey);
      Value value = read_value(in, in.number(4));
      kept += key.size() + value.text.size() + value.list.size() * sizeof(double);
      if (kept > kMostKept) return in.fail(say("more than {} MiB of keys and values in the header", kMostKept >> 20U));
      metadata_.emplace(std::move(key), std::move(value));  // the first part of a split file says most
    }
  }

  void read_tensors(Header& in, std::uint64_t count) {
    double end = 0;
    std::vector<Place> places;
    for (std::uint64_t i = 0; i < count && !in.failed(); ++i) {
      const std::string name = in.text(in.number(8), kLongestKey);
      const std::uint64_t dimensions = in.number(4);
      if (dimensions > 8)
        return in.fail(say("tensor '{}' has {} dimensions", printable(shorten(name, 80)), dimensions));
      double elements = 1;
      std::vector<double> shape;  // the fastest dimension comes first
      for (std::uint64_t d = 0; d < dimensions; ++d) {
        shape.insert(shape.begin(), static_cast<double>(in.number(8)));
        elements *= shape.front();
      }
      const std::uint64_t id = in.number(4);
      const auto offset = static_cast<double>(in.number(8));
      if (in.failed()) return;
      const auto* type =
          std::find_if(std::begin(kTypes), std::end(kTypes), [&](const GgmlType& t) { return t.id == id; });
      if (type == std::end(kTypes))
        return in.fail(say("tensor '{}' has type {}, which is not known", printable(shorten(name, 80)), id));
      const double bytes = std::ceil(elements / type->block) * type->bytes;
      add_tensor(out_, type->name, elements, bytes);
      if (!names_.insert(name).second) return in.fail(say("tensor '{}' appears twice", printable(shorten(name, 80))));
      places.push_back({offset, offset + bytes, name});
      if (is_prediction(name, 0)) {
        out_.unloaded_bytes += bytes;
        out_.unloaded_elements += elements;
      }
      place_tensor(out_, {name, {}, shape, elements});
      if (is_head(name)) out_.has_head = true;
      end = std::max(end, offset + bytes);
    }
    if (!in.failed() && end > static_cast<double>(in.left()))
      in.fail(say("truncated: {} of {:.0f} bytes of weights", in.left(), end));
    const auto stated = metadata_.find("general.alignment");
    const double alignment = stated == metadata_.end() ? 32 : stated->second.number.value_or(32);
    if (!in.failed()) check_places(in, places, alignment);
  }

  struct Place {
    double from, to;
    std::string name;
  };
  /// Places are padded to an alignment, so that gaps are small; two tensors in one place are one that was lost, and so
  /// are bytes that none names.
  static void check_places(Header& in, std::vector<Place>& places, double alignment) {
    std::ranges::sort(places, {}, &Place::from);
    double filled = 0;
    const Place* last = nullptr;
    for (const Place& place : places) {
      if (place.from < filled && last != nullptr)
        return in.fail(say("tensors '{}' and '{}' overlap", printable(shorten(last->name, 80)),
                           printable(shorten(place.name, 80))));
      if (place.from > filled + alignment)
        return in.fail(say("{:.0f} bytes of weights before tensor '{}' belong to no tensor", place.from - filled,
                           printable(shorten(place.name, 80))));
      filled = place.to;
      last = &place;
    }
    const double behind = static_cast<double>(in.left()) - filled;
    if (!places.empty() && behind > 2 * alignment)  // in front of the first, and behind the last
      in.fail(say("{:.0f} bytes of weights belong to no tensor", behind));
  }

  StoredWeights& out_;
  std::set<std::string> names_;
  Metadata metadata_;
};

/// Architectures of llama.cpp by the classes that have the same layers.
struct Architecture {
  std::string_view name;
  std::string_view model_type;
};
constexpr Architecture kArchitectures[] = {{"qwen2moe", "qwen2_moe"},
                                           {"qwen3moe", "qwen3_moe"},
                                           {"qwen3next", "qwen3_next"},
                                           {"qwen35", "qwen3_5_text"},
                                           {"qwen35moe", "qwen3_5_moe_text"},
                                           {"qwen2vl", "qwen2"},
                                           {"qwen3vl", "qwen3"},
                                           {"qwen3vlmoe", "qwen3_moe"},
                                           {"gemma3", "gemma3_text"},
                                           {"gemma3n", "gemma3n_text"},
                                           {"gemma4", "gemma4_text"},
                                           {"deepseek2", "deepseek_v3"},
                                           {"gpt-oss", "gpt_oss"},
                                           {"gptneox", "gpt_neox"},
                                           {"starcoder", "gpt_bigcode"},
                                           {"phi2", "phi"},
                                           {"command-r", "cohere"},
                                           {"glm4moe", "glm4_moe"},
                                           {"llama4", "llama4_text"},
                                           {"granitemoe", "granitemoe"},
                                           {"granitehybrid", "granitemoehybrid"},
                                           {"nomic-bert", "nomic_bert"},
                                           {"ernie4_5-moe", "ernie4_5_moe"},
                                           {"hunyuan-dense", "hunyuan_v1_dense"},
                                           {"hunyuan-moe", "hunyuan_v1_moe"},
                                           {"minimax-m2", "minimax_m2"},
                                           {"falcon-h1", "falcon_h1"}};

struct KeyName {
  std::string_view key;  // behind the architecture
  std::string_view name;
};
constexpr KeyName kGgufKeys[] = {{"block_count", "num_hidden_layers"},
                                 {"embedding_length", "hidden_size"},
                                 {"feed_forward_length", "intermediate_size"},
                                 {"context_length", "max_position_embeddings"},
                                 {"attention.head_count", "num_attention_heads"},
                                 {"attention.head_count_kv", "num_key_value_heads"},
                                 {"attention.sliding_window", "sliding_window"},
                                 {"attention.q_lora_rank", "q_lora_rank"},
                                 {"attention.kv_lora_rank", "kv_lora_rank"},
                                 {"attention.shared_kv_layers", "num_kv_shared_layers"},
                                 {"expert_count", "num_experts"},
                                 {"expert_used_count", "num_experts_per_tok"},
                                 {"expert_feed_forward_length", "moe_intermediate_size"},
                                 {"expert_shared_count", "n_shared_experts"},
                                 {"expert_shared_feed_forward_length", "shared_expert_intermediate_size"},
                                 {"leading_dense_block_count", "first_k_dense_replace"},
                                 {"interleave_moe_layer_step", "interleave_moe_layer_step"},
                                 {"full_attention_interval", "full_attention_interval"},
                                 {"vocab_size", "vocab_size"}};

Node scalar(std::string_view key, std::string text, bool quoted = false) {
  Node node;
  node.kind = Node::Kind::scalar;
  node.key = key;
  node.text = std::move(text);
  node.quoted = quoted;
  return node;
}

class ConfigMaker {
 public:
  ConfigMaker(const Metadata& metadata, const StoredWeights& stored) : metadata_(metadata), stored_(stored) {
    if (const Value* name = value("general.architecture")) arch_ = name->text;
  }

  Result<Node> make(const std::string& path) {
    if (arch_.empty()) return usage_error(say("'general.architecture' is missing in the header"), path);
    std::string_view type = arch_;
    for (const Architecture& each : kArchitectures)
      if (each.name == arch_) type = each.model_type;
    out_.kind = Node::Kind::map;
    out_.children.push_back(scalar("model_type", std::string(type), true));
    for (const KeyName& each : kGgufKeys) add(each.name, own(each.key));
    if (const Value* tokens = value("tokenizer.ggml.tokens"); tokens != nullptr && out_.find("vocab_size") == nullptr)
      add_number("vocab_size", tokens->length);
    if (own("expert_count") == nullptr && !has_experts()) add_number("num_experts", 0);
    if (arch_.starts_with("lfm2")) out_.children.push_back(scalar("block_auto_adjust_ff_dim", "false"));  // it is done
    add_heads();
    add_linear();
    // Falcon's two decoders have one name here; the larger one has groups of K/V heads.
    if (const auto kv = number("attention.head_count_kv"); arch_ == "falcon" && kv && *kv > 1)
      out_.children.push_back(scalar("new_decoder_architecture", "true"));
    out_.children.push_back(scalar("tie_word_embeddings", stored_.has_head ? "false" : "true"));
    add_number("params_b", std::max(1.0, stored_.elements - stored_.vision_elements) / 1e9);
    return std::move(out_);
  }

 private:
  const Value* value(std::string_view key) const {
    const auto found = metadata_.find(key);
    return found == metadata_.end() ? nullptr : &found->second;
  }
  const Value* own(std::string_view key) const { return value(arch_ + "." + std::string(key)); }
  std::optional<double> number(std::string_view key) const {
    const Value* found = own(key);
    return found == nullptr ? std::nullopt : found->number;
  }

  void add_number(std::string_view key, double number) { out_.children.push_back(scalar(key, format("{}", number))); }

  bool has_experts() const {
    return std::ranges::any_of(stored_.stacks, [](const LayerStack& stack) { return experts_in(stack) > 0; });
  }

  /// Of a list with one number per layer the largest; layers without K/V heads keep a state instead.
  void add(std::string_view key, const Value* value) {
    if (value == nullptr) return;
    if (value->number && (*value->number > 0 || key == "num_experts")) add_number(key, *value->number);
    if (value->list.empty()) return;
    add_number(key, *std::max_element(value->list.begin(), value->list.end()));
    if (key != "num_key_value_heads" || std::find(value->list.begin(), value->list.end(), 0.0) == value->list.end())
      return;
    Node kinds;
    kinds.kind = Node::Kind::list;
    kinds.key = "layer_types";
    for (const double heads : value->list) kinds.children.push_back(scalar("", heads > 0 ? "full" : "linear", true));
    out_.children.push_back(std::move(kinds));
  }

  void add_heads() {
    const auto rope = number("rope.dimension_count");
    auto key = number("attention.key_length_mla");
    if (!key) key = number("attention.key_length");
    auto width = number("attention.value_length_mla");
    if (!width) width = number("attention.value_length");
    if (out_.find("kv_lora_rank") == nullptr) {
      if (key) add_number("head_dim", *key);
      return;
    }
    if (rope) add_number("qk_rope_head_dim", *rope);
    if (rope && key && *key > *rope) add_number("qk_nope_head_dim", *key - *rope);
    if (width) add_number("v_head_dim", *width);
  }

  /// Gated delta nets are described by the keys of state-space models.
  void add_linear() {
    const auto heads = number("ssm.time_step_rank");
    const auto inner = number("ssm.inner_size");
    if (out_.find("full_attention_interval") == nullptr || !heads || !inner || *heads <= 0) return;
    add_number("linear_num_value_heads", *heads);
    add_number("linear_value_head_dim", std::floor(*inner / *heads));
    if (const auto width = number("ssm.state_size")) add_number("linear_key_head_dim", *width);
    if (const auto groups = number("ssm.group_count")) add_number("linear_num_key_heads", *groups);
  }

  const Metadata& metadata_;
  const StoredWeights& stored_;
  std::string arch_;
  Node out_;
};

/// Of the format itself: 4.5 of "q4_k_m", 16 of "f16".
double bits_of(std::string_view format) {
  constexpr double kWithScales = 0.5;
  if (format == "fp32") return 32;
  if (format.ends_with("f16")) return 16;
  const std::size_t digit = format.find_first_of("12345678");
  return digit == std::string_view::npos ? 0 : format[digit] - '0' + kWithScales;
}

/// What the file says it is.
std::string_view said_format(const Metadata& metadata) {
  const auto said = metadata.find("general.file_type");
  if (said != metadata.end() && said->second.number && *said->second.number >= 0 && *said->second.number < 1e6)
    for (const FileType& each : kFileTypes)
      if ((static_cast<std::uint64_t>(*said->second.number) & ~kGuessed) == each.id) return each.format;
  return {};
}

/// What the file says it is, unless its tensors have far more or fewer bits; else what most of it is.
std::string precision_of(const Metadata& metadata, StoredWeights& stored) {
  constexpr double kFewest = 0.85;
  constexpr double kMost = 1.8;  // small files keep much in wider types
  const std::string_view said = said_format(metadata);
  const double bits = 8 * stored.bytes / stored.elements;
  const bool agrees = bits >= kFewest * bits_of(said) && bits <= kMost * bits_of(said);
  if (!said.empty() && agrees) return std::string(said);
  const std::string_view main_type = stored.types.front().name;
  std::string most = lower(main_type);
  for (const MainType& each : kMainTypes)
    if (each.type == main_type) most = each.format;
  if (!said.empty())
    stored.contradicts.push_back(say(
        "'general.file_type' says {}, and the tensors have {:.1f} bits per value: counted as {}", said, bits, most));
  return most;
}

}  // namespace

Result<GgufModel> read_gguf(const std::string& path) {
  GgufModel model;
  model.stored.layout = "gguf";
  GgufReader reader(model.stored);
  const std::vector<std::string> parts = parts_of_file(path);
  if (auto missing = missing_parts(parts); missing && parts.size() > 1) return std::unexpected(std::move(*missing));
  for (const std::string& part : parts)
    if (Status added = reader.add(part); !added) return std::unexpected(added.error());
  if (Status whole = reader.check_parts(path, parts.size()); !whole) return std::unexpected(whole.error());
  if (model.stored.elements <= 0)
    return usage_error(say("there are no tensors in it, so its size is not known"), path,
                       say("use the file with the weights, not one with the vocabulary only"));
  sort_types(model.stored);
  auto config = ConfigMaker(reader.metadata(), model.stored).make(path);
  if (!config) return std::unexpected(config.error());
  model.config = std::move(*config);
  model.stored.precision = precision_of(reader.metadata(), model.stored);
  return model;
}

}  // namespace gpusel::catalog
