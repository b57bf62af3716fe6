#include <algorithm>
#include <array>
#include <cmath>

#include "gpusel/base/message.hpp"
#include "gpusel/estimate/training.hpp"

namespace gpusel::estimate {

namespace {

using workload::Checkpointing;
using workload::Method;
using workload::Offload;
using workload::Precision;
using workload::Sharding;
using workload::Workload;

/// How often each kind of work is done per micro-batch, in units of one forward pass.
struct Passes {
  double matmul = 3;       // forward, and backward for inputs and weights
  double attention = 3.5;  // fused backward recomputes the scores: arXiv 2307.08691
  double pointwise = 3;
  double useful = 3;  // without recomputation
};

Passes passes_of(const Workload& work, Checkpointing checkpointing) {
  Passes passes;
  if (workload::trains_adapter(work.training.method)) passes.matmul = passes.useful = 2;  // no weight gradients
  if (checkpointing == Checkpointing::full) {
    passes.matmul += 1;
    passes.attention += 1;
    passes.pointwise += 1;
  } else if (checkpointing == Checkpointing::selective) {
    passes.attention += 1;
    passes.pointwise += 0.5;
  }
  return passes;
}

/// Work and traffic of one forward pass of one micro-batch on one GPU.
struct Forward {
  double tokens = 0;  // on this GPU
  Flop matmul;        // dense layers, shared experts and output head
  Flop experts;       // routed experts
  Flop attention;
  Bytes scores;  // moved where attention is not fused
  Bytes pointwise;
  Bytes logits;
};

Forward forward_pass(const Workload& work, const TrainingPlan& plan, const Coefficients& c) {
  const auto& m = *work.model;
  const auto& p = work.parameters;
  const double h = *m.hidden_size;
  const auto sequence = static_cast<double>(work.training.seq_len + work.training.virtual_tokens);
  // The fullest pipeline stage sets the pace.
  const double split = plan.tp * p.layers / std::ceil(p.layers / plan.pp);
  Forward f;
  f.tokens = static_cast<double>(plan.micro_batch) * sequence / plan.cp;
  const bool has_head = m.is_generator() || work.task == workload::Task::pretrain;
  const double head = has_head ? std::max(p.head, p.embedding) : 0;
  f.matmul = flop(2 * (p.body + head) * f.tokens / split);
  f.experts = flop(2 * p.experts * p.routed_share * f.tokens / split);
  const double heads = m.heads.value_or(0) * m.head_dim.value_or(0);
  const double causal = m.is_generator() ? 0.5 : 1;
  const double full = p.layers - m.kv_window_layers.value_or(0) - m.linear_layers.value_or(0);
  const double window = std::min(sequence, m.window_tokens.value_or(sequence));
  const double reach = causal * (full * sequence + m.kv_window_layers.value_or(0) * window);
  f.attention = flop(4 * heads * reach * f.tokens / split);
  if (!plan.flash_attention)
    f.scores =
        bytes(10 * m.heads.value_or(0) * sequence * f.tokens * p.layers / split);  // written and read, 16 and 32 bit
  f.pointwise = bytes(c.pointwise_bytes.of(work.training.framework) * h * f.tokens * p.layers / split);
  f.logits = bytes(has_head ? 12 * m.vocab_size.value_or(0) * f.tokens / split : 0);
  return f;
}

/// Share of peak that products of this size reach: saturating in rows per product and in width per GPU.
double gemm_share(const Machine& machine, const TrainingPlan& plan, double rows, double width, const Coefficients& c) {
  double share = c.gemm_efficiency.of(machine.device.gpu->architecture);
  const Precision done_in = machine.device.done_in(plan.precision);
  if (done_in == Precision::fp8 || done_in == Precision::nvfp4) share *= c.low_precision_efficiency.value;
  return share * rows / (rows + c.gemm_tokens_half.value) * width / (width + c.gemm_width_half.value);
}

bool gathers_weights(Sharding sharding) {
  return sharding == Sharding::zero3 || sharding == Sharding::fsdp || sharding == Sharding::hsdp;
}

struct Group {
  int members = 1;
  int per_node = 1;
  bool crosses() const { return members > per_node; }
};

/// The data-parallel group: what the node has left after tp and cp; pipeline stages lie across nodes.
Group data_group(const Machine& machine, const TrainingPlan& plan) {
  Group group;
  group.members = plan.dp * plan.cp;
  const int stages_here = std::max(1, plan.pp * machine.gpus_per_node / machine.gpus());
  group.per_node = std::clamp(machine.gpus_per_node / (plan.tp * stages_here), 1, group.members);
  if (plan.sharding == Sharding::hsdp) group.members = group.per_node;
  return group;
}

double ring(int members) { return members > 1 ? (members - 1.0) / members : 0; }

/// Time of everything, per optimiser step.
struct Budget {
  Seconds compute;
  Seconds memory;
  Seconds launch;
  Seconds communication;
};

class StepTime {
 public:
  StepTime(const Workload& work, const Machine& machine, const TrainingPlan& plan, const Coefficients& c,
           FlopPerSecond peak)
      : work_(work), machine_(machine), plan_(plan), c_(c), peak_(peak) {}

