#include "catalog/hf/layers.hpp"

#include <algorithm>
#include <cmath>

#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::catalog::hf {

namespace {

struct Named {
  std::string_view start;
  Mixer mixer;
};
// By how the name in layer_types and its like begins.
constexpr Named kNamed[] = {{"full", Mixer::full},
                            {"attention", Mixer::full},
                            {"global", Mixer::full},
                            {"sliding", Mixer::window},
                            {"chunked", Mixer::window},
                            {"local", Mixer::window},
                            {"linear", Mixer::linear},
                            {"gated_delta", Mixer::delta},
                            {"mamba2", Mixer::mamba2},
                            {"mamba", Mixer::mamba2},
                            {"conv", Mixer::conv},
                            {"short_conv", Mixer::conv},
                            {"recurrent", Mixer::recurrent},
                            {"cross", Mixer::cross},
                            {"mlp", Mixer::none},
                            {"moe", Mixer::none}};

constexpr std::string_view kBlocks = "block_configs";

/// Stated, or as the number of query heads that share one.
Number block_kv_heads(const Keys& keys, const Keys& attention) {
  const Number stated = attention.count({"num_key_value_heads"}, 1);
  const Number sharing = attention.count({"n_heads_in_group"}, 1);
  const Number heads = keys.count({"num_attention_heads"});
  if (stated || !sharing || !heads) return stated ? stated : heads;
  return std::floor(*heads / *sharing);
}

class LayerReader {
 public:
  LayerReader(const Keys& keys, const ModelClass& model_class, double layers)
      : keys_(keys), class_(model_class), layers_(static_cast<std::size_t>(layers)) {}

  std::vector<Layer> read(bool has_experts) {
    if (!by_blocks() && !by_class() && !by_pattern() && !by_names() && !by_indices()) by_default();
    settle_linear();
    if (has_experts) place_experts();
    return std::move(layers_);
  }

 private:
  /// Attention in every layer, unless the class has other layers and its file must say which.
  void by_default() {
    if (!class_.is(kHybrid) || keys_.has("params_b")) return by_windows();
    keys_.fail_reading({ErrorKind::usage,
                        say("the model's shape is not clear: '{}' models have layers without attention, and which they "
                            "are is missing",
                            class_.type),
                        keys_.file(), say("use the config.json of the model's publisher")});
  }

  template <class Choose>
  bool each(Choose choose) {
    for (std::size_t i = 0; i < layers_.size(); ++i) layers_[i].mixer = choose(i);
    return true;
  }

  /// Each layer described by itself, as a search over architectures leaves them: Nemotron NAS.
  bool by_blocks() {
    const Node* blocks = keys_.list(kBlocks);
    if (blocks == nullptr) return false;
    if (blocks->children.size() != layers_.size()) {
      keys_.fail(*blocks, say("'{}' names {} layers of {}", kBlocks, blocks->children.size(), layers_.size()));
      return true;
    }
    const double most = kv_heads_of_blocks(keys_).value_or(0);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const Keys block = keys_.inside(blocks->children[i]);
      const auto attention = block.map("attention");
      const auto ffn = block.map("ffn");
      if (!attention || !ffn) {
        keys_.fail(blocks->children[i], say("a layer of '{}' has no '{}'", kBlocks, attention ? "ffn" : "attention"));
        return true;
      }
      layers_[i] = {mixer_of(*attention), Ffn::none};
      if (layers_[i].mixer != Mixer::none)
        layers_[i].beside = 2 * hidden() * head_dim() * (kv_heads_of(*attention) - most);
      if (is_linear(*attention)) layers_[i].beside += hidden() * hidden();
      place_ffn(*ffn, layers_[i], blocks->children[i]);
    }
    return true;
  }

  static bool is_gone(const Keys& part) { return part.truth("no_op", false); }
  static bool is_linear(const Keys& part) { return !is_gone(part) && part.truth("replace_with_linear", false); }

  static Mixer mixer_of(const Keys& attention) {
    if (is_gone(attention) || is_linear(attention)) return Mixer::none;
    return attention.count_or({"window_length"}, 0) > 0 ? Mixer::window : Mixer::full;
  }

  double kv_heads_of(const Keys& attention) const { return block_kv_heads(keys_, attention).value_or(0); }
  double hidden() const { return keys_.count_or({"hidden_size"}, 0); }
  double head_dim() const {
    return keys_.count_or({"head_dim"}, std::floor(hidden() / keys_.count_or({"num_attention_heads"}, 1, 1)));
  }

