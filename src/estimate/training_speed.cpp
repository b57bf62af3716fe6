#include <algorithm>
#include <array>
#include <cmath>

#include "gpusel/base/message.hpp"
#include "gpusel/estimate/training.hpp"

#include "estimate/training_traffic.hpp"
#include "estimate/uniform_memory.hpp"

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

Passes passes_of(const Workload& work, const TrainingPlan& plan) {
  Passes passes;
  if (workload::trains_adapter(work.training.method)) passes.matmul = passes.useful = 2;  // no weight gradients
  if (plan.checkpointing == Checkpointing::full) {
    passes.matmul += plan.recomputed;
    passes.attention += plan.recomputed;
    passes.pointwise += plan.recomputed;
  } else if (plan.checkpointing == Checkpointing::selective) {
    passes.attention += 1;
    passes.pointwise += 0.5;
  }
  return passes;
}

/// Work and traffic of one forward pass of one micro-batch on one GPU.
struct Forward {
  double tokens = 0;  // on this GPU
  Flop matmul;        // dense layers, shared experts and output head
  Flop experts;       // routed experts, padded to their capacity
  Flop useful_experts;
  Flop attention;
  Flop useful_attention;  // without what a mask throws away
  Bytes scores;           // moved where attention is not fused
  Bytes pointwise;
  Bytes logits;
};

bool is_wide(Precision precision) { return precision == Precision::fp32 || precision == Precision::tf32; }

Forward forward_pass(const TrainingJob& job, const TrainingRates& rates, const TrainingPlan& plan) {
  const Workload& work = job.work;
  const auto& m = *work.model;
  const auto& p = work.parameters;
  const double h = *m.hidden_size;
  const SequenceShape& shape = job.sequence;
  // The fullest pipeline stage sets the pace.
  const double split = plan.tp * p.layers / std::ceil(p.layers / plan.pp);
  const double wide = is_wide(plan.precision) ? 2 : 1;
  Forward f;
  const double sequences = static_cast<double>(plan.micro_batch) / plan.cp;
  f.tokens = sequences * shape.rows;
  const bool has_head = m.is_generator() || work.task == workload::Task::pretrain;
  const double head = has_head ? std::max(p.head, p.embedding) : 0;
  f.matmul = flop(2 * (p.body * f.tokens + head * sequences * shape.targets) / split);
  f.useful_experts = flop(2 * p.experts * p.routed_share * f.tokens / split);
  f.experts = f.useful_experts * work.training.capacity_factor;
  const double heads = m.heads.value_or(0);
  const double per_key = 2 * (job.widths.q + job.widths.o);  // scores, and the sum of values they weigh
  f.useful_attention = flop(per_key * shape.attended * f.tokens / split);
  f.attention = f.useful_attention;
  if (!plan.flash_attention) {  // whole square of scores, of which a mask drops half; each written and read
    f.attention = flop(per_key * shape.all_keys * f.tokens / split);
    f.scores = bytes(job.score_bytes * wide * heads * shape.all_keys * f.tokens / split);
  }
  const double between = job.pointwise_bytes * wide;
  const bool adapters = workload::trains_adapter(work.training.method);
  const double beside = adapters ? job.adapter_bytes : 0;
  f.pointwise = bytes((between + rates.cast_bytes + beside) * h * f.tokens * p.layers / split);
  // Every routed copy of a token is gathered, scattered and weighted around its expert.
  f.pointwise += bytes(job.c.expert_bytes.value * wide * h * m.experts_per_token.value_or(1) *
                       work.training.capacity_factor * f.tokens * p.moe_layers / split);
  if (has_head)
    f.logits = bytes(job.logit_traffic * wide * m.vocab_size.value_or(0) * sequences * shape.targets / split);
  return f;
}

/// Share of peak that products of this size reach: saturating in rows per product and in width per GPU.
double gemm_share(const TrainingRates& rates, double rows, double width, const Coefficients& c) {
  return rates.products * rows / (rows + c.gemm_tokens_half.value) * width / (width + c.gemm_width_half.value);
}

/// What a step is made of.
struct StepParts {
  // Of one micro-batch on one GPU:
  Seconds products, attention, memory, fetched, launch;
  Seconds on_gpu;
  Seconds busy;
  TrainingTraffic::Shown traffic;
  // Of one step:
  Seconds gradients, optimizer, orthogonal;
  double spread = 0;  // the slowest of all nodes
  Seconds fixed;
};

class StepTime {
 public:
  StepTime(const TrainingJob& job, const TrainingRates& rates, const Machine& machine, const TrainingPlan& plan,
           FlopPerSecond peak)
      : job_(job),
        rates_(rates),
        work_(job.work),
        machine_(machine),
        plan_(plan),
        c_(job.c),
        peak_(peak),
        traffic_(job, rates, machine, plan) {}

