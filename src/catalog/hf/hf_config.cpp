#include "catalog/hf/hf_config.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/hf/defaults.hpp"
#include "catalog/hf/shape.hpp"

namespace gpusel::catalog {

namespace {

using namespace hf;

constexpr double kMostParameters = 1e15;
constexpr double kMostStateBytes = 1e12;
constexpr std::string_view kTextParts[] = {"thinker_config", "text_config", "llm_config", "language_config"};

/// Words in the name of a key that tell of layers which are not plain.
constexpr std::string_view kUnusual[] = {"mamba",   "ssm",      "linear_attn", "kda",          "recurrent",
                                         "lru",     "compress", "hyper",       "block_config", "latent",
                                         "adapter", "expert",   "moe",         "router",       "decoder_layers"};

/// Types of configuration whose models have experts, and say so only by their keys.
constexpr std::string_view kMixtures[] = {"arctic",  "aria_text", "dbrx",       "grok-1",
                                          "hunyuan", "step3",     "step3_text", "switch_transformers"};

bool names_mixture(std::string_view name) {
  return lower(name).contains("moe") || std::ranges::find(kMixtures, name) != std::end(kMixtures);
}

class ConfigReader {
 public:
  ConfigReader(const Node& root, std::string name, StatedSize size, ConfigModel& out)
      : size_(size),
        name_(std::move(name)),
        reading_{name_, {}, {}},
        root_(reading_, &root),
        keys_(root_),
        out_(out),
        m_(out.model) {
    const Node* text = &root;
    const ModelClass* outer = find_class(root_.text("model_type"));
    if (outer != nullptr && outer->kind == ModelKind::vit) text = nullptr;  // a pair of towers, as CLIP's
    for (const std::string_view key : kTextParts) {
      const Node* nested = text == nullptr ? nullptr : text->find(key);
      if (nested == nullptr || nested->kind == Node::Kind::null) continue;
      reading_.used.insert(nested);
      if (!nested->is_map()) reading_.fail(*nested, say("'{}' must be an object, found {}", key, nested->describe()));
      text = nested;
    }
    if (text == nullptr || text == &root) return;
    nested_ = true;
    keys_ = Keys(reading_, text, &root);
    text_ = Keys(reading_, text);
  }

  Status read() {
    m_.id = keep(name_);
    if (Status known = read_class(); !known) return known;
    if (class_.kind == ModelKind::vit) return read_tower();
    read_basics();
    take_usual();
    read_attention();
    read_ffn();
    read_experts(keys_, class_, m_, out_.notes);
    if (failed()) return failure();
    if (Status clear = check_shape(); !clear) return clear;
    Shape shape{keys_, root_, class_, m_, {}, nested_};
    shape.layers = read_layers(keys_, class_, *m_.layers, m_.is_moe());
    if (failed()) return failure();
    if (Status whole = check_widths(shape); !whole) return whole;
    describe_layers(shape);
    sort_layers(shape);
    if (const auto tied = keys_.boolean("tie_word_embeddings"))
      m_.tied_embeddings = tied;
    else if (known_)
      m_.tied_embeddings = class_.is(kTied);
    m_.native_dtype = keep(stored_precision(keys_, root_, out_.notes));
    m_.fp8_block = stored_block(keys_);
    if (failed()) return failure();
    return count(shape);
  }

 private:
  std::string_view keep(std::string text) { return out_.texts.emplace_back(std::move(text)); }
  bool failed() const { return reading_.error.has_value(); }
  Status failure() const { return std::unexpected(*reading_.error); }

