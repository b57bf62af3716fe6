#include "physics/training/training_activations.hpp"

#include <algorithm>
#include <cmath>

namespace gpusel::physics {

namespace {

using job::Checkpointing;
using job::Job;
using job::Precision;

/// Sets of activations that the first stage holds: one per stage behind it, and with
/// interleaving (p − 1) ÷ (p · chunks) more. Narayanan et al., arXiv 2104.04473.
double in_flight(const TrainingJob& job, const Layout& layout) {
  const auto most = static_cast<double>(std::min<std::int64_t>(layout.pp, layout.grad_accum));
  const double chunks = job.chunks(layout);
  return chunks > 1 ? most * (1 + (layout.pp - 1) / (layout.pp * chunks)) : most;
}

/// Input and output of softmax and a dropout mask; Hugging Face's gated decoders take softmax in fp32 and narrow it.
double score_bytes(const TrainingJob& job, double stored) {
  const bool widens =
      job.code == catalog::LayerCode::eager && job.work.model->is_generator() && job.work.parameters.is_gated();
  return (widens ? 4 : stored) + stored + 1;
}

/// Where attention is not fused, unless PyTorch's memory-efficient kernels, which run on any GPU, stand in for a
/// decoder's: scores are then made anew, at the speed of unfused ones.
bool keeps_scores(const TrainingJob& job, const Layout& layout) {
  const bool stands_in = job.work.model->is_generator() && !job.work.training.flash_attention &&
                         job.code != catalog::LayerCode::megatron && layout.precision != Precision::bf16;
  return !layout.flash_attention && !stands_in;
}

}  // namespace

bool saves_in_8_bit(const TrainingJob& job, const Layout& layout) {
  return job.code == catalog::LayerCode::megatron &&
         (layout.precision == Precision::fp8 || layout.precision == Precision::nvfp4);
}

double microbatches_alive(const TrainingJob& job, const Layout& layout, bool first) {
  return first ? in_flight(job, layout) : 1;
}

Stage make_stage(const TrainingJob& job, const Layout& layout, bool first, bool last) {
  const Job& work = job.work;
  const auto& p = work.parameters;
  const double share = std::ceil(p.layers / layout.pp) / p.layers;
  Stage stage;
  stage.layers = p.layers * share;
  stage.body = (p.body + p.vision) * share / layout.tp;
  stage.experts = p.experts * share;
  const double embedding = first ? (p.embedding + p.layer_embeddings) / layout.tp : 0;
  const bool holds_head = last && work.model->is_generator();
  // A head is as large as the embedding, and held again where it is the embedding of another stage.
  const double head = holds_head ? (first ? p.head : p.embedding) / layout.tp : 0;
  stage.ends = embedding + head + (last ? p.mtp / layout.tp : 0);
  stage.microbatches_alive = microbatches_alive(job, layout, first);
  stage.has_logits = holds_head || (last && work.task == job::Task::pretrain);
  return stage;
}

/// Fused: norm inputs and outputs 8h, queries, keys, values and attention output 2 each, gate, up and product 6f
/// (plain: 4f). Layers that are not fused also keep the activation 2f, keys and values copied for every head, and of
/// each norm an fp32 input and, where its weight is trained, the normalised copy. After Korthikanti et al.,
/// arXiv 2205.05198. Frozen matrices without adapters need no inputs: neither norm outputs nor the FFN's product stay.
TokenBytes layer_bytes_per_token(const TrainingJob& job, const Layout& layout) {
  const Job& work = job.work;
  const auto& m = *work.model;
  const SequenceShape& shape = job.sequence;
  const AttentionWidths widths = attention_widths(m, layout.tp);
  const double h = *m.hidden_size;
  const bool gated = work.parameters.is_gated();
  const double unfused = gated ? job.eager_hidden_bytes : 0;
  const bool frozen = job::adds_tokens(work.training.method);
  const double copies = unfused != 0 && widths.k != 0 ? std::max(1.0, widths.q / widths.k) : 1;
  TokenBytes bytes;
  bytes.whole = (frozen ? 4 : 8) * h + (job::trains_adapter(work.training.method) ? 0.5 : 1) * unfused * h;
  bytes.divided = 2 * (widths.q + widths.o + shape.kv_rows * copies * (widths.k + widths.v)) + 4 * widths.latent +
                  ((gated ? job.gated_bytes : 4) - (frozen ? 2 : 0)) * job.ffn_columns;
  if (m.is_moe())  // dispatched and combined copies
    bytes.divided += 4 * m.experts_per_token.value_or(1) * work.training.capacity_factor * h *
                     std::min(1.0, work.parameters.moe_layers / work.parameters.layers);
  if (saves_in_8_bit(job, layout)) {  // inputs of products; frozen ones without adapters need none
    const bool adapts = job::trains_adapter(work.training.method);
    bytes.whole -= (adapts ? 4 : 2) * h;
    bytes.divided -= widths.o + (adapts ? 2 : 1) * job.ffn_columns;
  }
  const double stored = storage_bytes(layout.precision);
  bytes.whole *= stored / 2;
  bytes.divided *= stored / 2;
  // BERT-like encoders keep dropout masks of attention and FFN outputs, a byte each whatever the format.
  if (!m.is_generator()) bytes.whole += 2 * h;
  if (keeps_scores(job, layout)) bytes.scores = score_bytes(job, stored) * m.heads.value_or(0) * shape.keys;
  return bytes;
}

Activations stage_activations(const TrainingJob& job, const Layout& layout, const Stage& stage, Trace* trace) {
  const auto& m = *job.work.model;
  const bool shared = job.work.training.sequence_parallel;
  const SequenceShape& shape = job.sequence;
  const double sequences = static_cast<double>(layout.micro_batch) / layout.cp;
  const double tokens = sequences * shape.rows;
  const TokenBytes& each = job.token_bytes(layout);
  const double linear = each.linear_on(layout.tp, shared) * tokens;
  const double scores = each.scores * tokens / layout.tp;
  const double inputs = storage_bytes(layout.precision) * *m.hidden_size * tokens / (shared ? layout.tp : 1);
  Activations out;
  if (stage.has_logits)
    out.logits = record<Bytes>(trace, {"workspace.logits", "{:.2f}", "GiB", "calibration"}, [&](auto told) {
      return told("sequences of this GPU", sequences) * told("tokens", shape.targets) *
             told("vocabulary", m.vocab_size.value_or(0)) * told("bytes of a logit", job.logits_bytes, "B") /
             told("tp", layout.tp);
    });
  double per_layer = linear + scores;
  double once = 0;
  if (layout.checkpointing == Checkpointing::selective) {  // scores first; where there are none, of everything
    per_layer = linear * (scores != 0 ? 1 : job.selective_share);
    once = scores;
  } else if (layout.checkpointing == Checkpointing::full) {
    // Logits peak when the forward pass ends, a layer's own set when the backward pass is under way.
    per_layer = inputs;
    once = std::max(0.0, linear + scores - out.logits.raw());
  }
  out.per_layer = bytes(per_layer);
  out.alive = stage.layers * stage.microbatches_alive;
  out.once = bytes(once);
  return out;
}

}  // namespace gpusel::physics