  Seconds total() {
    forward_ = forward_pass(work_, plan_, c_);
    passes_ = passes_of(work_, plan_.checkpointing);
    const auto accum = static_cast<double>(plan_.grad_accum);
    const Seconds busy = compute_per_micro_batch();
    const Seconds exposed = tensor_traffic() + expert_traffic() + context_traffic() + gathered_weights(busy);
    const double bubble = (plan_.pp - 1) / accum;
    const Seconds gradients = gradient_traffic(busy * accum);
    const Seconds optimizer = optimizer_step();
    budget_.communication = exposed * accum + gradients;
    budget_.memory += optimizer;
    const double spread = 1 + c_.straggler.value * std::log2(std::max(1, machine_.nodes));
    return ((busy + exposed) * (accum * (1 + bubble)) + gradients + optimizer) * spread +
           seconds(c_.step_ms.value / 1000);
  }

  std::string_view bound_by() const {
    const std::array<std::pair<Seconds, std::string_view>, 4> parts{{{budget_.compute, "compute"},
                                                                     {budget_.memory, "memory-bandwidth"},
                                                                     {budget_.communication, "communication"},
                                                                     {budget_.launch, "launch"}}};
    return std::max_element(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first < b.first; })
        ->second;
  }
  const Budget& budget() const { return budget_; }
  const Forward& forward() const { return forward_; }
  const Passes& passes() const { return passes_; }

 private:
  BytesPerSecond streaming() const { return machine_.device.bandwidth * c_.bandwidth_efficiency.value; }

  Seconds compute_per_micro_batch() {
    const auto& m = *work_.model;
    const double share = gemm_share(machine_, plan_, forward_.tokens, *m.hidden_size / plan_.tp, c_);
    Seconds matmul = forward_.matmul * passes_.matmul / (peak_ * share);
    if (forward_.experts.raw() > 0) {
      // Each expert sees its share of the tokens of all ranks that hold different experts.
      const double rows = forward_.tokens * plan_.ep * work_.parameters.routed_share;
      const double width = m.moe_ffn_size.value_or(*m.hidden_size) / plan_.tp;
      matmul += forward_.experts * passes_.matmul / (peak_ * gemm_share(machine_, plan_, rows, width, c_));
    }
    const Seconds attention = plan_.flash_attention
                                  ? forward_.attention * passes_.attention / (peak_ * c_.attention_efficiency.value)
                                  : forward_.attention * 3 / (peak_ * share) + forward_.scores * 3 / streaming();
    Seconds memory = forward_.pointwise * passes_.pointwise / streaming() + forward_.logits / streaming();
    if (work_.training.method == Method::qlora)  // read 4 bit, write 16, read back: each pass over the base
      memory += bytes(4.5 * (work_.parameters.body + work_.parameters.experts) / (plan_.tp * plan_.pp)) *
                passes_.matmul / streaming();
    if (work_.training.offload == Offload::params)
      memory += bytes(2 * 2 * work_.parameters.total() / machine_.gpus()) /
                (pcie_bandwidth(*machine_.device.gpu) * c_.link_efficiency.of("pcie"));
    const Seconds launch = microseconds(c_.training_layer_us.of(work_.training.framework)) *
                           (work_.parameters.layers / plan_.pp * passes_.pointwise);
    const auto accum = static_cast<double>(plan_.grad_accum);
    budget_.compute += (matmul + attention) * accum;
    budget_.memory += memory * accum;
    // Kernels are launched ahead of the GPU: the slower of the two sets the pace.
    const Seconds on_gpu = matmul + attention + memory;
    if (launch > on_gpu) budget_.launch += (launch - on_gpu) * accum;
    return std::max(on_gpu, launch);
  }

