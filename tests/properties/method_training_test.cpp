// Sections 4 and 5 of docs/method.md, worked out as the page writes them, against what is computed.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "gpusel/estimate/checkpoint.hpp"
#include "gpusel/workload/frameworks.hpp"
#include "support/page.hpp"
#include "support/training.hpp"

using namespace gpusel;
using namespace gpusel::estimate;
using namespace gpusel::test::page;
using test::must;
using test::must_be_near;
using workload::Checkpointing;
using workload::Method;
using workload::Offload;
using workload::Optimizer;
using workload::Precision;
using workload::Sharding;
namespace any = test::any;

namespace {

constexpr double kNf4 = 4.127 / 8;

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
  bool gated() const { return P.ffn_matrices == 3; }
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

/// Section 4: one stage.
class StageOnPage : public Page {
 public:
  StageOnPage(const Page& page, bool is_first, bool is_last) : Page(page), first(is_first), last(is_last) {}

  double layers() const { return std::ceil(L() / p()); }
  double body() const { return (P.body + P.vision) * layers() / L(); }
  double experts() const { return P.experts * layers() / L(); }
  bool has_head() const { return last && m.is_generator(); }
  double ends() const {
    const double head = P.head > 0 ? P.head : first ? 0 : P.embedding;
    return (first ? P.embedding + P.layer_embeddings : 0) + (has_head() ? head : 0) + (last ? P.mtp : 0);
  }

  double S(int kind) const {  // 0: weights, 1: gradients, 2: optimiser
    double all = ranks();
    if (plan.sharding == Sharding::hsdp) all = std::min(all, std::max(1.0, machine.gpus_per_node / t()));
    if (plan.sharding == Sharding::none || plan.sharding == Sharding::ddp) return 1;
    if (gathers()) return kind == 0 && plan.pp > 1 ? 1 : all;
    return kind == 2 || (kind == 1 && plan.sharding == Sharding::zero2) ? all : 1;
  }
  double share(int kind, bool with_ends = true) const {
    return (body() + (with_ends ? ends() : 0)) / (t() * S(kind)) + experts() / std::max(t() * S(kind), expert_ranks());
  }

  MemoryBreakdown memory() const {
    MemoryBreakdown out;
    double weights = 0, gradients = 0, optimizer = 0;
    const bool quantised = job.method == Method::qlora;
    if (adapts()) {
      const double adapters = trained() / (t() * p());
      weights = share(0, false) * (quantised ? kNf4 : value()) +
                ends() / t() / S(0) * (quantised ? of(c.unquantised_bytes) : value()) + 4 * adapters;
      gradients = 4 * adapters / S(1);
      optimizer = states(4) * adapters / S(2);
    } else {
      const bool pure = job.recipe == workload::Recipe::pure;
      const double each[3] = {value(),
                              wide()       ? 4.0
                              : pure       ? 2.0
                              : megatron() ? 4.0
                                           : 2.0,
                              wide() ? states(4)
                              : pure ? states(2)
                                     : 4 + states(4)};
      weights = share(0) * each[0];
      gradients = share(1) * each[1];
      optimizer = share(2) * each[2];
    }
    if (job.offload != Offload::none) gradients = optimizer = 0;
    if (job.offload == Offload::params) weights = std::min(weights, in_use());
    // Workspace.
    const bool in_backward = job.optimizer_in_backward && plan.grad_accum == 1;
    const bool zero = plan.sharding == Sharding::zero1 || plan.sharding == Sharding::zero2;
    const double own = in_backward ? 0 : gradients;
    const bool stand = zero || megatron() || plan.grad_accum > 1;
    const bool copied = plan.sharding == Sharding::ddp && plan.dp > 1 && !megatron();
    const double copy = copied ? own : 0;
    const double before = activations() + logits() + buffers() + copy + (stand ? own : 0);
    const double after = own + copy + step();
    const double peak = std::max(before, after);
    out.weights = bytes(weights);
    out.gradients = bytes(own);
    out.optimizer = bytes(optimizer);
    out.activations = bytes(std::min(activations(), peak - own));
    out.workspace = bytes(peak - own - out.activations.raw() + slack() * peak);
    out.framework = gib(c.context_gib.value + (machine.gpus() > 1 ? c.collectives_gib.of("training") : 0));
    return out;
  }