  Status read_class() {
    const std::string outer = root_.text("model_type");
    m_.model_type = keep(outer);
    std::string type = nested_ ? text_->text("model_type") : outer;
    if (type.empty()) type = nested_ && outer.starts_with("llava") ? "llama" : outer;
    m_.family = keep(type.empty() || find_class(type) == nullptr ? (nested_ ? type : outer) : type);
    for (const std::string& each : {type, outer})
      if (const std::string_view reason = refusal(each); !reason.empty() && !keys_.has("params_b"))
        return usage_error(say("the size of a '{}' model cannot be derived from its configuration: {}", each, reason),
                           name_, say("add params_b to it, or use a folder with its safetensors"));
    const ModelClass* found = find_class(type);
    if (found == nullptr) found = find_class(outer);
    known_ = found != nullptr;
    if (found != nullptr) class_ = *found;
    const Node* classes = root_.list("architectures");
    const std::string_view first = classes != nullptr && !classes->children.empty()
                                       ? std::string_view(classes->children.front().text)
                                       : std::string_view();
    if (!known_ && (first.ends_with("ForMaskedLM") || first.ends_with("ForSequenceClassification")))
      class_ = {m_.family, ModelKind::encoder, find_class("bert")->traits};
    if (!known_) class_.type = m_.family;
    // Without a number of experts it must not be taken for a dense one.
    if (names_mixture(type) || names_mixture(first) || (!known_ && keys_.has("router_aux_loss_coef")))
      class_.traits |= kMixture;
    m_.kind =
        class_.kind == ModelKind::decoder_llm && root_.find("vision_config") != nullptr ? ModelKind::vlm : class_.kind;
    return {};
  }

  void read_basics() {
    m_.layers = keys_.count({"num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers"});
    if (!m_.layers) m_.layers = layers_of_pattern(keys_);
    m_.hidden_size = keys_.count({"hidden_size", "n_embd", "d_model", "dim", "model_dim"});
    m_.heads = keys_.count({"num_attention_heads", "n_head", "num_heads", "n_heads", "encoder_attention_heads"});
    m_.vocab_size = keys_.count({"vocab_size", "padded_vocab_size"});
    const Number positions = keys_.count({"max_position_embeddings", "n_positions", "seq_length", "max_seq_len",
                                          "max_sequence_length", "n_ctx", "max_target_positions"});
    const Number longer = keys_.count({"model_max_length"});
    m_.max_context = longer && (!positions || *longer > *positions) ? longer : positions;
    if (class_.kind == ModelKind::speech) require("num_mel_bins");
    if (class_.kind != ModelKind::encoder_decoder && class_.kind != ModelKind::speech) return;
    const Number decoder = keys_.count({"num_decoder_layers", "decoder_layers"}, 1);
    m_.decoder_layers = decoder ? decoder : m_.layers;  // T5 leaves out what equals the encoder
    m_.cross_layers = m_.decoder_layers;
  }

  /// A nested part may leave out what is usual in its class. It does so where all it says of its size is the class's
  /// own, or, of what does not tell the size, where nothing that it says is. Elsewhere what is missing is lost.
  void take_usual() {
    const Defaults* usual = nested_ ? find_defaults(class_.type) : nullptr;
    if (usual == nullptr) return;
    usual_ffn_ = keys_.largest({"intermediate_size"});
    usual_kv_heads_ = keys_.count({"num_key_value_heads"}, 1);
    const bool says_some = m_.layers == usual->layers || m_.hidden_size == usual->hidden || m_.heads == usual->heads ||
                           m_.vocab_size == usual->vocabulary || usual_ffn_ == usual->ffn;
    const bool own_size = m_.layers.value_or(usual->layers) == usual->layers &&
                          m_.hidden_size.value_or(usual->hidden) == usual->hidden &&
                          usual_ffn_.value_or(usual->ffn) == usual->ffn;
    const bool likely_ffn = !says_some && usual->ffn >= 2 * m_.hidden_size.value_or(0);  // no FFN is narrower
    take(m_.layers, "num_hidden_layers", usual->layers, own_size);
    take(m_.hidden_size, "hidden_size", usual->hidden, own_size);
    take(m_.heads, "num_attention_heads", usual->heads, own_size || !says_some);
    if (usual->kv_heads != usual->heads)  // else as many as there are heads
      take(usual_kv_heads_, "num_key_value_heads", usual->kv_heads, own_size || !says_some);
    take(m_.vocab_size, "vocab_size", usual->vocabulary, own_size || !says_some);
    take(usual_ffn_, "intermediate_size", usual->ffn, own_size || likely_ffn);
  }

