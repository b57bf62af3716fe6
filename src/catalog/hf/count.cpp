// All parameters of the text part, counted from the shape: tables, layers, norms and biases.
#include <algorithm>
#include <cmath>

#include "catalog/hf/shape.hpp"

namespace gpusel::catalog::hf {

namespace {

double matrices(const Shape& s) { return s.model.gated_ffn.value_or(true) ? 3 : 2; }

bool has_ffn_bias(const Shape& s) {
  if (s.is_biasless()) return false;
  for (const std::string_view key : {"mlp_bias", "use_mlp_bias"})
    if (const auto said = s.keys.boolean(key)) return *said;
  return s.is(kFfnBias);
}

double dense_ffn(const Shape& s, double width) {
  const double h = s.hidden();
  return matrices(s) * h * width + (has_ffn_bias(s) ? (matrices(s) - 1) * width + h : 0);
}

/// What a layer of experts has beside its routed experts.
double around_experts(const Shape& s) {
  const Model& m = s.model;
  const double h = s.hidden();
  const double experts = m.experts.value_or(0);
  const double width = m.moe_ffn_size.value_or(m.ffn_size.value_or(0));
  double count = h * experts;  // router
  if (s.is(kExpertBias)) count += experts * (2 * width + h + 1);
  if (m.moe_latent_size) count += 2 * h * *m.moe_latent_size;
  if (m.shared_experts.value_or(0) > 0)
    count += *m.shared_experts * matrices(s) * h * m.shared_ffn_size.value_or(width) + (s.is(kSharedGate) ? h : 0);
  return count;
}

double expert_ffn(const Shape& s) {
  const Model& m = s.model;
  return m.experts.value_or(0) * matrices(s) * m.moe_latent_size.value_or(s.hidden()) *
         m.moe_ffn_size.value_or(m.ffn_size.value_or(0));
}

double norms_of(const Shape& s, const Layer& layer) {
  if (layer.is_empty()) return 0;
  if (layer.ffn == Ffn::none) return layer.mixer == Mixer::rwkv ? 2 : 1;
  if (layer.mixer == Mixer::none) return 1;
  if (s.is(kSandwich)) return 4;
  if (is_falcon(s.model_class.type)) {
    if (is_new_falcon(s.keys, s.model_class.type)) return s.keys.count_or({"num_ln_in_parallel_attn"}, 2);
    return s.keys.truth("parallel_attn", true) ? 1 : 2;
  }
  if (s.model_class.type == "stablelm" && s.keys.truth("use_parallel_residual", false)) return 1;
  return s.is(kOneNorm) ? 1 : 2;
}

/// Layers that reuse the keys and values of earlier ones and have no projections for them.
double without_keys(const Shape& s) {
  if (s.model_class.type != "gemma4_text") return 0;
  const double shared = std::min(s.keys.count_or({"num_kv_shared_layers"}, 0), static_cast<double>(s.layers.size()));
  double count = 0;
  for (std::size_t i = s.layers.size() - static_cast<std::size_t>(shared); i < s.layers.size(); ++i) {
    const bool full = s.layers[i].mixer == Mixer::full;
    const double d = full && s.model.kv_full_head_dim ? *s.model.kv_full_head_dim : s.model.head_dim.value_or(0);
    const double heads = full && s.model.kv_full_heads ? *s.model.kv_full_heads : s.model.kv_heads.value_or(0);
    count += 2 * s.hidden() * heads * d;
    if (s.keys.truth("use_double_wide_mlp", false)) count -= dense_ffn(s, s.model.ffn_size.value_or(0));
  }
  return count;
}

/// Gemma 3n and 4 add a small embedding in every layer; 3n also keeps four streams and low-rank shortcuts.
void add_layer_embeddings(const Shape& s, Parameters& p) {
  const bool always = s.model_class.type == "gemma3n_text";
  const Number each =
      always ? s.keys.size_or({"hidden_size_per_layer_input"}, 256) : s.keys.count({"hidden_size_per_layer_input"});
  const double h = s.hidden();
  const auto layers = static_cast<double>(s.layers.size());
  if (each && *each > 0) {
    p.layer_embeddings = s.keys.size_or({"vocab_size_per_layer_input"}, *s.model.vocab_size) * layers * *each;
    p.body += layers * (2 * h * *each + h) + h * layers * *each + *each;
  }
  if (s.model_class.type != "gemma3n_text") return;
  const double streams = s.keys.size_or({"altup_num_inputs"}, 4);
  const double rank = s.keys.size_or({"laurel_rank"}, 64);
  p.body += 2 * (streams - 1) * h * h +
            layers * (2 * h * rank + h + h * streams + 2 * h + std::pow(streams, 3) + streams * streams);
}

double layers_parameters(const Shape& s, Parameters& p) {
  const std::vector<double> widths = s.keys.counts("intermediate_size");
  double body = 0;
  double last[14] = {};  // mixers repeat: each kind is counted once
  bool known[14] = {};
  for (std::size_t i = 0; i < s.layers.size(); ++i) {
    const Layer& layer = s.layers[i];
    const auto kind = static_cast<std::size_t>(layer.mixer);
    if (!known[kind]) last[kind] = mixer_parameters(s, layer.mixer);
    known[kind] = true;
    body += last[kind] + norms_of(s, layer) * s.norm(s.hidden());
    const double width = i < widths.size() ? widths[i] : s.model.ffn_size.value_or(0);
    if (layer.ffn == Ffn::dense) body += dense_ffn(s, layer.ffn_width > 0 ? layer.ffn_width : width);
    body += layer.beside;
    if (layer.ffn == Ffn::experts) {
      body += around_experts(s);
      p.experts += expert_ffn(s);
    }
  }
  return body - without_keys(s);
}

/// Positions, segments and what stands between the tables and the first layer.
double tables_beside_words(const Shape& s) {
  const double h = s.hidden();
  const double width = s.model.kind == ModelKind::encoder ? table_width(s) : h;
  double count = s.keys.count_or({"type_vocab_size"}, 0) * width;
  const bool learned = s.is(kPositions) && s.keys.truth("position_biased_input", true);
  if (learned) count += (s.model.max_context.value_or(0) + (s.is(kPositionsBehind) ? 2 : 0)) * width;
  if (const auto own = s.keys.map("attn_config"); own && s.model_class.type == "mpt")
    if (!own->truth("alibi", false) && !own->truth("rope", false)) count += s.model.max_context.value_or(0) * h;
  if (s.is(kTableNorm)) count += s.norm(width);
  if (table_width(s) != h) count += table_width(s) * h * (s.model.kind == ModelKind::encoder ? 1 : 2);
  return count;
}

double encoder_extras(const Shape& s) {
  const double h = s.hidden();
  double count = s.is(kPooler) ? h * h + h : 0;
  if (s.keys.truth("relative_attention", false)) count += 2 * s.keys.size_or({"position_buckets"}, 256) * h + s.norm(h);
  return count;
}

/// ALBERT has fewer sets of weights than layers.
void share_layers(const Shape& s, Parameters& p) {
  const Number groups = s.keys.count({"num_hidden_groups"}, 1);
  if (!groups || s.layers.empty()) return;
  p.body *= *groups * s.keys.size_or({"inner_group_num"}, 1) / static_cast<double>(s.layers.size());
}

double speech_stem(const Shape& s) {
  const Number bins = s.keys.count({"num_mel_bins"});
  if (!bins) return 0;
  const double h = s.hidden();
  return *bins * h * 3 + h + 3 * h * h + h +
         (s.keys.size_or({"max_source_positions"}, 1500) + s.keys.size_or({"max_target_positions"}, 448)) * h;
}

/// Two stacks: an encoder, and a decoder that also attends to what the encoder read.
double both_stacks(const Shape& s) {
  const double h = s.hidden();
  const double decoders = s.model.decoder_layers.value_or(0);
  const double self = mixer_parameters(s, Mixer::full);
  const double ffn = dense_ffn(s, s.model.ffn_size.value_or(0));
  const double late = dense_ffn(s, s.keys.size_or({"decoder_ffn_dim"}, s.model.ffn_size.value_or(0)));
  const bool t5 = s.model.family.ends_with("t5");
  const bool ends = t5 || s.model.kind == ModelKind::speech || s.model.family == "mbart" ||
                    s.model.family == "m2m_100" || s.model.family == "pegasus";
  double count = *s.model.layers * (self + ffn + 2 * s.norm(h)) + decoders * (2 * self + late + 3 * s.norm(h));
  if (ends) count += 2 * s.norm(h);
  if (t5) {
    const double buckets = s.keys.size_or({"relative_attention_num_buckets"}, 32) * s.model.heads.value_or(0);
    count += buckets * (s.model.family == "umt5" ? *s.model.layers + decoders : 2);
  }
  if (s.is(kTableNorm)) count += 2 * s.norm(h);
  if (s.is(kPositions) && s.model.kind != ModelKind::speech)
    count += 2 * (s.model.max_context.value_or(0) + (s.is(kPositionsBehind) ? 2 : 0)) * h;
  return count + speech_stem(s);
}

}  // namespace

double table_width(const Shape& s) { return s.keys.size_or({"word_embed_proj_dim", "embedding_size"}, s.hidden()); }

Parameters count_parameters(const Shape& s) {
  Parameters p;
  const double h = s.hidden();
  const double vocabulary = s.model.vocab_size.value_or(0);
  p.embedding = vocabulary * table_width(s);
  if (s.model.kind != ModelKind::encoder && !s.model.tied_embeddings.value_or(false)) p.head = vocabulary * h;
  if (s.model.decoder_layers) {
    p.body = both_stacks(s);
    return p;
  }
  p.body = layers_parameters(s, p);
  share_layers(s, p);
  p.body += tables_beside_words(s);
  if (!s.is(kPostNorm)) p.body += s.norm(h);
  if (s.is(kHeadBias)) p.body += vocabulary;
  if (s.model.kind == ModelKind::encoder) p.body += encoder_extras(s);
  add_layer_embeddings(s, p);
  return p;
}

double prediction_parameters(const Shape& s, const Parameters& parts) {
  const double layers = s.keys.count_or({"num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules"}, 0);
  if (layers <= 0) return 0;
  const double h = s.hidden();
  const bool experts = s.model.is_moe() && !s.layers.empty() && s.layers.back().ffn == Ffn::experts;
  const double ffn = experts ? around_experts(s) + expert_ffn(s) : dense_ffn(s, s.model.ffn_size.value_or(0));
  const double each = mixer_parameters(s, Mixer::full) + ffn + 5 * s.norm(h) + 2 * h * h;
  // DeepSeek's and GLM's checkpoints repeat both tables in each of them.
  const bool repeats = s.model_class.type.starts_with("deepseek") || s.model_class.type.starts_with("glm");
  return layers * (each + (repeats ? parts.embedding + parts.head : 0));
}

}  // namespace gpusel::catalog::hf