  /// Of a stated multiple, as the class rounds it: two thirds, up to whole 256.
  void place_ffn(const Keys& ffn, Layer& layer, const Node& at) {
    if (is_gone(ffn)) return;
    if (is_linear(ffn)) {
      layer.beside += hidden() * hidden();
      return;
    }
    constexpr double kStep = 256;
    const Number multiple = ffn.number({"ffn_mult"}, 0);
    layer.ffn = Ffn::dense;
    layer.ffn_width = ffn.count_or({"intermediate_size"},
                                   multiple ? kStep * std::ceil(std::floor(2 * *multiple * hidden() / 3) / kStep) : 0);
    if (layer.ffn_width <= 0) keys_.fail(at, say("a layer of '{}' has no '{}'", kBlocks, "ffn_mult"));
  }

  bool by_class() {
    const std::string_view type = class_.type;
    const bool mamba2 = type == "mamba2";
    if (type == "mamba" || type == "falcon_mamba" || mamba2 || type == "rwkv") {
      for (Layer& layer : layers_)
        layer = {mamba2 ? Mixer::mamba2 : type == "rwkv" ? Mixer::rwkv : Mixer::mamba, Ffn::none};
      return true;
    }
    if (type == "falcon_h1") return each([](std::size_t) { return Mixer::beside; });
    return false;
  }

  /// "M-M*-…" of Nemotron-H: each character is a layer of its own.
  bool by_pattern() {
    const Node* pattern = keys_.find("hybrid_override_pattern");
    if (pattern == nullptr) return false;
    if (pattern->text.size() != layers_.size()) {
      keys_.fail(*pattern,
                 say("'hybrid_override_pattern' names {} layers of {}", pattern->text.size(), layers_.size()));
      return true;
    }
    for (std::size_t i = 0; i < layers_.size(); ++i) switch (pattern->text[i]) {
        case 'M': layers_[i] = {Mixer::mamba2, Ffn::none}; break;
        case '*': layers_[i] = {Mixer::full, Ffn::none}; break;
        case '-': layers_[i] = {Mixer::none, Ffn::dense}; break;
        case 'E': layers_[i] = {Mixer::none, Ffn::experts}; break;
        default:
          keys_.fail(*pattern, say("'hybrid_override_pattern' has a layer '{}', which is none of M, *, - and E",
                                   printable(pattern->text.substr(i, 1))));
      }
    return true;
  }

  bool by_names() {
    for (const std::string_view key : {"layer_types", "layers_block_type", "attention_layers"}) {
      const Node* names = keys_.only_list(key);
      if (names == nullptr) continue;
      if (names->children.size() != layers_.size()) {
        keys_.fail(*names, say("'{}' names {} layers of {}", key, names->children.size(), layers_.size()));
        return true;
      }
      each([&](std::size_t i) { return named(names->children[i]); });
      if (class_.type == "nemotron_h") part_layers(*names);
      return true;
    }
    const Node* repeated = keys_.only_list("block_types");
    if (repeated == nullptr || repeated->children.empty()) return false;
    return each([&](std::size_t i) { return named(repeated->children[i % repeated->children.size()]); });
  }

  /// Where attention, Mamba and FFN are layers of their own.
  void part_layers(const Node& names) {
    for (std::size_t i = 0; i < layers_.size(); ++i)
      layers_[i].ffn = layers_[i].mixer != Mixer::none             ? Ffn::none
                       : names.children[i].text.starts_with("moe") ? Ffn::experts
                                                                   : Ffn::dense;
  }

  Mixer named(const Node& name) {
    const bool windowed = class_.type == "recurrent_gemma" && name.text == "attention";
    for (const Named& each : kNamed)
      if (name.is_scalar() && name.text.starts_with(each.start)) return windowed ? Mixer::window : each.mixer;
    keys_.fail(name, say("a layer of kind {} is not known", name.describe()));
    return Mixer::full;
  }

  bool holds(const std::vector<double>& list, std::size_t index) const {
    return std::find(list.begin(), list.end(), static_cast<double>(index)) != list.end();
  }

  /// The places of layers in a list, the first of them `first`; refuses one that there is not.
  std::vector<double> places(const Keys& keys, std::string_view key, double first = 0) const {
    const Node* list = keys.only_list(key);
    std::vector<double> out = keys.counts(key);
    for (const double place : out)
      if (place < first || place >= static_cast<double>(layers_.size()) + first)
        keys.fail(*list, say("'{}' names layer {:g}, and there are {}", key, place, layers_.size()));
    return out;
  }

  /// A list with an entry for each layer, or nullptr; refuses one of another length.
  const Node* one_each(std::string_view key) const {
    const Node* list = keys_.only_list(key);
    if (list != nullptr && list->children.size() != layers_.size())
      keys_.fail(*list, say("'{}' names {} layers of {}", key, list->children.size(), layers_.size()));
    return list != nullptr && list->children.size() == layers_.size() ? list : nullptr;
  }