  void take(Number& stated, std::string_view key, double usual, bool may_be_left_out) {
    if (stated || !may_be_left_out) return;
    stated = usual;
    out_.notes.push_back(
        say("'{}' is missing: {:g}, the published default of '{}', is taken", key, usual, class_.type));
  }

  /// What is left out is the class's own, whatever the rest of the shape is.
  void say_usual(std::string_view key) const {
    out_.notes.push_back(say("'{}' is missing: the published default of '{}' is taken", key, class_.type));
  }

  void read_ffn() {
    // What neither the config nor its class says follows from the stated size, where there is one.
    if (known_ || class_.kind == ModelKind::encoder) m_.gated_ffn = !class_.is(kPlainFfn);
    if (const std::string projection = keys_.only_text("feed_forward_proj"); !projection.empty())
      m_.gated_ffn = projection.starts_with("gated");
    else if (class_.type == "t5")
      say_usual("feed_forward_proj");
    else if (class_.type == "mt5" || class_.type == "umt5")
      m_.gated_ffn = true;
    m_.ffn_size =
        keys_.largest({"intermediate_size_mlp", "intermediate_size", "ffn_dim", "n_inner", "ffn_hidden_size", "d_ff",
                       "ff_dim", "encoder_ffn_dim", "hidden_dim", "block_ff_dim", "ff_intermediate_size"});
    if (const auto own = keys_.map("ffn_config"); own && !m_.ffn_size) m_.ffn_size = own->count({"ffn_hidden_size"});
    if (!m_.ffn_size) m_.ffn_size = usual_ffn();
    if (!m_.ffn_size && m_.hidden_size && (class_.is(kFourfold) || m_.family.empty()))
      m_.ffn_size = keys_.number({"expansion_ratio"}, 0).value_or(4) * *m_.hidden_size;
    if (class_.is(kMerged) && m_.ffn_size) m_.ffn_size = *m_.ffn_size / 2;
    if (class_.type.starts_with("lfm2") && keys_.truth("block_auto_adjust_ff_dim", class_.type == "lfm2") &&
        m_.ffn_size) {
      const double scaled =
          std::floor(std::floor(2 * *m_.ffn_size / 3) * keys_.number({"block_ffn_dim_multiplier"}, 0).value_or(1));
      const double step = keys_.count_or({"block_multiple_of"}, 256, 1);
      m_.ffn_size = step * std::ceil(scaled / step);
    }
  }

  /// Of a whole file only where the rest of the shape is the class's own.
  Number usual_ffn() {
    const Defaults* defaults = find_defaults(class_.type);
    if (nested_ || defaults == nullptr) return usual_ffn_;
    Number width;
    take(width, "intermediate_size", defaults->ffn,
         m_.layers == defaults->layers && m_.hidden_size == defaults->hidden && m_.heads == defaults->heads &&
             !class_.is(kMixture));
    return width;
  }

  void read_attention() {
    m_.kv_heads = read_kv_heads();
    m_.head_dim = keys_.count({"head_dim", "kv_channels", "d_kv", "attention_head_dim"}, 1);
    if (!m_.head_dim && class_.head_dim > 0) m_.head_dim = class_.head_dim;
    const bool divides = std::fmod(m_.hidden_size.value_or(0), std::max(1.0, m_.heads.value_or(1))) == 0;
    if (!m_.head_dim && !divides && !keys_.has("kv_lora_rank")) require("head_dim");
    if (!m_.head_dim && m_.hidden_size && m_.heads && *m_.heads > 0)
      m_.head_dim = std::floor(*m_.hidden_size / *m_.heads);
    m_.mla_kv_lora_rank = keys_.count({"kv_lora_rank"}, 1);
    const double least = m_.is_mla() ? 1 : 0;
    m_.mla_rope_dim = keys_.count({"qk_rope_head_dim"}, least);
    const Number nope = keys_.count({"qk_nope_head_dim"}, least);
    m_.mla_v_head_dim = keys_.count({"v_head_dim"}, least);
    m_.mla_q_lora_rank = keys_.count({"q_lora_rank"}, least);
    if (m_.is_mla() && !nope) require("qk_nope_head_dim");
    if (m_.is_mla() && nope) m_.head_dim = *nope + m_.mla_rope_dim.value_or(0);
    if (!m_.is_mla()) m_.mla_rope_dim = m_.mla_v_head_dim = m_.mla_q_lora_rank = std::nullopt;
    m_.kv_full_head_dim = keys_.count({"global_head_dim"}, 1);
    if (class_.type == "gemma4_text" && !m_.kv_full_head_dim) m_.kv_full_head_dim = 512;
    m_.kv_full_heads = keys_.count({"num_global_key_value_heads"}, 1);
  }

