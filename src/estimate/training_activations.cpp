#include "estimate/training_activations.hpp"

#include <algorithm>
#include <cmath>

namespace gpusel::estimate {

namespace {

using workload::Checkpointing;
using workload::Precision;
using workload::Workload;

/// Sets of a stage's activations that the first stage holds: one per stage behind it, and with
/// interleaving (p − 1) ÷ (p · chunks) more. Narayanan et al., arXiv 2104.04473.
double in_flight(const Workload& work, const TrainingPlan& plan, const Coefficients& c) {
  const auto most = static_cast<double>(std::min<std::int64_t>(plan.pp, plan.grad_accum));
  const double chunks = pipeline_chunks(work, plan, c);
  return chunks > 1 ? most * (1 + (plan.pp - 1) / (plan.pp * chunks)) : most;
}

double width_of_ffn(const catalog::Model& model) {
  const double dense = model.ffn_size.value_or(4 * model.hidden_size.value_or(0));
  if (!model.is_moe()) return dense;
  const double expert = model.moe_ffn_size.value_or(dense);
  const double shared = model.shared_experts.value_or(0) * model.shared_ffn_size.value_or(expert);
  return model.experts_per_token.value_or(1) * expert + shared;
}

}  // namespace

double storage_bytes(Precision precision) {
  return precision == Precision::fp32 || precision == Precision::tf32 ? 4 : 2;
}

Stage make_stage(const Workload& work, const TrainingPlan& plan, bool first, bool last, const Coefficients& c) {
  const auto& p = work.parameters;
  const double share = std::ceil(p.layers / plan.pp) / p.layers;
  Stage stage;
  stage.layers = p.layers * share;
  stage.body = (p.body + p.vision) * share / plan.tp;
  stage.experts = p.experts * share;
  const double embedding = first ? (p.embedding + p.layer_embeddings) / plan.tp : 0;
  const bool holds_head = last && work.model->is_generator();
  // A tied head is the embedding itself, held again where the last stage is not the first.
  const double head = holds_head ? (p.head > 0 ? p.head : first ? 0 : p.embedding) / plan.tp : 0;
  stage.ends = embedding + head + (last ? p.mtp / plan.tp : 0);
  stage.microbatches_alive = first ? in_flight(work, plan, c) : 1;
  stage.has_logits = holds_head || (last && work.task == workload::Task::pretrain);
  return stage;
}

/// Fused: norm inputs and outputs 8h, q and attention output 4h, k and v 4·kv, gate, up and product 6f (plain: 4f).
/// Layers that are not fused also keep the activation 2f, keys and values copied for every head, and of each norm
/// an fp32 input and, where its weight is trained, the normalised copy. After Korthikanti et al., arXiv 2205.05198.
double layer_bytes_per_token(const Workload& work, const TrainingPlan& plan, const Coefficients& c) {
  const auto& m = *work.model;
  const std::string& framework = work.training.framework;
  const double h = *m.hidden_size;
  const double heads = m.heads.value_or(0);
  const bool gated = work.parameters.ffn_matrices > 2.5;
  const double unfused = gated ? c.eager_hidden_bytes.of(framework) : 0;
  const double kv = (unfused > 0 ? heads : m.kv_heads.value_or(heads)) * m.head_dim.value_or(0);
  double bytes = 12 * h + 4 * kv + (gated ? c.gated_bytes.of(framework) : 4) * width_of_ffn(m);
  bytes += (workload::trains_adapter(work.training.method) ? 0.5 : 1) * unfused * h;
  if (m.is_moe()) bytes += 4 * m.experts_per_token.value_or(1) * h;  // dispatched and combined copies
  // BERT-like encoders keep dropout masks of attention and FFN outputs, a byte each whatever the format.
  const double masks = m.is_generator() ? 0 : 2 * h;
  return bytes * storage_bytes(plan.precision) / 2 + masks;
}

double score_bytes_per_token(const Workload& work, const TrainingPlan& plan) {
  if (plan.flash_attention) return 0;
  const double values_and_mask = 2 * storage_bytes(plan.precision) + 1;
  return values_and_mask * work.model->heads.value_or(0) *
         static_cast<double>(work.training.seq_len + work.training.virtual_tokens);
}

Activations stage_activations(const Workload& work, const TrainingPlan& plan, const Stage& stage,
                              const Coefficients& c) {
  const auto& m = *work.model;
  const double sequence = static_cast<double>(work.training.seq_len + work.training.virtual_tokens) / plan.cp;
  const double tokens = static_cast<double>(plan.micro_batch) * sequence;
  const double linear = layer_bytes_per_token(work, plan, c) * tokens / plan.tp;
  const double scores = score_bytes_per_token(work, plan) * tokens / plan.tp;
  const double inputs = storage_bytes(plan.precision) * *m.hidden_size * tokens / plan.tp;
  const double vocabulary = m.vocab_size.value_or(0);
  const std::string& framework = work.training.framework;
  const double logits = stage.has_logits ? tokens * vocabulary * c.logits_bytes.of(framework) / plan.tp : 0;
  const double alive = stage.layers * stage.microbatches_alive;
  switch (plan.checkpointing) {
    case Checkpointing::none: return {bytes((linear + scores) * alive), bytes(logits)};
    case Checkpointing::selective: {  // scores first; where there are none, of everything
      const double share = scores > 0 ? 1 : c.selective_share.of(framework);
      return {bytes(linear * share * alive + scores), bytes(logits)};
    }
    case Checkpointing::full:
      // Logits peak when the forward pass ends, a layer's own set when the backward pass is under way.
      return {bytes(inputs * alive + std::max(0.0, linear + scores - logits)), bytes(logits)};
  }
  return {};
}

}  // namespace gpusel::estimate
