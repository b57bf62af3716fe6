#include "physics/training/training_shape.hpp"

#include <algorithm>

namespace gpusel::physics {

namespace {

using job::Job;
using job::LoraTargets;
using job::Method;

SequenceShape of_encoder_decoder(const Job& work, double source, double prefix) {
  const double layers = work.parameters.layers;
  const double decoder = work.model->decoder_layers.value_or(layers / 2);
  const double encoder = layers - decoder;
  const auto target = static_cast<double>(work.training.target_len);
  SequenceShape shape;
  shape.rows = (encoder * source + decoder * target) / layers;
  shape.targets = target;
  const double own = source + prefix;
  const double pairs = encoder * source * own + decoder * target * (target + own);
  shape.keys = pairs / (shape.rows * layers);
  shape.all_keys = pairs / shape.rows;
  shape.attended = (encoder * source * own + decoder * target * (target / 2 + own)) / shape.rows;
  shape.kv_rows = (encoder * own + decoder * (target + own)) / (shape.rows * layers);
  return shape;
}

/// Keys that a row attends to, summed over the layers: causal half of the sequence, or of a window what
/// has been filled; encoders see both directions, and everyone the prefix.
double attended_keys(const Job& work, double sequence, double prefix) {
  const auto& m = *work.model;
  const double windowed = m.kv_window_layers.value_or(0);
  const double full = std::max(0.0, work.parameters.layers - windowed - m.linear_layers.value_or(0));
  const double window = std::min(sequence, m.window_tokens.value_or(sequence));
  const double ahead = prefix * (full + windowed);
  if (!m.is_generator()) return full * sequence + windowed * window + ahead;
  return full * sequence / 2 + windowed * (window - window * window / (2 * sequence)) + ahead;
}

double value_head_dim(const catalog::Model& m) {
  const double d = m.head_dim.value_or(0);
  if (m.is_mla()) return m.mla_v_head_dim.value_or(d - m.mla_rope_dim.value_or(0));
  return m.v_head_dim.value_or(d);
}

/// Inputs and outputs of the adapted matrices of one attention.
double adapted_attention(const catalog::Model& m, const LoraTargets& targets) {
  const double h = *m.hidden_size;
  const AttentionWidths w = attention_widths(m, 1);
  double q = h + w.q;
  double k = h + w.k;
  double v = h + w.v;
  if (m.is_mla()) {  // through the latent: down and up for queries, down for keys, up for keys and values
    const double rank = m.mla_q_lora_rank.value_or(0);
    const double latent = *m.mla_kv_lora_rank;
    const double rope = m.mla_rope_dim.value_or(0);
    q = h + rank + rank + w.q;
    k = h + latent + rope;
    v = latent + w.k - m.heads.value_or(0) * rope + w.v;
  }
  return (targets.q ? q : 0) + (targets.k ? k : 0) + (targets.v ? v : 0) + (targets.o ? w.o + h : 0);
}

/// r · (inputs + outputs) over the adapted matrices of all layers, arXiv 2106.09685.
double lora_parameters(const Job& work) {
  const auto& m = *work.model;
  const auto& p = work.parameters;
  const LoraTargets& targets = work.training.lora_targets;
  const double h = *m.hidden_size;
  const bool gated = p.is_gated();
  const double matrices = (targets.gate && gated ? 1.0 : 0.0) + (targets.up ? 1.0 : 0.0) + (targets.down ? 1.0 : 0.0);
  // A decoder beside an encoder attends twice.
  const double attentions = p.layers + (m.is_encoder_decoder() ? m.decoder_layers.value_or(0) : 0);
  double sum = attentions * adapted_attention(m, targets);
  sum += (p.layers - p.moe_layers) * matrices * (h + m.ffn_size.value_or(0));
  const double expert = m.moe_ffn_size.value_or(m.ffn_size.value_or(0));
  const double shared = m.shared_experts.value_or(0) * (h + m.shared_ffn_size.value_or(expert));
  const double routed = targets.experts && m.experts ? *m.experts * (h + expert) : 0;
  sum += p.moe_layers * matrices * (shared + routed);
  return static_cast<double>(work.training.lora_rank) * sum;
}

}  // namespace

SequenceShape sequence_shape(const Job& work) {
  const auto& job = work.training;
  const auto tokens = static_cast<double>(job.seq_len);
  const auto added = static_cast<double>(job.virtual_tokens);
  const double prefix = job.method == Method::prefix ? added : 0;
  const double sequence = tokens + added - prefix;
  SequenceShape shape;
  if (work.model->is_encoder_decoder()) {
    shape = of_encoder_decoder(work, sequence, prefix);
  } else {
    shape.rows = shape.targets = sequence;
    shape.keys = sequence + prefix;
    shape.all_keys = shape.keys * (work.parameters.layers - work.model->linear_layers.value_or(0));
    shape.attended = attended_keys(work, sequence, prefix);
    shape.kv_rows = shape.keys / sequence;
  }
  shape.counted = tokens + static_cast<double>(job.target_len);
  return shape;
}

AttentionWidths attention_widths(const catalog::Model& model, int tp) {
  const double heads = model.heads.value_or(0);
  const double d = model.head_dim.value_or(0);
  const double dv = value_head_dim(model);
  const double kv = model.is_mla() ? heads : std::max<double>(model.kv_heads.value_or(heads), tp);
  const double latent = model.is_mla() ? model.mla_q_lora_rank.value_or(0) + *model.mla_kv_lora_rank : 0;
  return {heads * d, kv * d, kv * dv, heads * dv, latent};
}

double ffn_columns(const Job& work) {
  const auto& model = *work.model;
  const auto& p = work.parameters;
  const double dense = model.ffn_size.value_or(4 * *model.hidden_size);
  if (!model.is_moe()) return dense;
  const double expert = model.moe_ffn_size.value_or(dense);
  const double shared = model.shared_experts.value_or(0) * model.shared_ffn_size.value_or(expert);
  const double routed = model.experts_per_token.value_or(1) * work.training.capacity_factor * expert;
  const double share = std::min(1.0, p.moe_layers / p.layers);
  return share * (routed + shared) + (1 - share) * dense;
}

double trainable_parameters(const Job& work) {
  const auto& m = *work.model;
  const auto added = static_cast<double>(work.training.virtual_tokens);
  switch (work.training.method) {
    case Method::full:
    case Method::dreambooth: return work.parameters.total();
    case Method::ptuning: return added * *m.hidden_size;
    case Method::prefix: {
      const AttentionWidths w = attention_widths(m, 1);
      return added * work.parameters.layers * (w.k + w.v);
    }
    case Method::lora:
    case Method::qlora: break;
  }
  return lora_parameters(work);
}

}  // namespace gpusel::physics
