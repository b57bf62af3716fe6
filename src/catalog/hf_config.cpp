#include "gpusel/catalog/hf_config.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <set>

#include "gpusel/base/message.hpp"
#include "gpusel/base/number.hpp"
#include "gpusel/base/text.hpp"
#include "gpusel/catalog/parameters.hpp"

namespace gpusel::catalog {

namespace {

/// What a model class implies and its config does not say. Sources: the classes' own code in
/// transformers (src/transformers/models/<type>).
struct ClassTraits {
  std::string_view model_type;
  ModelKind kind = ModelKind::decoder_llm;
  bool gated = true;
  bool tied = false;  // when tie_word_embeddings is absent
  double head_dim = 0;
  double full_every = 0;  // one layer in so many sees everything, the others a window
};

constexpr ClassTraits kClasses[] = {
    {"gpt2", ModelKind::decoder_llm, false, true},
    {"gpt_bigcode", ModelKind::decoder_llm, false, true},
    {"opt", ModelKind::decoder_llm, false, true},
    {"bloom", ModelKind::decoder_llm, false, true},
    {"falcon", ModelKind::decoder_llm, false, true},
    {"gpt_neox", ModelKind::decoder_llm, false, false},
    {"gptj", ModelKind::decoder_llm, false, false},
    {"mpt", ModelKind::decoder_llm, false, true},
    {"phi", ModelKind::decoder_llm, false, false},
    {"starcoder2", ModelKind::decoder_llm, false, true},
    {"nemotron", ModelKind::decoder_llm, false, false},
    {"gemma", ModelKind::decoder_llm, true, true, 256},
    {"gemma2", ModelKind::decoder_llm, true, true, 256, 2},
    {"gemma3", ModelKind::vlm, true, true, 256, 6},
    {"gemma3_text", ModelKind::decoder_llm, true, true, 256, 6},
    {"qwen3", ModelKind::decoder_llm, true, false, 128},
    {"qwen3_moe", ModelKind::decoder_llm, true, false, 128},
    {"gpt_oss", ModelKind::decoder_llm, true, false, 64},
    {"cohere", ModelKind::decoder_llm, true, true},
    {"cohere2", ModelKind::decoder_llm, true, true, 0, 4},
    {"bert", ModelKind::encoder, false, true},
    {"roberta", ModelKind::encoder, false, true},
    {"xlm-roberta", ModelKind::encoder, false, true},
    {"camembert", ModelKind::encoder, false, true},
    {"mpnet", ModelKind::encoder, false, true},
    {"distilbert", ModelKind::encoder, false, true},
    {"electra", ModelKind::encoder, false, true},
    {"deberta-v2", ModelKind::encoder, false, true},
    {"modernbert", ModelKind::encoder, true, true},
    {"nomic_bert", ModelKind::encoder, true, true},
    {"t5", ModelKind::encoder_decoder, false, true, 64},
    {"mt5", ModelKind::encoder_decoder, true, false, 64},
};

constexpr std::string_view kTextConfigs[] = {"text_config", "llm_config", "language_config", "thinker_config"};

class ConfigReader {
 public:
  ConfigReader(const Node& root, std::string name, ConfigModel& out)
      : root_(root), text_(&root), name_(std::move(name)), out_(out) {
    for (const std::string_view key : kTextConfigs) {
      const Node* nested = text_->find(key);
      if (nested == nullptr || !nested->is_map()) continue;
      used_.insert(std::string(key));
      text_ = nested;
    }
  }

  Status read() {
    Model& m = out_.model;
    m.id = keep(name_);
    const ClassTraits traits = read_class();
    m.kind = text_ != &root_ && root_.find("vision_config") != nullptr ? ModelKind::vlm : traits.kind;
    use("vision_config");
    m.layers = count({"num_hidden_layers", "n_layer", "n_layers", "num_layers"});
    m.hidden_size = count({"hidden_size", "n_embd", "d_model", "dim"});
    m.heads = count({"num_attention_heads", "n_head", "num_heads", "n_heads"});
    m.vocab_size = count({"vocab_size", "padded_vocab_size"});
    m.max_context = context();
    read_ffn(traits);
    read_attention(traits);
    read_experts();
    read_layer_kinds(traits);
    if (const auto tied = boolean("tie_word_embeddings")) m.tied_embeddings = tied;
    if (!m.tied_embeddings && known_class_) m.tied_embeddings = traits.tied;
    m.native_dtype = keep(native_dtype());
    if (error_) return std::unexpected(*error_);
    if (Status clear = check_shape(); !clear) return clear;
    m.params_b = billions("params_b");
    if (!m.params_b) m.params_b = parameters_from_shape(m);
    m.active_params_b = billions("active_params_b");
    if (error_) return std::unexpected(*error_);
    list_unread();
    return {};
  }