  /// Two all-reduces per layer each way, two more when the forward pass is repeated.
  Seconds tensor_traffic() const {
    if (plan_.tp <= 1) return {};
    const bool crosses = plan_.tp > machine_.gpus_per_node;
    const double calls = (plan_.checkpointing == Checkpointing::full ? 6 : 4) * work_.parameters.layers / plan_.pp;
    const Bytes each = bytes(2 * *work_.model->hidden_size * forward_.tokens);
    const BytesPerSecond rate = group_bandwidth(machine_, std::min(plan_.tp, machine_.gpus_per_node), crosses, c_);
    return (2 * ring(plan_.tp) * each / rate + group_latency(machine_, crosses, c_)) * calls;
  }

  /// Dispatch and combine, forward and backward, of every token's experts.
  Seconds expert_traffic() const {
    if (plan_.ep <= 1 || !work_.model->is_moe()) return {};
    const bool crosses = plan_.ep * plan_.tp > machine_.gpus_per_node;
    const double calls = 4 * work_.parameters.moe_layers / plan_.pp;
    const Bytes each = bytes(2 * work_.model->experts_per_token.value_or(1) * *work_.model->hidden_size *
                             forward_.tokens * ring(plan_.ep));
    const int here = std::max(1, std::min(plan_.ep, machine_.gpus_per_node / plan_.tp));
    return (each / group_bandwidth(machine_, here, crosses, c_) + group_latency(machine_, crosses, c_)) * calls;
  }

  /// Keys and values around the ring; half of it hides behind attention.
  Seconds context_traffic() const {
    if (plan_.cp <= 1) return {};
    const auto& m = *work_.model;
    const double kv = m.kv_heads.value_or(m.heads.value_or(0)) * m.head_dim.value_or(0);
    const Bytes each = bytes(2 * 2 * kv * forward_.tokens * (plan_.cp - 1));
    const bool crosses = plan_.cp * plan_.tp > machine_.gpus_per_node;
    return each / group_bandwidth(machine_, std::max(1, machine_.gpus_per_node / plan_.tp), crosses, c_) *
           (3 * work_.parameters.layers / plan_.pp * 0.5);
  }

  /// What of `traffic` is left after the work it runs beside; the first and last pieces always show.
  Seconds exposed(Seconds traffic, Seconds beside) const {
    return std::max(traffic - beside * c_.gradient_overlap.value, traffic * c_.least_exposed.value);
  }

  double local_parameters() const {
    const auto& p = work_.parameters;
    return (p.total() - p.experts + p.experts / plan_.ep) / (static_cast<double>(plan_.tp) * plan_.pp);
  }

  /// ZeRO-3 and FSDP: all-gather forward and backward, reduce-scatter of gradients, every micro-batch.
  Seconds gathered_weights(Seconds busy) const {
    const Group group = data_group(machine_, plan_);
    if (!gathers_weights(plan_.sharding) || group.members <= 1) return {};
    const bool adapter = workload::trains_adapter(work_.training.method);
    const double width = work_.training.method == Method::qlora ? 0.52 : 2;
    const Bytes once = bytes(local_parameters() * width) * ring(group.members);
    const Seconds traffic =
        once * (adapter ? 2.0 : 3.0) / group_bandwidth(machine_, group.per_node, group.crosses(), c_) +
        group_latency(machine_, group.crosses(), c_) * (work_.parameters.layers * 3 / plan_.pp);
    return exposed(traffic, busy);
  }

  /// Gradients once per step, hidden behind the backward pass as far as they can be.
  Seconds gradient_traffic(Seconds busy) const {
    Group group = data_group(machine_, plan_);
    if (plan_.sharding == Sharding::hsdp) group.members = plan_.dp * plan_.cp;
    if (group.members <= 1 || (gathers_weights(plan_.sharding) && plan_.sharding != Sharding::hsdp)) return {};
    double parameters =
        workload::trains_adapter(work_.training.method) ? trainable_parameters(work_) : local_parameters();
    if (plan_.sharding == Sharding::hsdp) parameters /= group.per_node;
    const Bytes all = bytes(2 * parameters) * (2 * ring(group.members));
    const Seconds traffic = all / group_bandwidth(machine_, group.per_node, group.crosses(), c_) +
                            group_latency(machine_, group.crosses(), c_) * 10;
    return exposed(traffic, busy * (2.0 / 3));  // the backward pass
  }