 private:
  double slack() const {
    if (encodes()) return c.allocator_slack.of("encoder");
    if (job.variable_lengths) return c.allocator_slack.of(*job.variable_lengths ? "variable" : "fixed");
    return of(c.allocator_slack);
  }
  double in_use() const {
    const double layer = (body() / t() + experts() / expert_ranks()) / layers();
    return std::max(c.gathered_layers.value * layer * (job.method == Method::qlora ? kNf4 : value()),
                    ends() / t() * value());
  }
  double buffers() const {
    double out = 0;
    const bool zero = plan.sharding == Sharding::zero1 || plan.sharding == Sharding::zero2;
    if (gathers() && ranks() > 1 && job.offload != Offload::params)
      out = in_use();
    else if ((zero && machine.gpus() > 1) || job.offload != Offload::none)
      out = 2 * 2 * std::min(c.reduce_bucket_elements.value, trained() / (t() * p()));
    if (job.method == Method::qlora)
      out += 2 * 2 * h() * std::max(h(), m.is_moe() ? fx_or_f() : m.ffn_size.value_or(0)) / t();
    return out;
  }
  double step() const {
    if (workload::keeps_states_in_8_bit(job.optimizer) || job.offload != Offload::none) return 0;
    const double on_gpu = adapts() ? trained() / (t() * p()) / S(2) : share(2);
    return on_gpu * of(c.step_bytes) * (job.recipe == workload::Recipe::pure ? 0.5 : 1);
  }

  /// Of one token in one layer: what lies between products, what lies in them.
  double between() const {
    const double norms = gated() ? of(c.eager_hidden_bytes) * (adapts() ? 0.5 : 1) : 0;
    const double frozen = workload::adds_tokens(job.method) ? 4 : 0;
    return (8 - frozen + norms) * h() * value() / 2 + (encodes() ? 2 * h() : 0);
  }
  double within() const {
    const bool unfused = gated() && of(c.eager_hidden_bytes) > 0;
    const double heads = nkv(t());
    const double copied = unfused ? std::max(n(), heads) : heads;
    const double frozen = workload::adds_tokens(job.method) ? 2 : 0;
    const double latent = m.is_mla() ? m.mla_q_lora_rank.value_or(0) + *m.mla_kv_lora_rank : 0;
    const double shared = m.shared_experts.value_or(0) * m.shared_ffn_size.value_or(fx());
    const double columns = m.is_moe() ? with_experts() * (k() * g() * fx() + shared) + (1 - with_experts()) * f() : f();
    const double copies = m.is_moe() ? 4 * k() * g() * h() * with_experts() : 0;
    return (2 * n() * (d() + dv()) + 2 * kv_rows() * copied * (d() + dv()) + 4 * latent +
            ((gated() ? of(c.gated_bytes) : 4) - frozen) * columns + copies) *
           value() / 2;
  }
  double A() const { return (between() / (job.sequence_parallel ? t() : 1) + within() / t()) * T(); }
  double Z() const { return plan.flash_attention ? 0 : (2 * value() + 1) * n() * keys() * T() / t(); }
  double logits() const {
    const bool has = has_head() || (last && work.task == workload::Task::pretrain);
    return has ? b() / plan.cp * targets() * V() / t() * of(c.logits_bytes) : 0;
  }
  double G() const {
    if (!first) return 1;
    const double alive = std::min(p(), a());
    return chunks() > 1 ? alive * (1 + (p() - 1) / (p() * chunks())) : alive;
  }
  double activations() const {
    const double sets = layers() * G();
    if (plan.checkpointing == Checkpointing::none) return (A() + Z()) * sets;
    if (plan.checkpointing == Checkpointing::selective)
      return Z() > 0 ? A() * sets + Z() : A() * sets * of(c.selective_share);
    const double inputs = value() * h() * T() / (job.sequence_parallel ? t() : 1);
    return inputs * sets + std::max(0.0, A() + Z() - logits());
  }

