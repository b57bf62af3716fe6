#include <algorithm>
#include <cmath>

#include "physics/training/training.hpp"

#include "physics/own.hpp"
#include "physics/training/training_traffic.hpp"
#include "physics/training/uniform_memory.hpp"

namespace gpusel::physics {

namespace {

using job::Checkpointing;
using job::Job;
using job::Method;
using job::Offload;
using job::Precision;
using job::Sharding;

/// How often each kind of work is done per micro-batch, in units of one forward pass.
struct Passes {
  double matmul = 3;       // forward, and backward for inputs and weights
  double attention = 3.5;  // fused backward recomputes the scores: arXiv 2307.08691
  double pointwise = 3;
  double useful = 3;  // without recomputation
};

Passes passes_of(const Job& work, const Layout& layout) {
  Passes passes;
  if (job::trains_adapter(work.training.method)) passes.matmul = passes.useful = 2;  // no weight gradients
  if (layout.checkpointing == Checkpointing::full) {
    passes.matmul += layout.recomputed;
    passes.attention += layout.recomputed;
    passes.pointwise += layout.recomputed;
  } else if (layout.checkpointing == Checkpointing::selective) {
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

Forward forward_pass(const TrainingJob& job, const TrainingRates& rates, const Layout& layout) {
  const Job& work = job.work;
  const auto& m = *work.model;
  const auto& p = work.parameters;
  const double h = *m.hidden_size;
  const SequenceShape& shape = job.sequence;
  // The fullest pipeline stage sets the pace.
  const double split = layout.tp * p.layers / std::ceil(p.layers / layout.pp);
  const double wide = is_wide(layout.precision) ? 2 : 1;
  Forward f;
  const double sequences = static_cast<double>(layout.micro_batch) / layout.cp;
  f.tokens = sequences * shape.rows;
  const bool has_head = m.is_generator() || work.task == job::Task::pretrain;
  const double head = has_head ? std::max(p.head, p.embedding) : 0;
  f.matmul = flop(2 * (p.body * f.tokens + head * sequences * shape.targets) / split);
  f.useful_experts = flop(2 * p.experts * p.routed_share * f.tokens / split);
  f.experts = f.useful_experts * work.training.capacity_factor;
  const double heads = m.heads.value_or(0);
  const double per_key = 2 * (job.widths.q + job.widths.o);  // scores, and the sum of values they weigh
  f.useful_attention = flop(per_key * shape.attended * f.tokens / split);
  f.attention = f.useful_attention;
  if (!layout.flash_attention) {  // whole square of scores, of which a mask drops half; each written and read
    f.attention = flop(per_key * shape.all_keys * f.tokens / split);
    f.scores = bytes(job.score_bytes * wide * heads * shape.all_keys * f.tokens / split);
  }
  const double between = job.pointwise_bytes * wide;
  const bool adapters = job::trains_adapter(work.training.method);
  const double beside = adapters ? job.adapter_bytes : 0;
  f.pointwise = bytes((between + (job.framework.megatron_core() ? rates.cast_bytes : rates.loose_cast_bytes) + beside) *
                      h * f.tokens * p.layers / split);
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

class StepTime {
 public:
  StepTime(const TrainingJob& job, const TrainingRates& rates, const Machine& machine, const Layout& layout,
           FlopPerSecond peak, Trace* trace)
      : job_(job),
        rates_(rates),
        work_(job.work),
        machine_(machine),
        layout_(layout),
        c_(job.c),
        peak_(peak),
        traffic_(job, rates, machine, layout),
        trace_(trace) {}

  Seconds total() {
    forward_ = forward_pass(job_, rates_, layout_);
    passes_ = passes_of(work_, layout_);
    const auto accum = static_cast<double>(layout_.grad_accum);
    const Seconds products = product_time();
    const Seconds attention = attention_time();
    const Seconds kernels = memory_time();
    const Seconds busy = compute_per_micro_batch(products, attention, kernels);
    const auto shown = traffic_.per_micro_batch({forward_.tokens, busy, attention * (busy / on_gpu_)});
    const Seconds exposed = shown.total();
    const Seconds gradients = traffic_.per_step(busy);
    const Seconds optimizer = optimizer_step();
    const Seconds orthogonal = orthogonalisation();
    const bool here = work_.training.offload == Offload::none;
    budget_.compute = timed("training.compute", [&](auto told) {
      return (told("products", products) + told("attention", attention)) * told("micro-batches", accum) +
             told.some("orthogonalisation", orthogonal);
    });
    budget_.memory = timed("training.memory_bound", [&](auto told) {
      return told("kernels without products", kernels) * told("micro-batches", accum) +
             told.some("optimizer", here ? optimizer : Seconds{});
    });
    if (!here) budget_.host += optimizer;
    budget_.communication = timed("training.communication", [&](auto told) {
      return shown.sum(told) * told("micro-batches", accum) + told.some("gradients", gradients);
    });
    const double idle = bubble();
    budget_.bubble = (busy + exposed) * (accum * idle);
    const double scale = step_scale(work_, machine_.device, layout_, c_);
    for (Seconds* part :
         {&budget_.compute, &budget_.memory, &budget_.communication, &budget_.launch, &budget_.host, &budget_.bubble})
      *part = *part * scale;
    return timed("training.step_time", [&](auto told) {
      const auto step =
          ((told("micro-batch", busy) + told.some("exposed communication", exposed)) *
               (told("micro-batches", accum) * (1 + told("bubble", idle))) +
           told.some("gradients", gradients) + told.some("optimizer", optimizer) +
           told.some("orthogonalisation", orthogonal)) *
              told("the slowest node", 1 + c_.straggler.value * std::log2(machine_.nodes)) +
          told("per step", seconds(c_.step_ms.either(work_.training.framework, to_text(job_.code)) / 1000));
      return scale == 1 ? step : step * told("steps by your own measurements", scale);
    });
  }

  std::string_view bound_by() const {
    const auto parts = budget_.bounds();
    return std::max_element(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first < b.first; })
        ->second;
  }
  const StepBudget& budget() const { return budget_; }
  const Forward& forward() const { return forward_; }
  const Passes& passes() const { return passes_; }

 private:
  template <class Made>
  Seconds timed(std::string_view quantity, const Made& made) const {
    return record(trace_, {quantity, "{:.1f}", "ms"}, made);
  }
  BytesPerSecond streaming() const { return machine_.device.bandwidth * c_.bandwidth_efficiency.value; }

  /// Idle share of a pipeline while it fills and drains, against the work.
  double bubble() const {
    Trace* const trace = layout_.pp > 1 ? trace_ : nullptr;
    return record(trace, {"training.step_time.bubble", "{:.4f}"}, [&](auto told) {
      return (told("stages", layout_.pp) - 1) /
             (told("micro-batches", layout_.grad_accum) * told("chunks of a stage", job_.chunks(layout_)));
    });
  }

  Seconds attention_time() const {
    constexpr std::string_view kAttention = "training.compute.attention";
    if (layout_.flash_attention)
      return timed(kAttention, [&](auto told) {
        return told("scores and sums", forward_.attention) * told("passes", passes_.attention) /
               (told("16-bit peak", rates_.attention_peak) * told("share reached", rates_.attention) *
                told("share left without fused layers", eager_share()));
      });
    return timed(kAttention, [&](auto told) {
      const auto rate =
          told("peak", peak_) *
          told("share reached", gemm_share(rates_, forward_.tokens, *work_.model->hidden_size / layout_.tp, c_));
      return (told("scores and sums", forward_.attention) / rate +
              told("scores moved", forward_.scores) / told("bandwidth", streaming())) *
             told("passes", passes_.pointwise);
    });
  }

  Seconds product_time() const {
    const auto& m = *work_.model;
    return timed("training.compute.products", [&](auto told) {
      const auto passes = told("passes", passes_.matmul);
      const auto peak = told("peak", peak_);
      const double share = gemm_share(rates_, forward_.tokens, *m.hidden_size / layout_.tp, c_) * eager_share();
      const auto dense =
          told("FLOP of a micro-batch on this GPU", forward_.matmul) * passes / (peak * told("share reached", share));
      if (forward_.experts <= Flop{}) return dense;
      // Each expert sees its share of the tokens of all ranks that hold different experts.
      const double rows = forward_.tokens * layout_.ep * work_.parameters.routed_share;
      const double width = m.moe_ffn_size.value_or(*m.hidden_size) / layout_.tp;
      return dense + told("FLOP of experts", forward_.experts) * passes /
                         (peak * told("share reached", gemm_share(rates_, rows, width, c_)) *
                          told("share left without fused layers", eager_share()));
    });
  }

  /// Kernels that do no products, logits, and the frozen weights that QLoRA widens anew in each pass.
  Seconds memory_time() const {
    return timed("training.memory_bound.micro_batch", [&](auto told) {
      const auto rate = told("bandwidth", streaming());
      const auto kernels = told("pointwise kernels", forward_.pointwise) * told("passes", passes_.pointwise) / rate +
                           told("logits", forward_.logits) / rate;
      if (work_.training.method != Method::qlora) return kernels;
      const Bytes widened = bytes(c_.dequantise_bytes.value * (work_.parameters.body + work_.parameters.experts) /
                                  (layout_.tp * layout_.pp));
      return kernels + told("widened weights", widened) * told("passes", passes_.matmul) / rate;
    });
  }

  /// Kernels are launched ahead of the GPU: the slower of the two sets the pace.
  Seconds compute_per_micro_batch(Seconds products, Seconds attention, Seconds kernels) {
    const Seconds fetched = fetched_weights();
    const Seconds launch = microseconds(job_.layer_us) * (work_.parameters.layers / layout_.pp * passes_.pointwise);
    const auto accum = static_cast<double>(layout_.grad_accum);
    on_gpu_ = products + attention + kernels + fetched;
    budget_.host = fetched * accum;
    const Seconds beside = std::min(launch, on_gpu_) * job_.launch_exposed;
    budget_.launch = (std::max(launch - on_gpu_, Seconds{}) + beside) * accum;
    return timed("training.step_time.micro_batch", [&](auto told) {
      return greatest(told("products", products) + told("attention", attention) +
                          told("kernels without products", kernels) + told.some("weights from the host", fetched),
                      told("launching", launch)) +
             told.some("non-overlapped part of the shorter one", beside);
    });
  }

  /// Offloaded weights come twice, for the forward and the backward pass, each GPU bringing its share.
  Seconds fetched_weights() const {
    if (work_.training.offload != Offload::params) return {};
    return bytes(2 * 2 * work_.parameters.total() / machine_.gpus()) /
           (pcie_bandwidth(*machine_.device.gpu) * c_.link_efficiency.of("pcie"));
  }

  /// What is left of a fast GPU's rate where layers are not fused: gaps, synchronisation and heat.
  double eager_share() const { return job_.framework.megatron_core() ? 1 : rates_.eager; }

  double updated_parameters() const {
    const double parameters =
        job::trains_adapter(work_.training.method) ? job_.trainable : local_parameters(work_, layout_);
    return layout_.sharding == Sharding::none || layout_.sharding == Sharding::ddp
               ? parameters
               : parameters / (layout_.dp * layout_.cp);
  }

  /// Weights, gradients and states read and written once: about 30 bytes per parameter, or half of it at 16 bit.
  Seconds optimizer_step() const {
    const double parameters = updated_parameters();
    const bool pure = work_.training.recipe == job::Recipe::pure && !job::trains_adapter(work_.training.method);
    if (work_.training.offload == Offload::none) return bytes((pure ? 15 : 30) * parameters) / streaming();
    return bytes(4 * parameters) / (pcie_bandwidth(*machine_.device.gpu) * c_.link_efficiency.of("pcie")) +
           bytes(30 * parameters) / gb_per_s(c_.host_memory_gbs.value * host_share());
  }

  /// Of a socket's memory bandwidth: the GPUs of a node share two.
  double host_share() const { return std::min(1.0, 2.0 / machine_.gpus_per_node); }

  /// Muon's update of a matrix of m rows and n ≥ m columns: five Newton–Schulz steps of 4·m²·n + 2·m³ FLOP
  /// (K. Jordan et al., 2024), which is so much per parameter.
  Seconds orthogonalisation() const {
    const auto& m = *work_.model;
    if (work_.training.optimizer != job::Optimizer::muon || job::trains_adapter(work_.training.method)) return {};
    const double ffn = m.is_moe() ? m.moe_ffn_size.value_or(*m.hidden_size) : m.ffn_size.value_or(*m.hidden_size);
    const double rows = std::min(*m.hidden_size, ffn);
    const double columns = std::max(*m.hidden_size, ffn);
    const double matrices = (work_.parameters.body + work_.parameters.experts) / work_.parameters.total();
    const Flop work = flop(5 * (4 * rows + 2 * rows * rows / columns) * matrices * updated_parameters());
    return work / (peak_ * gemm_share(rates_, rows, rows, c_));
  }

  const TrainingJob& job_;
  const TrainingRates& rates_;
  const Job& work_;
  const Machine& machine_;
  const Layout& layout_;
  const Coefficients& c_;
  FlopPerSecond peak_;
  TrainingTraffic traffic_;
  Trace* trace_;
  Forward forward_;
  Passes passes_;
  StepBudget budget_;
  Seconds on_gpu_;  // of a micro-batch, whatever the host takes
};

}  // namespace

std::optional<TrainingSpeed> training_speed(const Job& work, const Machine& machine, const Layout& layout,
                                            const Coefficients& coefficients, Trace* trace) {
  return training_speed(TrainingJob(work, coefficients), TrainingRates(machine, layout.precision, coefficients),
                        machine, layout, trace);
}

std::optional<TrainingSpeed> training_speed(const TrainingJob& job, const TrainingRates& rates, const Machine& machine,
                                            const Layout& layout, Trace* trace) {
  const auto& peak = rates.peak;
  if (!peak) return std::nullopt;
  StepTime time(job, rates, machine, layout, *peak, trace);
  TrainingSpeed speed;
  speed.step = time.total();
  const auto samples = static_cast<double>(layout.global_batch());
  speed.samples_per_s = samples / speed.step.raw();
  speed.tokens_per_s = record(trace, {"training.tokens_per_s", "{:.1f}", "tokens/s"}, [&](auto told) {
    return told("sequences of a step", samples) / told("step", speed.step.raw(), "s") *
           told("tokens of one", job.sequence.counted);
  });
  speed.tokens_per_s_per_gpu = speed.tokens_per_s / machine.gpus();
  // Useful work over all GPUs: what one forward pass does on one GPU, times the GPUs that share it.
  const Forward& forward = time.forward();
  const double per_micro =
      (forward.matmul + forward.useful_experts + forward.useful_attention).raw() * time.passes().useful;
  const double work_done = per_micro * static_cast<double>(layout.grad_accum);
  speed.model_tflops_per_gpu = work_done / speed.step.raw() / 1e12;
  speed.mfu = work_done / speed.step.raw() / peak->raw();
  speed.bound_by = time.bound_by();
  speed.budget = time.budget();
  return speed;
}

}  // namespace gpusel::physics
