// Section 5 of docs/method.md, worked out as the page writes it, against what is computed.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "properties/page_training.hpp"

namespace method_training_time_test {

using namespace gpusel;
using namespace gpusel::estimate;
using namespace gpusel::test::page;
using test::must;
using test::must_be_near;
using workload::Checkpointing;
using workload::Offload;
namespace any = test::any;

namespace {

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

}  // namespace

TEST_CASE("training time is what docs/method.md says", "[property]") {
  agrees("section 5", [] {
    auto [work, plan] = any_training_case();
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

}  // namespace method_training_time_test
