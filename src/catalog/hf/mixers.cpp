// Parameters and states of the ways in which a layer mixes tokens.
#include <algorithm>
#include <cmath>

#include "catalog/hf/shape.hpp"

namespace gpusel::catalog::hf {

bool normalizes_queries(const Shape& s) {
  return s.keys.truth("use_qk_norm", s.keys.truth("qk_layernorm", s.is(kQkNorm) || s.is(kWideQkNorm)));
}

namespace {

bool has_attention_bias(const Shape& s) {
  for (const std::string_view key : {"attention_bias", "qkv_bias", "add_qkv_bias", "use_qkv_bias", "use_bias", "bias"})
    if (const auto said = s.keys.boolean(key)) return *said;
  return false;
}

/// The indexer that picks the tokens a sparse attention looks at.
double indexer_parameters(const Shape& s) {
  const Number heads = s.keys.count({"index_n_heads"});
  const Number width = s.keys.count({"index_head_dim"});
  if (!heads || !width) return 0;
  const double query = s.model.mla_q_lora_rank.value_or(s.hidden());
  return query * *heads * *width + s.hidden() * (*width + *heads) + 2 * *width;
}

double latent_parameters(const Shape& s) {
  return attention_parameters(s.model) + *s.model.mla_kv_lora_rank + s.model.mla_q_lora_rank.value_or(0) +
         indexer_parameters(s);
}

double attention(const Shape& s, bool full) {
  const Model& m = s.model;
  if (m.is_mla()) return latent_parameters(s);
  const double h = s.hidden();
  const double heads = m.heads.value_or(0);
  const double d = full && m.kv_full_head_dim ? *m.kv_full_head_dim : m.head_dim.value_or(0);
  const double kv = full && m.kv_full_heads ? *m.kv_full_heads : m.kv_heads.value_or(heads);
  const bool shared = full && s.keys.truth("attention_k_eq_v", false);
  const double queries = heads * d;
  const double keys = kv * d;
  if (s.is(kAttentionExperts)) return 2 * h * keys + m.experts.value_or(0) * (2 * h * keys + h) + h;
  double count = h * (queries + keys * (shared ? 1 : 2)) + queries * h;
  const bool biased = has_attention_bias(s);
  if (!s.is_biasless() && (s.is(kQkvBias) || biased)) count += queries + 2 * keys;
  if (!s.is_biasless() && (s.is(kOutBias) || biased)) count += h;
  const bool wide = s.is(kWideQkNorm) || s.model_class.type.starts_with("cohere") || s.model_class.type == "stablelm";
  if (normalizes_queries(s)) count += wide ? queries + keys : 2 * d;
  if (s.is(kSinks)) count += heads;
  if (s.is(kQueryGate) && s.keys.truth("attn_output_gate", true)) count += h * queries;
  return count;
}

struct Delta {
  double keys, values, value_heads, value_width, key_width, kernel;
};

Delta delta_shape(const Shape& s) {
  Delta d{};
  const double key_heads = s.keys.size_or({"linear_num_key_heads"}, 16);
  d.value_heads = s.keys.size_or({"linear_num_value_heads"}, 32);
  d.key_width = s.keys.size_or({"linear_key_head_dim"}, 128);
  d.value_width = s.keys.size_or({"linear_value_head_dim"}, 128);
  d.kernel = s.keys.size_or({"linear_conv_kernel_dim"}, 4);
  d.keys = key_heads * d.key_width;
  d.values = d.value_heads * d.value_width;
  return d;
}

double delta(const Shape& s) {
  const Delta d = delta_shape(s);
  const double projections = s.hidden() * (2 * d.keys + 2 * d.values + 2 * d.value_heads);
  return projections + (2 * d.keys + d.values) * d.kernel + 2 * d.value_heads + d.value_width + d.values * s.hidden();
}

struct Kimi {
  double heads, width, kernel;
};

Kimi kimi_shape(const Shape& s) {
  const auto own = s.keys.map("linear_attn_config");
  if (!own) return {s.model.heads.value_or(0), s.model.head_dim.value_or(0), 4};
  return {own->size_or({"num_heads"}, s.model.heads.value_or(0)), own->size_or({"head_dim"}, 128),
          own->size_or({"short_conv_kernel_size"}, 4)};
}

/// Queries, keys, values and output, low-rank gates and decays, one strength per head.
double kimi(const Shape& s) {
  const Kimi k = kimi_shape(s);
  const double h = s.hidden();
  const double all = k.heads * k.width;
  const double low_rank = 2 * (h * k.width + k.width * all);
  return 4 * h * all + 3 * all * k.kernel + low_rank + h * k.heads + k.heads + all + k.width;
}

double lightning(const Shape& s) {
  const double all = s.model.heads.value_or(0) * s.model.head_dim.value_or(0);
  return s.hidden() * all * 5 + all;  // queries, keys, values, gate, output; a norm
}

struct Mamba {
  double inner, state, kernel, rank, heads, groups;
};

Mamba mamba_shape(const Shape& s) {
  const Keys& k = s.keys;
  Mamba m{};
  const double expand = k.number({"mamba_expand", "expand"}, kLeastRatio).value_or(2);
  const double width = k.size_or({"mamba_d_head", "mamba_head_dim", "mamba_headdim", "head_dim"}, 64);
  const Number heads = k.count({"mamba_n_heads", "mamba_num_heads", "n_mamba_heads"}, 1);
  const Number own = k.count({"mamba_d_ssm", "d_inner", "mamba_intermediate"}, 1);
  const bool first = s.model_class.type == "mamba" || s.model_class.type == "falcon_mamba";
  m.inner = own                                           ? *own
            : first && k.has("intermediate_size")         ? k.size_or({"intermediate_size"}, 0)
            : s.model_class.type == "nemotron_h" && heads ? *heads * width
                                                          : expand * s.hidden();
  m.state = k.size_or({"mamba_d_state", "ssm_state_size", "state_size"}, s.is(kAttentionFree) && !first ? 128 : 16);
  m.kernel = k.size_or({"mamba_d_conv", "conv_kernel", "mamba_conv_kernel"}, 4);
  const Node* rank = k.find(k.has("mamba_dt_rank") ? "mamba_dt_rank" : "time_step_rank");
  m.rank =
      rank == nullptr || rank->quoted ? std::ceil(s.hidden() / 16) : k.size_or({"mamba_dt_rank", "time_step_rank"}, 0);
  m.heads = heads ? *heads : std::floor(m.inner / std::max(1.0, width));
  const bool grouped = s.model_class.type == "mamba2" || s.model_class.type == "nemotron_h";
  m.groups = k.size_or({"mamba_n_groups", "mamba_ngroups", "n_groups"}, grouped ? 8 : 1);
  return m;
}

double mamba(const Shape& s) {
  const Mamba m = mamba_shape(s);
  const double h = s.hidden();
  const double norms = s.model_class.type == "jamba" ? m.rank + 2 * m.state : 0;
  return h * 2 * m.inner + m.inner * (m.kernel + 1) + m.inner * (m.rank + 2 * m.state) + m.rank * m.inner + m.inner +
         m.inner * m.state + m.inner + m.inner * h + norms;
}

double mamba2(const Shape& s) {
  const Mamba m = mamba_shape(s);
  const double mixed = m.inner + 2 * m.groups * m.state;
  const bool normed = s.model_class.type != "falcon_h1" || s.keys.truth("mamba_rms_norm", false);
  return s.hidden() * (m.inner + mixed + m.heads) + mixed * (m.kernel + 1) + 3 * m.heads + (normed ? m.inner : 0) +
         m.inner * s.hidden();
}

double conv(const Shape& s) { return s.hidden() * (4 * s.hidden() + s.keys.size_or({"conv_L_cache"}, 3)); }

/// Two branches, a short convolution, and gates in blocks of a head's width.
double recurrent(const Shape& s) {
  const double width = s.keys.size_or({"lru_width"}, s.hidden());
  const double heads = std::max(1.0, s.model.heads.value_or(1));
  const double gates = 2 * (width * width / heads + width);
  return s.hidden() * width * 3 + 2 * width + s.hidden() + width * (s.keys.size_or({"conv1d_width"}, 4) + 1) + gates +
         width;
}

/// Time mixing and channel mixing of RWKV 4 together.
double rwkv(const Shape& s) {
  const double h = s.hidden();
  const double a = s.keys.size_or({"attention_hidden_size"}, h);
  const double f = s.keys.size_or({"intermediate_size"}, 4 * h);
  return 3 * h * a + a * h + 2 * a + 3 * h + 2 * h * f + h * h + 2 * h;
}

}  // namespace

bool Shape::is_biasless() const { return keys.truth("no_bias", false); }

double mixer_parameters(const Shape& s, Mixer mixer) {
  switch (mixer) {
    case Mixer::full: return attention(s, true);
    case Mixer::window:
    case Mixer::linear: return attention(s, false);
    case Mixer::cross: return attention(s, true) + 2 * s.model.head_dim.value_or(0) + 2;  // norms and two gates
    case Mixer::delta: return delta(s);
    case Mixer::kimi: return kimi(s);
    case Mixer::lightning: return lightning(s);
    case Mixer::mamba: return mamba(s);
    case Mixer::mamba2: return mamba2(s);
    case Mixer::beside: return attention(s, true) + mamba2(s);
    case Mixer::conv: return conv(s);
    case Mixer::recurrent: return recurrent(s);
    case Mixer::rwkv: return rwkv(s);
    case Mixer::none: break;
  }
  return 0;
}

double state_values(const Shape& s, Mixer mixer) {
  switch (mixer) {
    case Mixer::delta: {
      const Delta d = delta_shape(s);
      return d.value_heads * d.key_width * d.value_width;
    }
    case Mixer::kimi: {
      const Kimi k = kimi_shape(s);
      return k.heads * k.width * k.width;
    }
    case Mixer::lightning: return s.model.heads.value_or(0) * std::pow(s.model.head_dim.value_or(0), 2);
    case Mixer::mamba: {
      const Mamba m = mamba_shape(s);
      return m.inner * (m.state + m.kernel);
    }
    case Mixer::mamba2:
    case Mixer::beside: {
      const Mamba m = mamba_shape(s);
      return m.inner * m.state + (m.inner + 2 * m.groups * m.state) * m.kernel;
    }
    case Mixer::conv: return s.hidden() * s.keys.size_or({"conv_L_cache"}, 3);
    case Mixer::recurrent: return s.keys.size_or({"lru_width"}, s.hidden()) * 5;
    case Mixer::rwkv: return s.hidden() * 5;
    case Mixer::full:
    case Mixer::window:
    case Mixer::cross:
    case Mixer::linear:
    case Mixer::none: break;
  }
  return 0;
}

}  // namespace gpusel::catalog::hf