  /// Every so many layers, from an offset below that.
  std::optional<std::pair<double, double>> repeated(std::string_view period_key, std::string_view offset_key) const {
    const Number period = keys_.count({period_key}, 1);
    if (!period) return std::nullopt;
    const double offset = keys_.count_or({offset_key}, 0);
    if (const Node* at = keys_.find(offset_key); at != nullptr && offset >= *period)
      keys_.fail(*at,
                 say("'{}' is {:g}, and '{}' is {:g}: no layer is meant", offset_key, offset, period_key, *period));
    return std::pair(*period, offset);
  }

  /// Kimi's two lists together name each layer once, from 1.
  bool by_kimi_lists(const Keys& own) {
    const std::vector<double> full = places(own, "full_attn_layers", 1);
    const std::vector<double> linear = places(own, "kda_layers", 1);
    if (full.empty()) return false;
    for (std::size_t i = 1; i <= layers_.size() && !linear.empty(); ++i)
      if (holds(full, i) == holds(linear, i))
        own.fail(*own.list("kda_layers"),
                 say("layer {} is in both of 'full_attn_layers' and 'kda_layers', or in none", i));
    return each([&](std::size_t i) { return holds(full, i + 1) ? Mixer::full : Mixer::kimi; });
  }

  /// Full layers told by their places.
  bool by_indices() {
    const Mixer other = class_.type == "bamba" ? Mixer::mamba2 : Mixer::conv;
    for (const std::string_view key : {"full_attn_idxs", "attn_layer_indices"}) {
      const std::vector<double> full = places(keys_, key);
      if (full.empty()) continue;
      return each([&](std::size_t i) { return holds(full, i) ? Mixer::full : other; });
    }
    if (const auto kimi = keys_.map("linear_attn_config"); kimi && by_kimi_lists(*kimi)) return true;
    if (one_each("attn_type_list") != nullptr)
      return each([&, kinds = keys_.counts("attn_type_list")](std::size_t i) {
        return i < kinds.size() && kinds[i] == 1 ? Mixer::full : Mixer::lightning;
      });
    if (const auto jamba = repeated("attn_layer_period", "attn_layer_offset"))
      return each([&](std::size_t i) {
        return std::fmod(static_cast<double>(i), jamba->first) == jamba->second ? Mixer::full : Mixer::mamba;
      });
    if (const Number interval = keys_.count({"full_attention_interval"}, 1))
      return each([&](std::size_t i) {
        return std::fmod(static_cast<double>(i) + 1, *interval) == 0 ? Mixer::full : Mixer::delta;
      });
    if (const std::vector<double> cross = places(keys_, "cross_attention_layers"); !cross.empty())
      return each([&](std::size_t i) { return holds(cross, i) ? Mixer::cross : Mixer::full; });
    return false;
  }

  void by_windows() {
    if (const Number step = keys_.count({"global_attn_every_n_layers"}, 1)) {
      each([&](std::size_t i) { return std::fmod(static_cast<double>(i), *step) == 0 ? Mixer::full : Mixer::window; });
      return;
    }
    const Number window = keys_.count({"sliding_window", "window_size", "attention_chunk_size"});
    const Node* stated = keys_.find("sliding_window");
    if (!keys_.truth("use_sliding_window", true)) return;
    if (class_.type.starts_with("llama4") || class_.type.starts_with("qwen")) {
      by_family(window.value_or(0));
      return;
    }
    const double width = window ? *window : stated == nullptr ? class_.window : 0;
    if (width <= 0) return;
    const Node* pattern = keys_.find("sliding_window_pattern");
    if (pattern == nullptr) pattern = keys_.find("_sliding_window_pattern");
    if (pattern != nullptr && pattern->quoted && !pattern->text.empty()) {
      each([&](std::size_t i) {  // EXAONE's "LLLG"
        return pattern->text[i % pattern->text.size()] == 'L' ? Mixer::window : Mixer::full;
      });
      return;
    }
    const double every = keys_.count({"sliding_window_pattern", "_sliding_window_pattern", "layer_switch"}, 1)
                             .value_or(class_.full_every);
    each([&](std::size_t i) {
      return every > 0 && std::fmod(static_cast<double>(i) + 1, every) == 0 ? Mixer::full : Mixer::window;
    });
  }

  void by_family(double window) {
    if (window <= 0) return;
    if (class_.type.starts_with("qwen")) {  // the lower layers see everything
      const double full = keys_.count_or({"max_window_layers"}, 0);
      each([&](std::size_t i) { return static_cast<double>(i) < full ? Mixer::full : Mixer::window; });
      return;
    }
    const bool stated = keys_.list("no_rope_layers") != nullptr && one_each("no_rope_layers") != nullptr;
    // 0: sees everything, without positions
    const std::vector<double> rotary = stated ? keys_.counts("no_rope_layers") : std::vector<double>();
    const double interval = keys_.count_or({"no_rope_layer_interval"}, 4, 1);
    each([&](std::size_t i) {
      const bool full =
          rotary.size() == layers_.size() ? rotary[i] == 0 : std::fmod(static_cast<double>(i) + 1, interval) == 0;
      return full ? Mixer::full : Mixer::window;
    });
  }