  bool first, last;
};

MemoryBreakdown memory_on_page(const Page& page) {
  const MemoryBreakdown one = StageOnPage(page, true, page.plan.pp == 1).memory();
  if (page.plan.pp == 1) return one;
  const MemoryBreakdown last = StageOnPage(page, false, true).memory();
  return last.total() > one.total() ? last : one;
}

/// Section 5.
class TimeOnPage : public Page {
 public:
  explicit TimeOnPage(const Page& page) : Page(page) {}

  double F() const { return machine.device.peak(plan.precision)->raw(); }
  double products() const {
    return matmul() * passes() / (F() * eta(T(), h() / t()) * eager()) +
           (experts() > 0
                ? experts() * passes() /
                      (F() * eta(T() * plan.ep * P.routed_share, m.moe_ffn_size.value_or(h()) / t()) * eager())
                : 0);
  }
  double attention() const {
    const double per_key = 2 * n() * (d() + dv());
    if (plan.flash_attention) {
      const auto half = machine.device.peak(Precision::bf16);
      return per_key * K() * T() / (t() * stages()) * (3.5 + again(1)) /
             (std::min(F(), half ? half->raw() : F()) * c.attention_efficiency.of(gpu().architecture) * eager());
    }
    const double scores = of(c.score_bytes) * doubled() * n() * all_keys() * T() / (t() * stages());
    return (per_key * all_keys() * T() / (t() * stages()) / (F() * eta(T(), h() / t())) + scores / stream()) *
           pointwise_passes();
  }
  double memory() const {
    double moved = pointwise() * pointwise_passes() + logits();
    if (job.method == Method::qlora) moved += c.dequantise_bytes.value * (P.body + P.experts) / (t() * p()) * passes();
    return moved / stream();
  }
  double host() const { return job.offload == Offload::params ? 4 * P.total() / machine.gpus() / over_pcie() : 0; }
  double launch() const {
    return (of(c.training_layer_us) + (adapts() ? of(c.adapter_layer_us) : 0)) * 1e-6 * L() / p() * pointwise_passes();
  }
  double on_gpu() const { return products() + attention() + memory() + host(); }
  double busy() const { return std::max(on_gpu(), launch()); }

  double tensor() const {
    if (plan.tp == 1) return 0;
    const Link with = rate(std::min(plan.tp, machine.gpus_per_node), plan.tp > machine.gpus_per_node);
    const double x = plan.checkpointing == Checkpointing::full ? plan.recomputed : 0;
    return (2 * ring(t()) * value() * h() * T() / with.rate + with.latency) * (4 + 2 * x) * L() / p() *
           of(c.tensor_exposed);
  }
  double spread_experts() const {
    if (plan.ep == 1 || !m.is_moe()) return 0;
    const Link with =
        rate(std::max(1, std::min(plan.ep, machine.gpus_per_node / plan.tp)), expert_ranks() > machine.gpus_per_node);
    return (value() * k() * g() * h() * T() / t() * ring(plan.ep) / with.rate + with.latency) * 4 * P.moe_layers / p();
  }
  double context() const {
    if (plan.cp == 1) return 0;
    const Link with =
        rate(std::clamp(machine.gpus_per_node / plan.tp, 1, plan.cp), plan.cp * plan.tp > machine.gpus_per_node);
    const double sent = value() * nkv(t()) * (d() + dv()) / t() * T() * (plan.cp - 1);
    return shown(sent / with.rate * 3 * L() / p(), attention() * busy() / on_gpu());
  }
  double between_stages() const {
    if (plan.pp == 1) return 0;
    const bool far = machine.nodes > 1;
    const Link with = rate(far ? stages_here() : machine.gpus_per_node, far);
    const double sent = value() * h() * T() / (job.sequence_parallel ? t() : 1);
    return shown((sent / with.rate + with.latency) * 2 * chunks(), busy());
  }
  double gathered() const {
    const auto [members, here] = group();
    if (!gathers() || plan.pp > 1 || members == 1) return 0;
    const Link with = rate(here, members > here);
    const double each = job.method == Method::qlora ? 0.52 : value();
    return shown((adapts() ? 2 : 3) * each * local() * ring(members) / with.rate + with.latency * 3 * L() / p(),
                 busy());
  }
  double gradients() const {
    auto [members, here] = group();
    const bool hybrid = plan.sharding == Sharding::hsdp;
    if (hybrid) members = static_cast<int>(ranks());
    if (members == 1 || (gathers() && plan.pp == 1 && !hybrid)) return 0;
    const Link with = rate(here, members > here);
    const double mine = (adapts() ? trained() : local()) / (hybrid ? here : 1);
    const double once = ring(members) * value() * mine / with.rate + 5 * with.latency;
    const double backward = busy() * 2 / 3;
    if (plan.sharding == Sharding::zero2) return a() * shown(once, backward) + once;
    return shown(2 * once, backward);
  }
  double exposed() const { return tensor() + spread_experts() + context() + between_stages() + gathered(); }

