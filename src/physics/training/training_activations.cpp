#include "physics/training/training_activations.hpp"

#include <algorithm>
#include <cmath>

#include "physics/training/training_traffic.hpp"

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

/// What a layer keeps of its hidden values for the backward pass, as it is written: in bytes, at 16 bit.
struct HiddenBytes {
  double norm;    // per value that a norm of the stream between layers works on
  double inputs;  // per hidden value: inputs of the products behind the norms
  double own;     // per value of the attention's output: a copy for the product behind it
};

/// Plain PyTorch's RMSNorm widens its input to fp32 and keeps that, and where its weight is trained the normalized
/// values too, in the format of its input.
double norm_bytes(const TrainingJob& job, const Layout& layout, bool of_stream) {
  const bool trained = job.trains_all();
  if (!job.unfused_norms()) return 2;
  if (!trained) return 4;
  return of_stream && job.stream_in_fp32(layout) ? 4 + 4 : 4 + 2;
}

/// Frozen matrices need no input, trained and adapted ones do. Those behind one norm share it, unless each narrows
/// or widens its own: Hugging Face's layers under autocast, and PEFT's adapters.
HiddenBytes hidden_bytes(const TrainingJob& job, const Layout& layout) {
  const bool adapts = job::trains_adapter(job.work.training.method);
  const auto& targets = job.work.training.lora_targets;
  HiddenBytes bytes{norm_bytes(job, layout, true), 0, 0};
  if (job.trains_all()) {
    bytes.inputs = 2 * (job.stream_in_fp32(layout) ? 5 : 2);
  } else if (adapts) {
    const int attention = targets.q + targets.k + targets.v;
    const int ffn = job.work.model->is_moe() ? 0 : targets.gate + targets.up;  // routed_bytes() has experts' inputs
    const bool copies = job.code == catalog::LayerCode::eager;
    bytes.inputs = 2 * (copies ? attention + ffn : (attention > 0) + (ffn > 0));
    bytes.own = copies && targets.o ? 2 : 0;
  }
  return bytes;
}

/// Per FFN column: gate, up, activation and product (plain: input and output of the activation). A frozen matrix
/// needs no product.
double column_bytes(const TrainingJob& job) {
  const auto& targets = job.work.training.lora_targets;
  const bool adapts = job::trains_adapter(job.work.training.method);
  const bool needs_product =
      job.trains_all() || (adapts && targets.down && (targets.experts || !job.work.model->is_moe()));
  return (job.work.parameters.is_gated() ? job.gated_bytes : 4) - (needs_product ? 0 : 2);
}

/// Copies of hidden values that routing makes for the experts of a token: their outputs, since the weights they are
/// added up with learn, and their inputs where experts learn.
double routed_bytes(const TrainingJob& job) {
  const auto& m = *job.work.model;
  if (!m.is_moe()) return 0;
  const bool learn = job.trains_all() || job.work.training.lora_targets.experts;
  return (learn ? 4 : 2) * m.experts_per_token.value_or(1) * job.work.training.capacity_factor *
         std::min(1.0, job.work.parameters.moe_layers / job.work.parameters.layers);
}

/// Norms, inputs of products, queries, keys, values and attention output 2 each, and the FFN's columns. After
/// Korthikanti et al., arXiv 2205.05198; what layers that are not fused keep was measured (docs/method.md 3).
TokenBytes layer_bytes_per_token(const TrainingJob& job, const Layout& layout) {
  const Job& work = job.work;
  const auto& m = *work.model;
  const SequenceShape& shape = job.sequence;
  const AttentionWidths widths = attention_widths(m, layout.tp);
  const double h = *m.hidden_size;
  const HiddenBytes hidden = hidden_bytes(job, layout);
  TokenBytes bytes;
  bytes.whole = (m.norms_per_layer.value_or(2) * hidden.norm + hidden.inputs) * h;
  bytes.divided = 2 * (widths.q + widths.o + shape.kv_rows * (widths.k + widths.v)) + hidden.own * widths.o +
                  4 * widths.latent + column_bytes(job) * job.ffn_columns + routed_bytes(job) * h;
  if (m.qk_norm.value_or(false)) bytes.divided += norm_bytes(job, layout, false) * (widths.q + widths.k);
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

/// Experts that PEFT adapts are one parameter of a layer: what their adapters add is worked out for all of them and
/// kept, merged, for the backward pass.
double merged_experts(const TrainingJob& job, const Layout& layout, const Stage& stage) {
  const bool merges = job.code == catalog::LayerCode::eager && job::trains_adapter(job.work.training.method) &&
                      job.work.training.lora_targets.experts;
  return merges ? storage_bytes(layout.precision) * stage.experts / (expert_ranks(layout) * stage.layers) : 0;
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
  const double kept = job.stream_in_fp32(layout) ? 4 : storage_bytes(layout.precision);
  const double inputs = kept * *m.hidden_size * tokens / (shared ? layout.tp : 1);
  Activations out;
  if (stage.has_logits)
    out.logits = record<Bytes>(trace, {"workspace.logits", "{:.2f}", "GiB", "calibration"}, [&](auto told) {
      return told("sequences of this GPU", sequences) * told("tokens", shape.targets) *
             told("vocabulary", m.vocab_size.value_or(0)) * told("bytes of a logit", job.logits_bytes, "B") /
             told("tp", layout.tp);
    });
  const double merged = merged_experts(job, layout, stage);
  double per_layer = linear + scores + merged;
  double once = 0;
  if (layout.checkpointing == Checkpointing::selective) {  // scores first; where there are none, of everything
    per_layer = linear * (scores != 0 ? 1 : job.selective_share) + merged;
    once = scores;
  } else if (layout.checkpointing == Checkpointing::full) {
    // Logits peak when the forward pass ends, a layer's own set when the backward pass is under way.
    per_layer = inputs;
    once = std::max(0.0, linear + scores + 2 * merged - out.logits.raw());
  }
  out.per_layer = bytes(per_layer);
  out.alive = stage.layers * stage.microbatches_alive;
  out.once = bytes(once);
  return out;
}

}  // namespace gpusel::physics
