// Section 4 of docs/method.md, worked out as the page writes it, against what is computed.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "gpusel/estimate/checkpoint.hpp"
#include "properties/page_training.hpp"

namespace method_training_memory_test {

using namespace gpusel;
using namespace gpusel::estimate;
using namespace gpusel::test::page;
using test::must;
using test::must_be_near;
using workload::Checkpointing;
using workload::Offload;
namespace any = test::any;

namespace {

constexpr double kNf4 = 4.127 / 8;

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

}  // namespace

TEST_CASE("training memory is what docs/method.md says", "[property]") {
  agrees("section 4", [] {
    const auto [work, plan] = any_training_case();
    Machine machine = any::machine(plan.tp * plan.pp * plan.cp * plan.dp);
    any::leave_gaps(machine);
    const MemoryBreakdown is = test::memory(work, plan, machine);
    const MemoryBreakdown page = memory_on_page(Page(work, plan, machine));
    must_have(is, page);
    must_be_near(trainable_parameters(work), Page(work, plan, machine).trained(), "trained parameters");
  });
}

TEST_CASE("states, checkpoints and what is offloaded are what is trained times its widths", "[property]") {
  agrees("states", [] {
    const auto [work, drawn] = any_training_case();
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
    auto [work, plan] = any_training_case();
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

}  // namespace method_training_memory_test