  double updated() const {
    const bool sharded = plan.sharding != Sharding::none && plan.sharding != Sharding::ddp;
    return (adapts() ? trained() : local()) / (sharded ? ranks() : 1);
  }
  double optimizer() const {
    if (job.offload == Offload::none) return 30 * updated() / stream();
    return 4 * updated() / over_pcie() +
           30 * updated() / (c.host_memory_gbs.value * 1e9 * std::min(1.0, 2.0 / machine.gpus_per_node));
  }
  double muon() const {
    if (job.optimizer != Optimizer::muon || adapts()) return 0;
    const double other = m.is_moe() ? m.moe_ffn_size.value_or(h()) : m.ffn_size.value_or(h());
    const double rows = std::min(h(), other), columns = std::max(h(), other);
    const double of_matrices = updated() * (P.body + P.experts) / P.total();
    return 5 * (4 * rows + 2 * rows * rows / columns) * of_matrices / (F() * eta(rows, rows));
  }
  double bubble() const { return (p() - 1) / (a() * chunks()); }
  double step() const {
    return ((busy() + exposed()) * a() * (1 + bubble()) + gradients() + optimizer() + muon()) *
               (1 + c.straggler.value * std::log2(machine.nodes)) +
           c.step_ms.value * 1e-3;
  }
  double useful() const {
    const double attended = 2 * n() * (d() + dv()) * K() * T() / (t() * stages());
    return (matmul() + experts() / g() + attended) * (adapts() ? 2 : 3) * a();
  }