  Seconds total() {
    forward_ = forward_pass(job_, rates_, plan_);
    passes_ = passes_of(work_, plan_);
    const auto accum = static_cast<double>(plan_.grad_accum);
    const Seconds attention = attention_time();
    const Seconds busy = compute_per_micro_batch(attention);
    parts_.busy = busy;
    parts_.traffic = traffic_.per_micro_batch({forward_.tokens, busy, attention * (busy / parts_.on_gpu)});
    const Seconds exposed = parts_.traffic.total();
    const Seconds gradients = parts_.gradients = traffic_.per_step(busy);
    const Seconds streamed = parts_.optimizer = optimizer_step();
    const Seconds products = parts_.orthogonal = orthogonalisation();
    budget_.communication = exposed * accum + gradients;
    (work_.training.offload == Offload::none ? budget_.memory : budget_.host) += streamed;
    budget_.compute += products;
    const double spread = parts_.spread = 1 + c_.straggler.value * std::log2(machine_.nodes);
    parts_.fixed = seconds(c_.step_ms.value / 1000);
    budget_.bubble = (busy + exposed) * (accum * bubble());
    return ((busy + exposed) * (accum * (1 + bubble())) + gradients + streamed + products) * spread + parts_.fixed;
  }

  std::string_view bound_by() const {
    const auto parts = budget_.bounds();
    return std::max_element(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first < b.first; })
        ->second;
  }
  /// Idle share of a pipeline while it fills and drains, against the work: (p − 1) ÷ (a · chunks).
  double bubble() const { return (plan_.pp - 1) / (static_cast<double>(plan_.grad_accum) * job_.chunks(plan_)); }
  double chunks() const { return job_.chunks(plan_); }
  const StepBudget& budget() const { return budget_; }
  const StepParts& parts() const { return parts_; }
  const Forward& forward() const { return forward_; }
  const Passes& passes() const { return passes_; }

 private:
  BytesPerSecond streaming() const { return machine_.device.bandwidth * c_.bandwidth_efficiency.value; }

  Seconds attention_time() const {
    if (plan_.flash_attention)
      return forward_.attention * passes_.attention / (rates_.attention_peak * rates_.attention * eager_share());
    const double share = gemm_share(rates_, forward_.tokens, *work_.model->hidden_size / plan_.tp, c_);
    return (forward_.attention / (peak_ * share) + forward_.scores / streaming()) * passes_.pointwise;
  }

  Seconds compute_per_micro_batch(Seconds attention) {
    const auto& m = *work_.model;
    const double share = gemm_share(rates_, forward_.tokens, *m.hidden_size / plan_.tp, c_) * eager_share();
    Seconds matmul = forward_.matmul * passes_.matmul / (peak_ * share);
    if (forward_.experts > Flop{}) {
      // Each expert sees its share of the tokens of all ranks that hold different experts.
      const double rows = forward_.tokens * plan_.ep * work_.parameters.routed_share;
      const double width = m.moe_ffn_size.value_or(*m.hidden_size) / plan_.tp;
      matmul += forward_.experts * passes_.matmul / (peak_ * gemm_share(rates_, rows, width, c_) * eager_share());
    }
    Seconds memory = forward_.pointwise * passes_.pointwise / streaming() + forward_.logits / streaming();
    if (work_.training.method == Method::qlora)  // the frozen weights are widened anew in each pass
      memory += bytes(c_.dequantise_bytes.value * (work_.parameters.body + work_.parameters.experts) /
                      (plan_.tp * plan_.pp)) *
                passes_.matmul / streaming();
    const Seconds fetched = fetched_weights();
    const Seconds launch = microseconds(job_.layer_us) * (work_.parameters.layers / plan_.pp * passes_.pointwise);
    const auto accum = static_cast<double>(plan_.grad_accum);
    budget_.compute += (matmul + attention) * accum;
    budget_.memory += memory * accum;
    budget_.host += fetched * accum;
    parts_.products = matmul;
    parts_.attention = attention;
    parts_.memory = memory;
    parts_.fetched = fetched;
    parts_.launch = launch;
    // Kernels are launched ahead of the GPU: the slower of the two sets the pace.
    const Seconds on_gpu = parts_.on_gpu = matmul + attention + memory + fetched;
    if (launch > on_gpu) budget_.launch += (launch - on_gpu) * accum;
    return std::max(on_gpu, launch);
  }

  /// Offloaded weights come twice, for the forward and the backward pass, each GPU bringing its share.
  Seconds fetched_weights() const {
    if (work_.training.offload != Offload::params) return {};
    return bytes(2 * 2 * work_.parameters.total() / machine_.gpus()) /
           (pcie_bandwidth(*machine_.device.gpu) * c_.link_efficiency.of("pcie"));
  }

  /// What is left of a fast GPU's rate where layers are not fused: gaps, synchronisation and heat.
  double eager_share() const { return job_.framework.megatron_core ? 1 : rates_.eager; }

  double updated_parameters() const {
    const double parameters =
        workload::trains_adapter(work_.training.method) ? job_.trainable : local_parameters(work_, plan_);
    return plan_.sharding == Sharding::none || plan_.sharding == Sharding::ddp ? parameters
                                                                               : parameters / (plan_.dp * plan_.cp);
  }

  /// Weights, gradients and states read and written once: about 30 bytes per parameter.
  Seconds optimizer_step() const {
    const double parameters = updated_parameters();
    if (work_.training.offload == Offload::none) return bytes(30 * parameters) / streaming();
    return bytes(4 * parameters) / (pcie_bandwidth(*machine_.device.gpu) * c_.link_efficiency.of("pcie")) +
           bytes(30 * parameters) / gb_per_s(c_.host_memory_gbs.value * host_share());
  }

  /// Of a socket's memory bandwidth: the GPUs of a node share two.
  double host_share() const { return std::min(1.0, 2.0 / machine_.gpus_per_node); }

  /// Muon's update of a matrix of m rows and n ≥ m columns: five Newton–Schulz steps of 4·m²·n + 2·m³ FLOP
  /// (K. Jordan et al., 2024), which is so much per parameter.
  Seconds orthogonalisation() const {
    const auto& m = *work_.model;
    if (work_.training.optimizer != workload::Optimizer::muon || workload::trains_adapter(work_.training.method))
      return {};
    const double ffn = m.is_moe() ? m.moe_ffn_size.value_or(*m.hidden_size) : m.ffn_size.value_or(*m.hidden_size);
    const double rows = std::min(*m.hidden_size, ffn);
    const double columns = std::max(*m.hidden_size, ffn);
    const double matrices = (work_.parameters.body + work_.parameters.experts) / work_.parameters.total();
    const Flop work = flop(5 * (4 * rows + 2 * rows * rows / columns) * matrices * updated_parameters());
    return work / (peak_ * gemm_share(rates_, rows, rows, c_));
  }

  const TrainingJob& job_;
  const TrainingRates& rates_;
  const Workload& work_;
  const Machine& machine_;
  const TrainingPlan& plan_;
  const Coefficients& c_;
  FlopPerSecond peak_;
  TrainingTraffic traffic_;
  Forward forward_;
  Passes passes_;
  StepBudget budget_;
  StepParts parts_;
};

