// The symbols of sections 4 and 5 of docs/method.md, for a training job with its plan on a machine.
#pragma once

#include <algorithm>
#include <cmath>

#include "gpusel/workload/frameworks.hpp"
#include "support/page.hpp"
#include "support/training.hpp"

namespace gpusel::test::page {

using estimate::Coefficient;
using estimate::Coefficients;
using estimate::Machine;
using estimate::TrainingPlan;
using workload::Method;
using workload::Optimizer;
using workload::Precision;
using workload::Sharding;

/// A job with its plan, and the symbols that the page gives them.
class Page {
 public:
  Page(const workload::Workload& of, const TrainingPlan& with, const Machine& on)
      : work(of), plan(with), machine(on), m(*of.model), P(of.parameters), job(of.training) {}

  // Of the model.
  double L() const { return P.layers; }
  double h() const { return *m.hidden_size; }
  double n() const { return m.heads.value_or(0); }
  double d() const { return m.head_dim.value_or(0); }
  double dv() const {
    return m.is_mla() ? m.mla_v_head_dim.value_or(d() - m.mla_rope_dim.value_or(0)) : m.v_head_dim.value_or(d());
  }
  double nkv(double ranks) const { return m.is_mla() ? n() : std::max(m.kv_heads.value_or(n()), ranks); }
  double f() const { return m.ffn_size.value_or(4 * h()); }
  double fx() const { return m.moe_ffn_size.value_or(f()); }
  double V() const { return m.vocab_size.value_or(0); }
  double k() const { return m.experts_per_token.value_or(1); }
  double g() const { return job.capacity_factor; }
  bool encodes() const { return !m.is_generator(); }
  bool gated() const { return P.is_gated(); }
  double decoder() const { return m.decoder_layers.value_or(L() / 2); }
  double with_experts() const { return std::min(1.0, P.moe_layers / L()); }

  // Of the plan.
  double t() const { return plan.tp; }
  double p() const { return plan.pp; }
  double ranks() const { return plan.dp * plan.cp; }
  double a() const { return static_cast<double>(plan.grad_accum); }
  double b() const { return static_cast<double>(plan.micro_batch); }
  bool wide() const { return plan.precision == Precision::fp32 || plan.precision == Precision::tf32; }
  double value() const { return wide() ? 4 : 2; }
  double expert_ranks() const { return plan.dp * plan.cp % plan.ep == 0 ? plan.ep * t() : plan.ep; }
  bool adapts() const { return job.method != Method::full; }
  bool megatron() const { return workload::framework_of(job.framework).megatron_core; }
  bool gathers() const {
    return plan.sharding == Sharding::zero3 || plan.sharding == Sharding::fsdp || plan.sharding == Sharding::hsdp;
  }
  double chunks() const {
    if (plan.pp == 1) return 1;
    if (job.virtual_pipeline) return std::min(L() / p(), static_cast<double>(*job.virtual_pipeline));
    return std::max(1.0, std::floor(L() / p() / of(c.chunk_layers)));
  }
  double of(const Coefficient& coefficient) const { return coefficient.of(job.framework); }

  // Tokens.
  double prefix() const { return job.method == Method::prefix ? static_cast<double>(job.virtual_tokens) : 0; }
  double s() const {
    return static_cast<double>(job.seq_len + (job.method == Method::ptuning ? job.virtual_tokens : 0));
  }
  double u() const { return static_cast<double>(job.target_len); }
  bool crosses_stacks() const { return m.is_encoder_decoder(); }
  /// Through the average layer, for one sequence.
  double rows() const { return crosses_stacks() ? ((L() - decoder()) * s() + decoder() * u()) / L() : s(); }
  double targets() const { return crosses_stacks() ? u() : s(); }
  double T() const { return b() * rows() / plan.cp; }
  /// Keys that all rows of all layers have scores for, over the rows.
  double all_keys() const {
    if (!crosses_stacks()) return (s() + prefix()) * (L() - m.linear_layers.value_or(0));
    return ((L() - decoder()) * s() * (s() + prefix()) + decoder() * u() * (u() + s() + prefix())) / rows();
  }
  double keys() const { return crosses_stacks() ? all_keys() / L() : s() + prefix(); }
  /// The page's K.
  double K() const {
    if (crosses_stacks())
      return ((L() - decoder()) * s() * (s() + prefix()) + decoder() * u() * (u() / 2 + s() + prefix())) / rows();
    const double window_layers = m.kv_window_layers.value_or(0);
    const double full_layers = std::max(0.0, L() - window_layers - m.linear_layers.value_or(0));
    const double w = std::min(s(), m.window_tokens.value_or(s()));
    const double own = encodes() ? full_layers * s() + window_layers * w
                                 : full_layers * s() / 2 + window_layers * (w - w * w / 2 / s());
    return own + prefix() * (full_layers + window_layers);
  }
  /// Rows of keys and values for each row of queries.
  double kv_rows() const {
    if (!crosses_stacks()) return (s() + prefix()) / s();
    return ((L() - decoder()) * (s() + prefix()) + decoder() * (u() + s() + prefix())) /
           ((L() - decoder()) * s() + decoder() * u());
  }