 private:
  const catalog::Gpu& gpu() const { return *machine.device.gpu; }
  /// The fullest stage holds ceil(L ÷ p) layers: what the page's p stands for where it does not divide L.
  double stages() const { return 1 / fullest(L(), p()); }
  double doubled() const { return wide() ? 2 : 1; }
  double again(double times) const {
    if (plan.checkpointing == Checkpointing::full) return plan.recomputed;
    return plan.checkpointing == Checkpointing::selective ? times : 0;
  }
  double passes() const { return (adapts() ? 2 : 3) + again(0); }
  double pointwise_passes() const { return 3 + again(0.5); }
  bool has_head() const { return m.is_generator() || work.task == workload::Task::pretrain; }
  double matmul() const {
    const double head = has_head() ? std::max(P.head, P.embedding) : 0;
    return 2 * (P.body * T() + head * b() / plan.cp * targets()) / (t() * stages());
  }
  double experts() const { return 2 * P.experts * P.routed_share * g() * T() / (t() * stages()); }
  double pointwise() const {
    const double each = of(c.pointwise_bytes) * doubled() +
                        c.cast_bytes.of(to_text(machine.device.done_in(plan.precision))) +
                        (adapts() ? of(c.adapter_bytes) : 0);
    return (each * L() + c.expert_bytes.value * doubled() * k() * g() * P.moe_layers) * h() * T() / (t() * stages());
  }
  double logits() const {
    return has_head() ? of(c.logit_traffic) * doubled() * V() * b() / plan.cp * targets() / (t() * stages()) : 0;
  }
  double stream() const { return machine.device.bandwidth.raw() * c.bandwidth_efficiency.value; }
  double over_pcie() const { return pcie(gpu()) * c.link_efficiency.of("pcie"); }
  double eager() const { return megatron() || is_consumer(gpu()) ? 1 : c.eager_efficiency.of(gpu().architecture); }
  double eta(double rows, double width) const {
    double share = c.training_efficiency.of(gpu().architecture);
    const double usual = c.watts_per_tflops.of(gpu().architecture);
    if (gpu().tdp_w && gpu().fp16_dense_tflops.value_or(0) > 0 && usual > 0)
      share = std::min(0.92, share * std::pow(*gpu().tdp_w / *gpu().fp16_dense_tflops / usual,
                                              c.power_exponent.of(gpu().architecture)));
    return share * c.format_efficiency.of(to_text(machine.device.done_in(plan.precision))) *
           reached(rows, c.gemm_tokens_half.value) * reached(width, c.gemm_width_half.value);
  }
  Link rate(int here, bool crosses) const {
    Link out = link(machine, here, crosses);
    const bool over_pcie_link = machine.link == catalog::NodeLink::pcie || machine.link == catalog::NodeLink::none;
    if (is_consumer(gpu()) && over_pcie_link && here > 1)
      out.rate = std::min(out.rate, pcie(gpu()) * c.link_efficiency.of("pcie staged"));
    return out;
  }
  double shown(double traffic, double beside) const {
    return std::max(traffic - c.gradient_overlap.value * beside, c.least_exposed.value * traffic);
  }
  int stages_here() const { return std::max(1, plan.pp * machine.gpus_per_node / machine.gpus()); }
  struct Group {
    int members, here;
  };
  Group group() const {
    const int all = plan.dp * plan.cp;
    const int here = std::clamp(machine.gpus_per_node / (plan.tp * stages_here()), 1, all);
    return {plan.sharding == Sharding::hsdp ? here : all, here};
  }
  double local() const { return ((P.total() - P.experts) / t() + P.experts / expert_ranks()) / p(); }
};

/// Any job with any plan, in any arithmetic.
struct Drawn {
  workload::Workload work;
  TrainingPlan plan;
};

Drawn any_case() {
  test::Asked asked = any::training();
  if (asked.contains("lora_rank"))
    asked["lora_targets"] = any::one_of("lora_targets", {"all", "attention", "q,v", "k,o", "gate", "up,down", "v"});
  if (any::coin("says lengths")) asked["variable_lengths"] = any::one_of("variable_lengths", {"true", "false"});
  if (any::coin("no sequence parallelism")) asked["sequence_parallel"] = "false";
  if (any::coin("steps in the backward pass")) asked["optimizer_in_backward"] = "true";
  if (asked["method"] == "full" && any::coin("pretrains")) {
    asked["task"] = "pretrain";
    asked.erase("method");
  }
  auto work = test::job_of(asked);
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

}  // namespace

TEST_CASE("training memory is what docs/method.md says", "[property]") {
  agrees("section 4", [] {
    const auto [work, plan] = any_case();
    Machine machine = any::machine(plan.tp * plan.pp * plan.cp * plan.dp);
    any::leave_gaps(machine);
    const MemoryBreakdown is = test::memory(work, plan, machine);
    const MemoryBreakdown page = memory_on_page(Page(work, plan, machine));
    must_be_near(is.weights.raw(), page.weights.raw(), "weights");
    must_be_near(is.gradients.raw(), page.gradients.raw(), "gradients");
    must_be_near(is.optimizer.raw(), page.optimizer.raw(), "optimiser");
    must_be_near(is.activations.raw(), page.activations.raw(), "activations");
    must_be_near(is.workspace.raw(), page.workspace.raw(), "workspace");
    must_be_near(is.framework.raw(), page.framework.raw(), "framework");
    must_be_near(trainable_parameters(work), Page(work, plan, machine).trained(), "trained parameters");
  });
}

TEST_CASE("training time is what docs/method.md says", "[property]") {
  agrees("section 5", [] {
    auto [work, plan] = any_case();
    Machine machine = any::machine(plan.tp * plan.pp * plan.cp * plan.dp);
    any::leave_gaps(machine);
    if (plan.checkpointing == Checkpointing::full && any::coin("some layers"))
      plan.recomputed = any::number("recomputed", 0.05, 1);
    const auto is = training_speed(work, machine, plan, test::coefficients());
    test::given(is.has_value());
    const Page symbols(work, plan, machine);
    const TimeOnPage page(symbols);
    const StepBudget& budget = is->budget;
    must_be_near(budget.compute.raw(), (page.products() + page.attention()) * page.a() + page.muon(), "computing");
    const bool offloads = work.training.offload != Offload::none;
    must_be_near(budget.memory.raw(), page.memory() * page.a() + (offloads ? 0 : page.optimizer()), "memory");
    must_be_near(budget.host.raw(), page.host() * page.a() + (offloads ? page.optimizer() : 0), "host");
    must_be_near(budget.launch.raw(), std::max(0.0, page.launch() - page.on_gpu()) * page.a(), "launching");
    must_be_near(budget.communication.raw(), page.exposed() * page.a() + page.gradients(), "communication");
    must_be_near(budget.bubble.raw(), (page.busy() + page.exposed()) * page.a() * page.bubble(), "bubble");
    must_be_near(is->step.raw(), page.step(), "step");
    for (const auto& [time, name] : budget.bounds())
      for (const auto& [other, by] : budget.bounds()) must(by != is->bound_by || time <= other, "bound by another");
    must_be_near(is->model_tflops_per_gpu, page.useful() / page.step() / 1e12, "useful work");
    must_be_near(is->mfu, page.useful() / page.step() / page.F(), "utilisation");
  });
}

TEST_CASE("states, checkpoints and what is offloaded are what is trained times its widths", "[property]") {
  agrees("states", [] {
    const auto [work, drawn] = any_case();
    TrainingPlan alone;
    alone.precision = drawn.precision;
    const Machine machine = any::machine(1);
    const Page page(work, alone, machine);
    const auto [weight, gradient, optimizer] = page.widths();
    const Offload offload = work.training.offload;
    const double host = offload == Offload::none
                            ? 0
                            : page.trained() * (gradient + optimizer) +
                                  (offload == Offload::params ? work.parameters.total() * page.value() : 0);
    must_be_near(offloaded_states(work, alone.precision).raw(), host, "on the host");
    const auto checkpoint = checkpoint_size(work, alone.precision);
    must(checkpoint.has_value() == (page.trained() > 0), "a checkpoint");
    if (checkpoint) must_be_near(checkpoint->raw(), page.trained() * (weight + optimizer), "checkpoint");
    if (offload != Offload::none || work.training.method == Method::qlora) return;
    const double frozen = page.adapts() ? work.parameters.total() * page.value() : 0;
    const double all = page.trained() * (weight + gradient + optimizer) + frozen;
    must_be_near(training_states(work, alone.precision).raw(), all, "states");
  });
}

TEST_CASE("layers that are checkpointed in part keep their share of both", "[property]") {
  agrees("some layers", [] {
    auto [work, plan] = any_case();
    Machine machine = any::machine(plan.tp * plan.pp * plan.cp * plan.dp);
    any::leave_gaps(machine);
    plan.checkpointing = Checkpointing::none;
    const MemoryBreakdown none = test::memory(work, plan, machine);
    plan.checkpointing = Checkpointing::full;
    const MemoryBreakdown all = test::memory(work, plan, machine);
    const double x = plan.recomputed = any::number("recomputed", 0.05, 0.95);
    const MemoryBreakdown some = test::memory(work, plan, machine);
    must_be_near(some.activations.raw(), x * all.activations.raw() + (1 - x) * none.activations.raw(), "activations");
    must_be_near(some.workspace.raw(), x * all.workspace.raw() + (1 - x) * none.workspace.raw(), "workspace");
    must_be_near(some.weights.raw(), all.weights.raw(), "weights");
  });
}