class StepTrace {
 public:
  StepTrace(const StepTime& time, const Workload& work, const TrainingPlan& plan, Trace& trace)
      : time_(time), parts_(time.parts()), work_(work), plan_(plan), trace_(trace) {}

  void write(const TrainingSpeed& speed, FlopPerSecond peak) {
    compute(peak);
    memory_and_traffic();
    step(speed);
  }

 private:
  static Figure ms(Seconds s) { return shown("{:.1f}", in_ms(s), "ms"); }
  static std::string in(Seconds s) { return format("{:.5g} ms", in_ms(s)); }
  void add(std::string quantity, std::string formula, std::string substituted, Figure value) {
    trace_.push_back(
        {std::move(quantity), std::move(formula), std::move(substituted), std::move(value), "docs/method.md"});
  }

  void compute(FlopPerSecond peak) {
    const Forward& f = time_.forward();
    add("training.compute", say("(products + attention) × micro-batches + orthogonalisation"),
        format("({} + {}) × {} + {}", in(parts_.products), in(parts_.attention), plan_.grad_accum,
               in(parts_.orthogonal)),
        ms(time_.budget().compute));
    const double flops = (f.matmul + f.experts).raw() * time_.passes().matmul;
    const double reached = flops / std::max(1e-9, parts_.products.raw() * peak.raw());
    add("training.compute.products",
        say("2 × active parameters × {:g} tokens of a micro-batch on this GPU × passes ÷ (peak × share reached)",
            f.tokens),
        format("{:.5g} TFLOP × {:g} ÷ ({:.5g} TFLOPS × {:.4g})", (f.matmul + f.experts).raw() / 1e12,
               time_.passes().matmul, peak.raw() / 1e12, reached),
        ms(parts_.products));
    if (plan_.flash_attention && parts_.attention > Seconds{})
      add("training.compute.attention", say("scores and sums of a micro-batch × passes ÷ rate of fused attention"),
          format("{:.5g} TFLOP × {:g} ÷ {:.5g} TFLOPS", f.attention.raw() / 1e12, time_.passes().attention,
                 f.attention.raw() * time_.passes().attention / parts_.attention.raw() / 1e12),
          ms(parts_.attention));
  }