  /// What neither follows from other keys nor is the same in all models of a class.
  void require(std::string_view key) const {
    if (keys_.has(key) || keys_.has("params_b")) return;
    keys_.fail_reading({ErrorKind::usage, say("the model's shape is not clear: '{}' is missing", key), name_, {}});
  }

  Number read_kv_heads() {
    if (const Number each = kv_heads_of_blocks(keys_)) return each;
    if (is_falcon(class_.type)) return falcon_kv_heads();
    if (!keys_.truth("multi_query_attention", true)) return m_.heads;
    const Number stated = keys_.count({"num_key_value_heads", "num_kv_heads", "n_head_kv", "multi_query_group_num"}, 1);
    if (stated || usual_kv_heads_) return stated ? stated : usual_kv_heads_;
    if (const auto own = keys_.map("attn_config"))
      if (const Number grouped = own->count({"kv_n_heads"}, 1)) return grouped;
    if (const Number usual = usual_kv_heads_of(class_.type); usual && m_.heads && std::fmod(*m_.heads, *usual) == 0) {
      out_.notes.push_back(say("'{}' is missing: {:g}, the published default of '{}', is taken", "num_key_value_heads",
                               *usual, class_.type));
      return usual;
    }
    return keys_.truth("multi_query", class_.type == "gpt_bigcode") ? Number{1} : m_.heads;
  }

  /// The decoder of the larger sizes has what is stated, else as many as heads; the other one has one or as many.
  Number falcon_kv_heads() {
    const Number stated = keys_.count({"num_kv_heads", "n_head_kv"}, 1);
    if (is_new_falcon(keys_, class_.type)) {
      if (!stated) say_usual("num_kv_heads");
      return stated ? stated : m_.heads;
    }
    if (!keys_.has("multi_query")) say_usual("multi_query");
    const Number used = keys_.truth("multi_query", true) ? Number{1} : m_.heads;
    if (stated && stated != used && stated != m_.heads)  // as many as heads is what the class fills in
      out_.notes.push_back(say("'num_kv_heads' is {:g} and is not used: this decoder has {:g}", *stated, *used));
    return used;
  }