 private:
  std::string_view keep(std::string text) { return out_.texts.emplace_back(std::move(text)); }
  void use(std::string_view key) { used_.insert(std::string(key)); }

  const Node* find(std::string_view key) {
    use(key);
    const Node* node = text_->find(key);
    if (node == nullptr) node = root_.find(key);
    return node == nullptr || node->kind == Node::Kind::null ? nullptr : node;
  }

  void fail(const Node& at, std::string message) {
    if (!error_) error_ = Error{ErrorKind::usage, std::move(message), position(name_, at), {}};
  }

  /// The first of several spellings that is there: a whole number.
  Number count(std::initializer_list<std::string_view> keys, double low = 0) { return first_of(keys, low, true); }
  /// Billions of parameters.
  Number billions(std::string_view key) { return first_of({key}, 1e-6, false); }

  Number first_of(std::initializer_list<std::string_view> keys, double low, bool whole) {
    Number value;
    for (const std::string_view key : keys) {
      const Node* node = find(key);
      if (node == nullptr || value) continue;
      value = node->is_scalar() && !node->quoted ? plain_number(node->text) : std::nullopt;
      if (!value || *value < low || *value > 1e12 || (whole && *value != std::floor(*value))) {
        fail(*node, whole ? say("'{}' must be a whole number from {:g}, found {}", key, low, node->describe())
                          : say("'{}' must be a number of at least {:g}, found {}", key, low, node->describe()));
        return std::nullopt;
      }
    }
    return value;
  }
  std::optional<bool> boolean(std::string_view key) {
    const Node* node = find(key);
    if (node == nullptr) return std::nullopt;
    if (node->quoted || (node->text != "true" && node->text != "false"))
      fail(*node, say("'{}' must be true or false, found {}", key, node->describe()));
    return node->text == "true";
  }
  std::string text(std::string_view key) {
    const Node* node = find(key);
    return node != nullptr && node->is_scalar() ? node->text : std::string();
  }

  ClassTraits read_class() {
    const std::string type = text("model_type");
    const std::string outer = root_.find("model_type") != nullptr ? root_.find("model_type")->text : type;
    out_.model.family = keep(type);
    for (const ClassTraits& traits : kClasses)
      if (traits.model_type == type || traits.model_type == outer) {
        known_class_ = true;
        return traits;
      }
    const Node* classes = find("architectures");
    const bool encoder = classes != nullptr && classes->is_list() && !classes->children.empty() &&
                         (classes->children.front().text.ends_with("ForMaskedLM") ||
                          classes->children.front().text.ends_with("ForSequenceClassification"));
    known_class_ = encoder;
    return {out_.model.family, encoder ? ModelKind::encoder : ModelKind::decoder_llm, !encoder, encoder};
  }

  Number context() {
    const Number positions = count({"max_position_embeddings", "n_positions", "seq_length", "max_seq_len", "n_ctx"});
    const Number longer = count({"model_max_length"});
    return longer && (!positions || *longer > *positions) ? longer : positions;
  }

  void read_ffn(const ClassTraits& traits) {
    Model& m = out_.model;
    // What neither the config nor its class says follows from the stated size, where there is one.
    if (known_class_) m.gated_ffn = traits.gated;
    if (const std::string activation = text("feed_forward_proj"); !activation.empty())
      m.gated_ffn = activation.starts_with("gated");
    m.ffn_size = count({"intermediate_size", "ffn_dim", "n_inner", "ffn_hidden_size", "d_ff", "ff_dim"});
    if (!m.ffn_size && m.hidden_size) m.ffn_size = 4 * *m.hidden_size;
    // The first Qwen states the width of both branches together.
    if (out_.model.family == "qwen" && m.ffn_size) m.ffn_size = *m.ffn_size / 2;
    const Number decoder = count({"num_decoder_layers"}, 1);
    if (traits.kind != ModelKind::encoder_decoder) return;
    m.decoder_layers = decoder ? decoder : m.layers;  // T5 leaves out what equals the encoder
    m.cross_layers = m.decoder_layers;
  }