  void memory_and_traffic() {
    const bool here = work_.training.offload == Offload::none;
    add("training.memory_bound", say("pointwise kernels and logits × micro-batches + optimiser"),
        format("{} × {} + {}", in(parts_.memory), plan_.grad_accum, in(here ? parts_.optimizer : Seconds{})),
        ms(time_.budget().memory));
    const TrainingTraffic::Shown& t = parts_.traffic;
    add("training.communication",
        say("what nothing hides: (tp {} + ep {} + cp {} + pp {} + gathered weights) × micro-batches + gradients of dp "
            "{}",
            plan_.tp, plan_.ep, plan_.cp, plan_.pp, plan_.dp),
        format("({} + {} + {} + {} + {}) × {} + {}", in(t.tensor), in(t.experts), in(t.context), in(t.stages),
               in(t.weights), plan_.grad_accum, in(parts_.gradients)),
        ms(time_.budget().communication));
  }

  void step(const TrainingSpeed& speed) {
    add("training.step_time",
        say("((computing + exposed communication) × micro-batches × (1 + bubble) + gradients + optimiser + "
            "orthogonalisation) × slowest of the nodes + per step"),
        format("(({} + {}) × {} × (1 + {:.5g}) + {} + {} + {}) × {:.5g} + {}", in(parts_.busy),
               in(parts_.traffic.total()), plan_.grad_accum, time_.bubble(), in(parts_.gradients), in(parts_.optimizer),
               in(parts_.orthogonal), parts_.spread, in(parts_.fixed)),
        ms(speed.step));
    add("training.step_time.micro_batch",
        say("max(products + attention + pointwise and logits + weights from the host, launching)"),
        format("max({} + {} + {} + {}, {})", in(parts_.products), in(parts_.attention), in(parts_.memory),
               in(parts_.fetched), in(parts_.launch)),
        ms(parts_.busy));
    if (plan_.pp > 1)
      add("training.step_time.bubble", say("(stages − 1) ÷ (micro-batches × chunks of a stage)"),
          format("({} − 1) ÷ ({} × {:g})", plan_.pp, plan_.grad_accum, time_.chunks()),
          shown("{:.4f}", time_.bubble()));
    add("training.tokens_per_s", say("sequences per step × tokens of one ÷ step"),
        format("{} × {:.6g} ÷ {:.6g} s", plan_.global_batch(), speed.tokens_per_s / speed.samples_per_s,
               speed.step.raw()),
        shown("{:.1f}", speed.tokens_per_s, "tokens/s"));
  }

  const StepTime& time_;
  const StepParts& parts_;
  const Workload& work_;
  const TrainingPlan& plan_;
  Trace& trace_;
};

}  // namespace

std::optional<TrainingSpeed> training_speed(const Workload& work, const Machine& machine, const TrainingPlan& plan,
                                            const Coefficients& coefficients, Trace* trace) {
  return training_speed(TrainingJob(work, coefficients), TrainingRates(machine, plan.precision, coefficients), machine,
                        plan, trace);
}

std::optional<TrainingSpeed> training_speed(const TrainingJob& job, const TrainingRates& rates, const Machine& machine,
                                            const TrainingPlan& plan, Trace* trace) {
  const auto& peak = rates.peak;
  if (!peak) return std::nullopt;
  StepTime time(job, rates, machine, plan, *peak);
  TrainingSpeed speed;
  speed.step = time.total();
  const auto samples = static_cast<double>(plan.global_batch());
  speed.samples_per_s = samples / speed.step.raw();
  speed.tokens_per_s = speed.samples_per_s * job.sequence.counted;
  speed.tokens_per_s_per_gpu = speed.tokens_per_s / machine.gpus();
  // Useful work over all GPUs: what one forward pass does on one GPU, times the GPUs that share it.
  const Forward& forward = time.forward();
  const double per_micro =
      (forward.matmul + forward.useful_experts + forward.useful_attention).raw() * time.passes().useful;
  const double work_done = per_micro * static_cast<double>(plan.grad_accum);
  speed.model_tflops_per_gpu = work_done / speed.step.raw() / 1e12;
  speed.mfu = work_done / speed.step.raw() / peak->raw();
  speed.bound_by = time.bound_by();
  speed.budget = time.budget();
  if (trace != nullptr) StepTrace(time, job.work, plan, *trace).write(speed, *peak);
  return speed;
}

}  // namespace gpusel::estimate