  /// Which layers keep a growing cache, a window, or a fixed state.
  void describe_layers(const Shape& shape) {
    if (m_.is_moe() && count_of(shape.layers, Ffn::experts) > 0) m_.moe_layers = count_of(shape.layers, Ffn::experts);
    if (count_of(shape.layers, Ffn::none) > 0) m_.ffn_layers = count_of(shape.layers, Ffn::dense);
    // Layers that reuse the cache of an earlier one keep none.
    const double kept = std::max(0.0, *m_.layers - keys_.count_or({"num_kv_shared_layers"}, 0));
    double full = 0, windowed = 0, crossed = 0, fixed = 0, state = 0;
    std::string kinds;
    for (std::size_t i = 0; i < shape.layers.size(); ++i) {
      const Mixer mixer = shape.layers[i].mixer;
      const bool own = static_cast<double>(i) < kept;
      if (mixer == Mixer::full || mixer == Mixer::beside) full += own ? 1 : 0;
      if (mixer == Mixer::window) windowed += own ? 1 : 0;
      if (mixer == Mixer::cross) ++crossed;
      if (has_state(mixer)) ++fixed;
    }
    for (const auto& [mixer, name] : {std::pair{Mixer::delta, "linear"},
                                      {Mixer::kimi, "linear"},
                                      {Mixer::lightning, "linear"},
                                      {Mixer::linear, "linear"},
                                      {Mixer::mamba, "mamba"},
                                      {Mixer::mamba2, "mamba2"},
                                      {Mixer::beside, "mamba2"},
                                      {Mixer::conv, "conv"},
                                      {Mixer::recurrent, "recurrent"},
                                      {Mixer::rwkv, "rwkv"}}) {
      const double layers = count_of(shape.layers, mixer);
      if (layers <= 0) continue;
      state += layers * state_values(shape, mixer) * 2;
      kinds += std::string(kinds.empty() && full + windowed + crossed == 0 ? "" : "+") + name;
    }
    m_.kv_full_layers = m_.decoder_layers ? *m_.decoder_layers : full;  // an encoder keeps no cache
    if (windowed > 0) {
      m_.kv_window_layers = windowed;
      m_.window_tokens = keys_.count(
          {"sliding_window", "window_size", "attention_chunk_size", "local_attention", "attention_window_size"});
      if (!m_.window_tokens && class_.window > 0) m_.window_tokens = class_.window;
    }
    if (crossed > 0) m_.cross_layers = crossed;
    if (fixed > 0) m_.linear_layers = fixed;
    if (state > 0) m_.linear_state_bytes = state;
    std::string attention;
    if (full + windowed + crossed > 0 && m_.kv_heads)
      attention = m_.is_mla() ? "mla" : *m_.kv_heads == *m_.heads ? "mha" : *m_.kv_heads == 1 ? "mqa" : "gqa";
    m_.attention = keep(attention + kinds);
    if (m_.heads && !m_.is_mla() && fixed == 0 && normalizes_queries(shape)) m_.qk_norm = true;
    if (class_.is(kSandwich)) m_.norms_per_layer = 4;
  }

  /// Which layers hold the same tensors, where the class says it: of a decoder alone.
  void sort_layers(const Shape& shape) {
    const bool decoder = m_.kind == ModelKind::decoder_llm || m_.kind == ModelKind::vlm;
    if (!known_ || !decoder || m_.decoder_layers) return;
    const double kept = *m_.layers - keys_.count_or({"num_kv_shared_layers"}, 0);  // the others reuse what those cache
    const std::vector<double> widths = keys_.counts("intermediate_size");
    std::map<std::tuple<Mixer, Ffn, double, double, bool>, std::uint32_t> kinds;
    for (std::size_t i = 0; i < shape.layers.size(); ++i) {
      const Layer& layer = shape.layers[i];
      const double width = i < widths.size() ? widths[i] : layer.ffn_width;
      const auto next = static_cast<std::uint32_t>(kinds.size());
      const auto [kind, is_new] =
          kinds.try_emplace({layer.mixer, layer.ffn, width, layer.beside, static_cast<double>(i) < kept}, next);
      out_.layer_kinds.of_layer.push_back(kind->second);
      if (is_new)
        out_.layer_kinds.needs.push_back(
            {static_cast<std::uint32_t>(i), has_attention(layer.mixer), layer.ffn != Ffn::none});
    }
    out_.layer_kinds.have_norms = !class_.is(kNoNorm);
    out_.layer_kinds.has_last_norm =
        !class_.is(kNoNorm) && !class_.is(kPostNorm) && keys_.truth("do_layer_norm_before", true);
  }

  Status missing(std::string_view key) const {
    const Node* zero = keys_.find(key);
    if (zero != nullptr && zero->is_scalar())
      return usage_error(say("the model's shape is not clear: '{}' is {}", key, zero->describe()),
                         position(name_, *zero));
    return usage_error(say("the model's shape is not clear: '{}' is missing", key), name_);
  }