  void read_attention(const ClassTraits& traits) {
    Model& m = out_.model;
    m.kv_heads = count({"num_key_value_heads", "num_kv_heads", "n_head_kv", "multi_query_group_num"}, 1);
    if (!m.kv_heads) m.kv_heads = boolean("multi_query").value_or(false) ? Number{1} : m.heads;
    m.head_dim = count({"head_dim", "kv_channels", "d_kv"}, 1);
    if (!m.head_dim && traits.head_dim > 0) m.head_dim = traits.head_dim;
    if (!m.head_dim && m.hidden_size && m.heads && *m.heads > 0) m.head_dim = *m.hidden_size / *m.heads;
    m.mla_kv_lora_rank = count({"kv_lora_rank"}, 1);
    m.mla_rope_dim = count({"qk_rope_head_dim"});
    const Number nope = count({"qk_nope_head_dim"});
    m.mla_v_head_dim = count({"v_head_dim"});
    m.mla_q_lora_rank = count({"q_lora_rank"});
    if (m.is_mla() && nope) m.head_dim = *nope + m.mla_rope_dim.value_or(0);
    if (m.is_mla())
      m.attention = "mla";
    else if (m.kv_heads && m.heads)
      m.attention = *m.kv_heads == *m.heads ? "mha" : *m.kv_heads == 1 ? "mqa" : "gqa";
  }

  void read_experts() {
    Model& m = out_.model;
    const Number experts = count({"num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"});
    if (!experts || *experts < 2) return;
    m.experts = experts;
    m.experts_per_token =
        count({"num_experts_per_tok", "num_experts_per_token", "experts_per_token", "top_k_experts", "moe_top_k"}, 1);
    if (!m.experts_per_token) m.experts_per_token = 1;
    m.moe_ffn_size = count({"moe_intermediate_size", "expert_ffn_hidden_size"});
    if (!m.moe_ffn_size) m.moe_ffn_size = m.ffn_size;
    m.shared_experts = count({"n_shared_experts", "num_shared_experts", "moe_num_shared_experts"});
    if (const Number shared = count({"shared_expert_intermediate_size"}); shared && *shared > 0) {
      m.shared_experts = 1;
      m.shared_ffn_size = shared;
    }
    m.first_dense_layers = count({"first_k_dense_replace"});
    m.moe_layer_step = count({"interleave_moe_layer_step", "moe_layer_freq", "decoder_sparse_step"}, 1);
  }

  /// Which layers keep a growing cache, a window, or a fixed state.
  void read_layer_kinds(const ClassTraits& traits) {
    Model& m = out_.model;
    const Number window = count({"sliding_window", "window_size"});
    const bool window_off = find("use_sliding_window") != nullptr && !boolean("use_sliding_window").value_or(true);
    double full = m.layers.value_or(0);
    double windowed = 0;
    double linear = 0;
    const Number pattern = count({"sliding_window_pattern"}, 1);
    const double full_every = pattern.value_or(traits.full_every);
    if (const Node* kinds = find("layer_types"); kinds != nullptr && kinds->is_list()) {
      if (static_cast<double>(kinds->children.size()) != m.layers.value_or(0))
        fail(*kinds, say("'layer_types' names {} layers of {:g}", kinds->children.size(), m.layers.value_or(0)));
      full = 0;
      for (const Node& kind : kinds->children) {
        if (kind.text.starts_with("linear") || kind.text.starts_with("mamba") || kind.text == "recurrent")
          ++linear;
        else if (kind.text.starts_with("sliding") || kind.text.starts_with("chunked"))
          ++windowed;
        else
          ++full;
      }
    } else if (const Number interval = count({"full_attention_interval"}, 1); interval) {
      full = std::floor(full / *interval);
      linear = m.layers.value_or(0) - full;
    } else if (full_every > 0 && window && !window_off) {
      full = std::floor(full / full_every);
      windowed = m.layers.value_or(0) - full;
    } else if (window && !window_off && *window > 0) {
      std::swap(full, windowed);
    }
    if (window_off) {
      full += windowed;
      windowed = 0;
    }
    m.kv_full_layers = m.decoder_layers ? *m.decoder_layers : full;  // an encoder keeps no cache
    if (windowed > 0) {
      m.kv_window_layers = windowed;
      m.window_tokens = window;
    }
    if (linear > 0) read_linear_state(linear);
  }