  // Trained parameters.
  double trained() const {
    const auto added = static_cast<double>(job.virtual_tokens);
    if (job.method == Method::full) return P.total();
    if (job.method == Method::ptuning) return added * h();
    if (job.method == Method::prefix) return added * L() * nkv(1) * (d() + dv());
    const auto& on = job.lora_targets;
    double q = h() + n() * d(), key = h() + nkv(1) * d(), v = h() + nkv(1) * dv();
    const double o = n() * dv() + h();
    if (m.is_mla()) {
      const double down = m.mla_q_lora_rank.value_or(0), latent = *m.mla_kv_lora_rank;
      const double rope = m.mla_rope_dim.value_or(0);
      if (down > 0) q = (h() + down) + (down + n() * d());
      key = h() + (latent + rope);
      v = latent + n() * (d() - rope + dv());
    }
    const double attention = on.q * q + on.k * key + on.v * v + on.o * o;
    const double matrices = (gated() && on.gate) + on.up + on.down;
    const double shared = m.shared_experts.value_or(0) * (h() + m.shared_ffn_size.value_or(fx_or_f()));
    const double routed = on.experts ? m.experts.value_or(0) * (h() + fx_or_f()) : 0;
    const double twice = crosses_stacks() ? m.decoder_layers.value_or(0) : 0;
    return static_cast<double>(job.lora_rank) *
           ((L() + twice) * attention +
            matrices * ((L() - P.moe_layers) * (h() + m.ffn_size.value_or(0)) + P.moe_layers * (shared + routed)));
  }
  double fx_or_f() const { return m.moe_ffn_size.value_or(m.ffn_size.value_or(0)); }

  double states(double width) const {
    switch (job.optimizer) {
      case Optimizer::adamw:
      case Optimizer::lamb: return 2 * width;
      case Optimizer::sgd:
      case Optimizer::lion: return width;
      case Optimizer::muon: return width + width * (P.embedding + P.head + P.layer_embeddings) / P.total();
      case Optimizer::adamw8bit: return 2.06;
      case Optimizer::adafactor: return 0.02;
      case Optimizer::paged_adamw:
      case Optimizer::paged_adamw8bit: return 0;
    }
    return 0;
  }

  /// Bytes per parameter that is trained.
  struct Widths {
    double weight, gradient, optimizer;
  };
  Widths widths() const {
    const bool pure = job.recipe == workload::Recipe::pure;
    if (adapts()) return {4, 4, states(4)};
    if (wide()) return {4, 4, states(4)};
    return {2, pure || !megatron() ? 2.0 : 4.0, pure ? states(2) : 4 + states(4)};
  }

  const workload::Workload& work;
  const TrainingPlan& plan;
  const Machine& machine;
  const catalog::Model& m;
  const catalog::Parameters& P;
  const workload::Training& job;
  const Coefficients& c = test::coefficients();
};

/// Any job with any plan, in any arithmetic.
struct TrainingCase {
  workload::Workload work;
  TrainingPlan plan;
};

inline TrainingCase any_training_case() {
  Asked asked = any::training();
  if (asked.contains("lora_rank"))
    asked["lora_targets"] = any::one_of("lora_targets", {"all", "attention", "q,v", "k,o", "gate", "up,down", "v"});
  if (any::coin("says lengths")) asked["variable_lengths"] = any::one_of("variable_lengths", {"true", "false"});
  if (any::coin("no sequence parallelism")) asked["sequence_parallel"] = "false";
  if (any::coin("steps in the backward pass")) asked["optimizer_in_backward"] = "true";
  if (asked["method"] == "full" && any::coin("pretrains")) {
    asked["task"] = "pretrain";
    asked.erase("method");
  }
  auto work = job_of(asked);
  any::leave_gaps(work);
  if (work.model->is_moe() && any::coin("capacity"))
    work.training.capacity_factor = any::number("capacity factor", 1, 2);
  auto plan = any::plan_for(work);
  if (work.model->is_moe() && any::coin("experts over tensor ranks"))
    plan.ep = static_cast<int>(std::min<double>(*work.model->experts, plan.dp * plan.cp * plan.tp));
  const std::vector<std::string> formats{"bf16", "fp16", "fp32", "tf32", "fp8"};
  plan.precision = *from_text<Precision>(any::one_of("precision", formats));
  if (plan.pp > 1 && any::coin("virtual pipeline")) work.training.virtual_pipeline = any::whole("chunks", 1, 4);
  return {std::move(work), plan};
}

}  // namespace gpusel::test::page