  Status check_shape() const {
    if (!m_.layers || *m_.layers < 1) return missing("num_hidden_layers");
    if (!m_.hidden_size || *m_.hidden_size < 1) return missing("hidden_size");
    if (!class_.is(kAttentionFree) && (!m_.heads || *m_.heads < 1)) return missing("num_attention_heads");
    if (!m_.vocab_size || *m_.vocab_size < 1) return missing("vocab_size");
    if (m_.kv_heads && m_.heads && *m_.kv_heads > *m_.heads)
      return usage_error(say("{:g} K/V heads are more than the {:g} heads", *m_.kv_heads, *m_.heads), name_);
    if (m_.kv_heads && m_.heads && *m_.kv_heads > 0 && !m_.is_mla() && std::fmod(*m_.heads, *m_.kv_heads) != 0)
      return usage_error(say("{:g} K/V heads do not divide the {:g} heads", *m_.kv_heads, *m_.heads), name_);
    if (m_.experts && m_.experts_per_token.value_or(1) > *m_.experts)
      return usage_error(
          say("{:g} experts per token are more than the {:g} experts", *m_.experts_per_token, *m_.experts), name_);
    if (m_.first_dense_layers.value_or(0) > *m_.layers)
      return usage_error(say("{:g} dense layers are more than the {:g} layers", *m_.first_dense_layers, *m_.layers),
                         name_);
    if (*m_.layers > 1e4 || *m_.hidden_size > 1e6 || m_.heads.value_or(0) > 1e5 || *m_.vocab_size > 1e8 ||
        m_.ffn_size.value_or(0) > 1e7 || m_.experts.value_or(0) > 1e5 || m_.head_dim.value_or(0) > 1e5)
      return usage_error(say("the model's shape is out of range"), name_);
    return {};
  }

  /// A width of nothing is no width: a layer that has an FFN has one.
  Status check_widths(const Shape& shape) {
    for (const Layer& layer : shape.layers) {
      if (layer.ffn_width > 0) m_.ffn_size = std::max(m_.ffn_size.value_or(0), layer.ffn_width);
      if (layer.is_empty()) ++out_.empty_layers;
    }
    const bool has_dense = m_.decoder_layers || count_of(shape.layers, Ffn::dense) > 0;
    const bool stated = m_.ffn_size && *m_.ffn_size >= 1;
    if (has_dense && !stated && (m_.ffn_size || !keys_.has("params_b"))) return missing("intermediate_size");
    const bool has_experts = count_of(shape.layers, Ffn::experts) > 0;
    if (m_.is_moe() && !has_experts && !m_.decoder_layers && !keys_.has("params_b"))
      return usage_error(say("the model's shape is not clear: none of its layers has experts in a mixture of experts"),
                         name_);
    if (count_of(shape.layers, Mixer::delta) > 0) require("linear_num_value_heads");
    if (failed()) return failure();
    if (has_experts && m_.moe_ffn_size.value_or(0) < 1 && !keys_.has("params_b"))
      return missing("moe_intermediate_size");
    return {};
  }

  Status count(const Shape& shape) {
    out_.class_known = known_;
    out_.table_width = table_width(shape);
    out_.prediction_layers =
        keys_.count_or({"num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules"}, 0);
    const Node* classes = root_.list("architectures");
    out_.is_for_generation =
        classes != nullptr && !classes->children.empty() && classes->children.front().text.ends_with("ForCausalLM");
    out_.recount = count_parameters(shape);
    Parameters& p = out_.recount;
    out_.prediction_parameters = prediction_parameters(shape, p);
    const Towers towers = count_towers(shape);
    p.vision = towers.parameters;
    out_.tower = {towers.vision_layers, towers.vision_parameters, towers.vision_known};
    out_.notes.insert(out_.notes.end(), towers.notes.begin(), towers.notes.end());
    if (towers.vision_missing) out_.notes.push_back(tower_is_missing());
    p.layers = *m_.layers;
    p.moe_layers = m_.moe_layers.value_or(0);
    p.routed_share = m_.is_moe() ? m_.experts_per_token.value_or(1) / *m_.experts : 0;
    if (p.vision > 0) m_.vision_params_b = p.vision / 1e9;
    if (p.layer_embeddings > 0) m_.per_layer_embedding_params_b = p.layer_embeddings / 1e9;
    m_.params_b = keys_.number({"params_b"}, 1e-6);
    m_.active_params_b = keys_.number({"active_params_b"}, 1e-6);
    if (failed()) return failure();
    if (!towers.unknown.empty() && !m_.params_b)
      return usage_error(towers.unknown, name_, say("add params_b to it, or use a folder with its safetensors"));
    if (Status clear = check_size(p.total() / 1e9, towers.unknown.empty()); !clear) return clear;
    if (!(p.total() < kMostParameters) || m_.linear_state_bytes.value_or(0) > kMostStateBytes)
      return usage_error(say("the model's shape is out of range"), name_);
    list_unread();
    return check_class();
  }