  /// State of gated-delta-net layers: value heads × key width × value width per layer, at 16 bit.
  void read_linear_state(double layers) {
    const Number heads = count({"linear_num_value_heads"});
    const Number key = count({"linear_key_head_dim"});
    const Number value = count({"linear_value_head_dim"});
    out_.model.linear_layers = layers;
    if (heads && key && value) out_.model.linear_state_bytes = layers * *heads * *key * *value * 2;
  }

  std::string native_dtype() {
    std::string dtype = text("torch_dtype");
    if (dtype.empty()) dtype = text("dtype");
    if (const Node* quantised = find("quantization_config"); quantised != nullptr) {
      const Node* method = quantised->find("quant_method");
      const Node* bits = quantised->find("bits");
      const std::string how = method == nullptr ? "" : lower(method->text);
      if (how == "fp8" || how == "fbgemm_fp8") return "fp8";
      if (how == "mxfp4") return "mxfp4";
      if (how == "awq" || how == "gptq") return bits != nullptr && bits->text == "8" ? "int8" : "w4a16";
    }
    if (dtype == "float16") return "fp16";
    if (dtype == "float32") return "fp32";
    return "bf16";
  }

  Status check_shape() {
    const Model& m = out_.model;
    struct Needed {
      std::string_view key;
      Number value;
    };
    for (const Needed& needed : {Needed{"num_hidden_layers", m.layers}, Needed{"hidden_size", m.hidden_size},
                                 Needed{"num_attention_heads", m.heads}, Needed{"vocab_size", m.vocab_size}})
      if (!needed.value || *needed.value < 1)
        return usage_error(say("the model's shape is not clear: '{}' is missing", needed.key), name_);
    if (m.kv_heads && *m.kv_heads > *m.heads)
      return usage_error(say("{:g} K/V heads are more than the {:g} heads", *m.kv_heads, *m.heads), name_);
    if (m.experts && *m.experts_per_token > *m.experts)
      return usage_error(say("{:g} experts per token are more than the {:g} experts", *m.experts_per_token, *m.experts),
                         name_);
    if (m.first_dense_layers.value_or(0) > *m.layers)
      return usage_error(say("{:g} dense layers are more than the {:g} layers", *m.first_dense_layers, *m.layers),
                         name_);
    if (*m.layers > 1e4 || *m.hidden_size > 1e6 || *m.heads > 1e5 || *m.vocab_size > 1e8)
      return usage_error(say("the model's shape is out of any range"), name_);
    return {};
  }

  void list_unread() {
    for (const Node* map : {&root_, text_}) {
      if (map == text_ && text_ == &root_ && !out_.unread.empty()) break;
      for (const Node& member : map->children)
        if (!used_.contains(member.key)) out_.unread.push_back(member.key);
      if (text_ == &root_) break;
    }
    std::sort(out_.unread.begin(), out_.unread.end());
    out_.unread.erase(std::unique(out_.unread.begin(), out_.unread.end()), out_.unread.end());
  }

  const Node& root_;
  const Node* text_;
  std::string name_;
  ConfigModel& out_;
  std::set<std::string> used_;
  std::optional<Error> error_;
  bool known_class_ = false;
};

}  // namespace

Result<std::unique_ptr<ConfigModel>> read_config(const Node& root, const std::string& name) {
  if (!root.is_map())
    return usage_error(say("a model configuration is a JSON object, found {}", root.describe()), name);
  auto out = std::make_unique<ConfigModel>();
  if (Status read = ConfigReader(root, name, *out).read(); !read) return std::unexpected(read.error());
  return out;
}

bool looks_like_path(std::string_view name) {
  return name.ends_with(".json") || name.starts_with("./") || name.starts_with("../") || name.starts_with("/") ||
         name == "." || name == "..";
}

Result<std::unique_ptr<ConfigModel>> read_config_file(const std::string& path) {
  std::error_code failed;
  const std::string file =
      std::filesystem::is_directory(path, failed) ? (std::filesystem::path(path) / "config.json").string() : path;
  auto text = read_text_file(file);
  if (!text) return std::unexpected(text.error());
  auto document = parse_json(*text, file, JsonDialect::python);
  if (!document) return std::unexpected(document.error());
  return read_config(document->root, file);
}

}  // namespace gpusel::catalog