  /// Weights, gradients and states read and written once: about 30 bytes per parameter.
  Seconds optimizer_step() const {
    double parameters =
        workload::trains_adapter(work_.training.method) ? trainable_parameters(work_) : local_parameters();
    if (plan_.sharding != Sharding::none && plan_.sharding != Sharding::ddp) parameters /= plan_.dp * plan_.cp;
    if (work_.training.offload == Offload::none) return bytes(30 * parameters) / streaming();
    return bytes(4 * parameters) / (pcie_bandwidth(*machine_.device.gpu) * c_.link_efficiency.of("pcie")) +
           bytes(30 * parameters) / gb_per_s(c_.host_memory_gbs.value);
  }

  const Workload& work_;
  const Machine& machine_;
  const TrainingPlan& plan_;
  const Coefficients& c_;
  FlopPerSecond peak_;
  Forward forward_;
  Passes passes_;
  Budget budget_;
};

void explain(const StepTime& time, const TrainingPlan& plan, const TrainingSpeed& speed, FlopPerSecond peak,
             Trace& trace) {
  const auto ms = [](Seconds s) { return format("{:.1f} ms", in_ms(s)); };
  const Forward& f = time.forward();
  trace.push_back({"training.compute",
                   say("2 × active parameters × tokens × passes ÷ (peak × utilisation), and attention"),
                   say("{:.3g} FLOP forward × {:g} passes, peak {:.0f} TFLOPS", (f.matmul + f.experts).raw(),
                       time.passes().matmul, peak.raw() / 1e12),
                   ms(time.budget().compute), "docs/method.md"});
  trace.push_back({"training.memory_bound", say("bytes of pointwise kernels, logits and optimiser ÷ bandwidth"),
                   say("{:.3g} GB forward per micro-batch, {} per step", f.pointwise.raw() / 1e9, plan.grad_accum),
                   ms(time.budget().memory), "docs/method.md"});
  trace.push_back({"training.communication", say("ring collectives of tp, dp, ep and cp that nothing hides"),
                   format("tp {}, pp {}, cp {}, ep {}, dp {}", plan.tp, plan.pp, plan.cp, plan.ep, plan.dp),
                   ms(time.budget().communication), "docs/method.md"});
  trace.push_back(
      {"training.step_time", say("(compute + exposed communication) × (1 + bubble) + gradients + optimiser"),
       say("{} micro-batches, bubble {:.3f}", plan.grad_accum, (plan.pp - 1) / static_cast<double>(plan.grad_accum)),
       ms(speed.step), "docs/method.md"});
}

}  // namespace

std::optional<TrainingSpeed> training_speed(const Workload& work, const Machine& machine, const TrainingPlan& plan,
                                            const Coefficients& coefficients, Trace* trace) {
  const auto peak = machine.device.peak(plan.precision);
  if (!peak) return std::nullopt;
  StepTime time(work, machine, plan, coefficients, *peak);
  TrainingSpeed speed;
  speed.step = time.total();
  const auto samples = static_cast<double>(plan.global_batch());
  const auto sequence = static_cast<double>(work.training.seq_len);
  speed.samples_per_s = samples / speed.step.raw();
  speed.tokens_per_s = speed.samples_per_s * sequence;
  speed.tokens_per_s_per_gpu = speed.tokens_per_s / machine.gpus();
  // Useful work over all GPUs: what one forward pass does on one GPU, times the GPUs that share it.
  const Forward& forward = time.forward();
  const double per_micro = (forward.matmul + forward.experts + forward.attention).raw() * time.passes().useful;
  const double work_done = per_micro * static_cast<double>(plan.grad_accum);
  speed.model_tflops_per_gpu = work_done / speed.step.raw() / 1e12;
  speed.mfu = work_done / speed.step.raw() / peak->raw();
  speed.bound_by = time.bound_by();
  if (trace != nullptr) explain(time, plan, speed, *peak, *trace);
  return speed;
}

}  // namespace gpusel::estimate