  /// A stated size has the last word where the shape is not sure, and none where it lies far below a sure one.
  Status check_size(double shape_b, bool all_counted) {
    constexpr double kApart = 0.1;
    if (!m_.params_b) {
      m_.params_b = shape_b;
      return {};
    }
    const bool smaller = *m_.params_b < (1 - kApart) * shape_b;
    const bool larger = *m_.params_b > (1 + kApart) * shape_b && all_counted;
    if (size_ == StatedSize::tensors || (!smaller && !larger)) return {};
    const std::string what = say("'params_b' is {:g}, and the shape has {:.4g}e9 parameters", *m_.params_b, shape_b);
    if (smaller && known_) return usage_error(what, position(name_, *keys_.find("params_b")), say("remove 'params_b'"));
    out_.notes.push_back(say("{}: 'params_b' is used", what));
    return {};
  }

  /// A class that is not known is counted as a plain one, unless its keys speak of something else.
  Status check_class() {
    if (out_.prediction_parameters > 0)
      out_.notes.push_back(say("multi-token prediction ({:.2f}e9 parameters) is stored with the model and not counted",
                               out_.prediction_parameters / 1e9));
    if (known_) return {};
    const bool unnamed = m_.family.empty();
    for (const std::string& key : out_.unread)
      for (const std::string_view word : kUnusual)
        if (key.find(word) != std::string::npos && !keys_.has("params_b"))
          return usage_error(
              unnamed ? say("'model_type' is missing, and '{}' says that its layers are not plain", printable(key))
                      : say("the class '{}' is not known, and '{}' says that its layers are not plain",
                            printable(m_.family), printable(key)),
              name_, say("add params_b to it, or use a folder with its safetensors"));
    out_.notes.push_back(unnamed ? say("'model_type' is missing: counted as a plain {}", to_text(class_.kind))
                                 : say("the class '{}' is not known: counted as a plain {}", printable(m_.family),
                                       to_text(class_.kind)));
    return {};
  }

  /// A vision model by itself: its size is known, and there is no more to say.
  Status read_tower() {
    const Shape shape{keys_, root_, class_, m_, {}, false};
    m_.params_b = count_standalone_tower(shape, out_.notes) / 1e9;
    out_.recount.vision = *m_.params_b * 1e9;
    m_.native_dtype = keep(stored_precision(keys_, root_, out_.notes));
    if (failed()) return failure();
    if (*m_.params_b <= 0) return missing("hidden_size");
    if (!(out_.recount.vision < kMostParameters)) return usage_error(say("the model's shape is out of range"), name_);
    list_unread();
    std::erase_if(out_.unread, [](const std::string& key) { return is_without_effect_on_towers(key); });
    return {};
  }

  void list_unread() {
    out_.unread = keys_.unread();
    if (const auto vision = root_.map("vision_config"))
      for (const std::string& key : vision->unread())
        if (!is_without_effect_on_towers(key)) out_.unread.push_back("vision_config." + key);
  }

  StatedSize size_;
  std::string name_;
  Reading reading_;
  Keys root_;
  Keys keys_;  // of the text part, then of the root
  std::optional<Keys> text_;
  bool nested_ = false;
  Number usual_ffn_, usual_kv_heads_;  // of a nested part: stated, or left out as usual
  ConfigModel& out_;
  Model& m_;
  ModelClass class_;
  bool known_ = false;
};

}  // namespace

std::string tower_is_missing() { return say("'vision_config' is missing: the tower that reads images is not counted"); }

Result<std::unique_ptr<ConfigModel>> read_config(const Node& root, const std::string& name, StatedSize size) {
  if (!root.is_map())
    return usage_error(say("a model configuration must be a JSON object, found {}", root.describe()), name);
  auto out = std::make_unique<ConfigModel>();
  if (Status read = ConfigReader(root, name, size, *out).read(); !read) return std::unexpected(read.error());
  return out;
}

}  // namespace gpusel::catalog