  /// What "linear" means depends on the class.
  void settle_linear() {
    const Mixer meant = keys_.has("linear_num_value_heads") || class_.is(kSharedGate) ? Mixer::delta
                        : class_.type.starts_with("minimax")                          ? Mixer::lightning
                                                                                      : Mixer::linear;
    for (Layer& layer : layers_)
      if (layer.mixer == Mixer::linear) layer.mixer = meant;
  }

  void place_experts() {
    const auto place = [&](auto chosen) {
      for (std::size_t i = 0; i < layers_.size(); ++i)
        if (layers_[i].ffn != Ffn::none && chosen(static_cast<double>(i))) layers_[i].ffn = Ffn::experts;
    };
    if (class_.type == "nemotron_h") return;  // its pattern says it
    if (const Node* kinds = one_each("mlp_layer_types")) {
      for (const Node& kind : kinds->children)
        if (kind.text != "sparse" && kind.text != "dense")
          keys_.fail(kind, say("a layer of kind {} is not known", kind.describe()));
      return place([&](double i) { return kinds->children[static_cast<std::size_t>(i)].text == "sparse"; });
    }
    if (const std::vector<double> listed = places(keys_, "moe_layers"); !listed.empty())
      return place([&](double i) { return holds(listed, static_cast<std::size_t>(i)); });
    if (keys_.list("moe_layer_freq") != nullptr && one_each("moe_layer_freq") != nullptr) {
      const std::vector<double> flags = keys_.counts("moe_layer_freq");
      return place([&](double i) {
        const auto at = static_cast<std::size_t>(i);
        return at < flags.size() && flags[at] > 0;
      });
    }
    if (const auto jamba = repeated("expert_layer_period", "expert_layer_offset"))
      return place([&](double i) { return std::fmod(i, jamba->first) == jamba->second; });
    const double first = keys_.count_or({"first_k_dense_replace", "num_dense_layers", "moe_layer_start_index"}, 0);
    const double last = keys_.number({"moe_layer_end_index"}, -1).value_or(-1);
    const Node* frequency = keys_.find("moe_layer_freq");
    const double step =
        frequency != nullptr && frequency->is_list()
            ? 1
            : keys_.count_or(
                  {"interleave_moe_layer_step", "decoder_sparse_step", "moe_layer_interval", "moe_layer_freq"}, 1, 1);
    const std::vector<double> dense = places(keys_, "mlp_only_layers");
    // DeepSeek counts steps from the first layer, the others put experts at the end of each step.
    const double shift = keys_.has("moe_layer_freq") ? 0 : 1;
    place([&](double i) {
      return i >= first && (last < 0 || i <= last) && std::fmod(i + shift, step) == 0 &&
             !holds(dense, static_cast<std::size_t>(i));
    });
  }

  const Keys& keys_;
  const ModelClass& class_;
  std::vector<Layer> layers_;
};

}  // namespace

std::vector<Layer> read_layers(const Keys& keys, const ModelClass& model_class, double layers, bool has_experts) {
  return LayerReader(keys, model_class, layers).read(has_experts);
}

Number kv_heads_of_blocks(const Keys& keys) {
  const Node* blocks = keys.list(kBlocks);
  if (blocks == nullptr) return std::nullopt;
  Number most;
  for (const Node& block : blocks->children)
    if (const auto attention = keys.inside(block).map("attention");
        attention && !attention->truth("no_op", false) && !attention->truth("replace_with_linear", false))
      if (const Number own = block_kv_heads(keys, *attention)) most = std::max(most.value_or(0), *own);
  return most;
}

Number layers_of_pattern(const Keys& keys) {
  const Node* pattern = keys.find("hybrid_override_pattern");
  if (pattern == nullptr || pattern->text.empty()) return std::nullopt;
  return static_cast<double>(pattern->text.size());
}

bool has_attention(Mixer mixer) {
  return mixer == Mixer::full || mixer == Mixer::window || mixer == Mixer::cross || mixer == Mixer::beside;
}

bool has_state(Mixer mixer) { return !has_attention(mixer) && mixer != Mixer::none; }

double count_of(const std::vector<Layer>& layers, Mixer mixer) {
  return static_cast<double>(
      std::count_if(layers.begin(), layers.end(), [&](const Layer& layer) { return layer.mixer == mixer; }));
}

double count_of(const std::vector<Layer>& layers, Ffn ffn) {
  return static_cast<double>(
      std::count_if(layers.begin(), layers.end(), [&](const Layer& layer) { return layer.ffn == ffn; }));
}

}  // namespace gpusel::catalog::hf
