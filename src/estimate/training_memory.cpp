#include <algorithm>
#include <cmath>

#include "gpusel/base/message.hpp"
#include "gpusel/estimate/training.hpp"

#include "estimate/training_traffic.hpp"

namespace gpusel::estimate {

namespace {

using workload::Checkpointing;
using workload::Method;
using workload::Offload;
using workload::Optimizer;
using workload::Precision;
using workload::Recipe;
using workload::Sharding;
using workload::Training;
using workload::Workload;

/// NF4 with double quantisation: 4 + 8/64 + 32/(64·256) bits (arXiv 2305.14314).
constexpr double kNf4Bytes = 4.127 / 8;
/// PEFT keeps adapters in fp32: weight 4, gradient 4, Adam 8.
constexpr double kAdapterBytes = 4;

double storage_bytes(Precision precision) {
  return precision == Precision::fp32 || precision == Precision::tf32 ? 4 : 2;
}

/// Optimiser states per parameter when kept at `width` bytes per value.
double state_bytes(Optimizer optimizer, double width) {
  switch (optimizer) {
    case Optimizer::adamw:
    case Optimizer::lamb: return 2 * width;
    case Optimizer::adamw8bit: return 2.06;     // two bytes and block scales
    case Optimizer::paged_adamw8bit: return 0;  // in unified memory: makes room when it is needed
    case Optimizer::adafactor: return 0.02;     // row and column factors only
    case Optimizer::sgd:
    case Optimizer::lion:
    case Optimizer::muon: return width;
  }
  return 2 * width;
}

/// Bytes per trainable parameter: the weight as it computes, its gradient, and what the optimiser keeps.
struct StateBytes {
  double weight;
  double gradient;
  double optimizer;
};

StateBytes bytes_per_parameter(const Training& training, Precision precision) {
  const double stored = storage_bytes(precision);
  if (workload::trains_adapter(training.method))
    return {kAdapterBytes, kAdapterBytes, state_bytes(training.optimizer, 4)};
  if (stored == 4) return {4, 4, state_bytes(training.optimizer, 4)};
  if (training.recipe == Recipe::pure) return {stored, stored, state_bytes(training.optimizer, stored)};
  // Megatron accumulates gradients in fp32; the others keep them at 16 bit.
  const bool wide_gradients = training.framework == "megatron" || training.framework == "nemo";
  return {stored, wide_gradients ? 4.0 : 2.0, 4 + state_bytes(training.optimizer, 4)};
}

/// One pipeline stage as one GPU of it sees it.
struct Stage {
  double layers = 0;   // of the body
  double body = 0;     // parameters of one tensor-parallel rank, before sharding
  double experts = 0;  // routed experts, before they are spread over GPUs
  double ends = 0;     // embedding and output head
  double microbatches_alive = 1;
  bool has_logits = false;
};

/// Sets of a stage's activations that the first stage holds: one per stage behind it, and with
/// interleaving (p − 1) ÷ (p · chunks) more. Narayanan et al., arXiv 2104.04473.
double in_flight(const Workload& work, const TrainingPlan& plan, const Coefficients& c) {
  const auto most = static_cast<double>(std::min<std::int64_t>(plan.pp, plan.grad_accum));
  const double chunks = pipeline_chunks(work, plan, c);
  return chunks > 1 ? most * (1 + (plan.pp - 1) / (plan.pp * chunks)) : most;
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

/// Over how many GPUs each kind of state is divided.
struct Shards {
  double weights = 1;
  double gradients = 1;
  double optimizer = 1;
};

Shards make_shards(const Machine& machine, const TrainingPlan& plan) {
  double group = static_cast<double>(plan.dp) * plan.cp;
  if (plan.sharding == Sharding::hsdp)
    group = std::min(group, std::max(1.0, static_cast<double>(machine.gpus_per_node) / plan.tp));
  switch (plan.sharding) {
    case Sharding::none:
    case Sharding::ddp: return {};
    case Sharding::zero1: return {1, 1, group};
    case Sharding::zero2: return {1, group, group};
    case Sharding::zero3:
    case Sharding::fsdp:
    case Sharding::hsdp: return {plan.pp > 1 ? 1 : group, group, group};  // a pipeline keeps its weights gathered
  }
  return {};
}

/// Parameters of a stage that one GPU keeps when state is divided over `shard` GPUs: experts are
/// divided at least over their own group.
double kept(const Stage& stage, double shard, const TrainingPlan& plan) {
  return (stage.body + stage.ends) / shard + stage.experts / std::max(shard * plan.tp, expert_ranks(plan));
}

double width_of_ffn(const catalog::Model& model) {
  const double dense = model.ffn_size.value_or(4 * model.hidden_size.value_or(0));
  if (!model.is_moe()) return dense;
  const double expert = model.moe_ffn_size.value_or(dense);
  const double shared = model.shared_experts.value_or(0) * model.shared_ffn_size.value_or(expert);
  return model.experts_per_token.value_or(1) * expert + shared;
}

/// Bytes that one token leaves behind in one layer for its backward pass, 16-bit arithmetic, nothing
/// recomputed. Gated: norm inputs and outputs 8h, q and attention output 4h, k and v 4·kv, gate, up,
/// activation and product 8f, or 6f with a fused activation. Plain: 4f. After Korthikanti et al., arXiv 2205.05198.
double layer_bytes_per_token(const Workload& work, const TrainingPlan& plan, const Coefficients& c) {
  const auto& m = *work.model;
  const double h = *m.hidden_size;
  const double kv = m.kv_heads.value_or(m.heads.value_or(0)) * m.head_dim.value_or(0);
  const bool gated = work.parameters.ffn_matrices > 2.5;
  const bool dropout = !m.is_generator();  // BERT-like encoders keep masks of attention and FFN outputs
  double bytes = 12 * h + 4 * kv + (gated ? c.gated_bytes.of(work.training.framework) : 4) * width_of_ffn(m) +
                 (dropout ? 2 * h : 0);
  if (m.is_moe()) bytes += 4 * m.experts_per_token.value_or(1) * h;          // dispatched and combined copies
  if (gated) bytes += c.eager_hidden_bytes.of(work.training.framework) * h;  // RMSNorm and rotary in fp32
  return bytes * (storage_bytes(plan.precision) == 4 ? 2 : 1);
}

/// Softmax input, output and dropout mask of heads × s per token and layer, where attention is not fused.
double score_bytes_per_token(const Workload& work, const TrainingPlan& plan) {
  if (plan.flash_attention) return 0;
  const double wide = storage_bytes(plan.precision) == 4 ? 2 : 1;
  return 5 * wide * work.model->heads.value_or(0) *
         static_cast<double>(work.training.seq_len + work.training.virtual_tokens);
}

struct Activations {
  Bytes kept;
  Bytes logits;
};

Activations stage_activations(const Workload& work, const TrainingPlan& plan, const Stage& stage,
                              const Coefficients& c) {
  const auto& m = *work.model;
  const double sequence = static_cast<double>(work.training.seq_len + work.training.virtual_tokens) / plan.cp;
  const double tokens = static_cast<double>(plan.micro_batch) * sequence;
  const double linear = layer_bytes_per_token(work, plan, c) * tokens / plan.tp;
  const double scores = score_bytes_per_token(work, plan) * tokens / plan.tp;
  const double wide = storage_bytes(plan.precision) == 4 ? 2 : 1;
  const double inputs = 2 * *m.hidden_size * tokens * wide / plan.tp;
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

/// What the optimiser needs beside its states: square roots, updates and fp32 copies of 16-bit gradients.
Bytes step_temporaries(const Workload& work, const Machine& machine, const TrainingPlan& plan, const Stage& stage,
                       const Coefficients& c) {
  const Training& training = work.training;
  const bool in_blocks = training.optimizer == Optimizer::adamw8bit || training.optimizer == Optimizer::paged_adamw8bit;
  if (in_blocks || training.offload != Offload::none) return {};
  const double shards = make_shards(machine, plan).optimizer;
  const double trained = workload::trains_adapter(training.method)
                             ? trainable_parameters(work) / (plan.tp * plan.pp * shards)
                             : kept(stage, shards, plan);
  const double width = training.recipe == Recipe::pure ? 0.5 : 1;  // they have the states' own format
  return bytes(trained * c.step_bytes.of(training.framework) * width);
}

/// Weights gathered for use, reduction buckets, and what the allocator keeps beyond what is asked.
Bytes workspace(const Workload& work, const Machine& machine, const TrainingPlan& plan, const Stage& stage,
                const Activations& activations, Bytes gradients, const Coefficients& c) {
  const bool gathers =
      plan.sharding == Sharding::zero3 || plan.sharding == Sharding::fsdp || plan.sharding == Sharding::hsdp;
  const double width = work.training.method == Method::qlora ? kNf4Bytes : storage_bytes(plan.precision);
  Bytes extra;
  if (gathers && plan.dp * plan.cp > 1) {
    const double layer = (stage.body + stage.experts / expert_ranks(plan)) / stage.layers;
    extra += bytes(std::max(c.gathered_layers.value * layer * width, stage.ends * storage_bytes(plan.precision)));
  } else if ((plan.sharding == Sharding::zero1 || plan.sharding == Sharding::zero2) && machine.gpus() > 1) {
    const double bucket = std::min(c.reduce_bucket_elements.value, trainable_parameters(work) / (plan.tp * plan.pp));
    extra += bytes(2 * 2 * bucket);
  }
  if (work.training.method == Method::qlora)  // one layer widened to 16 bit
    extra += bytes(2 * 2 * (stage.body + stage.experts / expert_ranks(plan)) / stage.layers);
  // The optimiser steps when activations are gone; the larger of the two phases counts.
  const Bytes step = step_temporaries(work, machine, plan, stage, c);
  const Bytes passes = activations.kept + activations.logits + extra;
  const Bytes beyond = std::max(Bytes{}, step - passes);
  const Bytes dynamic = std::max(passes, step) + gradients;
  return extra + activations.logits + beyond +
         dynamic * c.allocator_slack.of(work.model->is_generator() ? work.training.framework : "encoder");
}

/// Weights, gradients and optimiser states of one GPU.
MemoryBreakdown states(const Workload& work, const TrainingPlan& plan, const Stage& stage, const Shards& shards) {
  const Training& training = work.training;
  const StateBytes width = bytes_per_parameter(training, plan.precision);
  MemoryBreakdown memory;
  if (workload::trains_adapter(training.method)) {
    const double adapters = trainable_parameters(work) / (plan.tp * plan.pp);
    const double width16 = storage_bytes(plan.precision);
    const bool quantised = training.method == Method::qlora;
    // QLoRA's preparation step widens everything that is not quantised to fp32.
    const double ends = stage.ends * (quantised ? 4 : width16) / shards.weights;
    Stage linear = stage;
    linear.ends = 0;
    memory.weights =
        bytes(kept(linear, shards.weights, plan) * (quantised ? kNf4Bytes : width16) + ends + adapters * width.weight);
    memory.gradients = bytes(adapters * width.gradient / shards.gradients);
    memory.optimizer = bytes(adapters * width.optimizer / shards.optimizer);
  } else {
    memory.weights = bytes(kept(stage, shards.weights, plan) * width.weight);
    memory.gradients = bytes(kept(stage, shards.gradients, plan) * width.gradient);
    memory.optimizer = bytes(kept(stage, shards.optimizer, plan) * width.optimizer);
  }
  if (training.offload == Offload::optimizer || training.offload == Offload::params) memory.optimizer = {};
  if (training.offload == Offload::params) memory.weights = memory.weights * kInFlight;
  return memory;
}

MemoryBreakdown stage_memory(const Workload& work, const Machine& machine, const TrainingPlan& plan, bool first,
                             bool last, const Coefficients& c) {
  const Stage stage = make_stage(work, plan, first, last, c);
  MemoryBreakdown memory = states(work, plan, stage, make_shards(machine, plan));
  const Activations activations = stage_activations(work, plan, stage, c);
  memory.activations = activations.kept;
  memory.workspace = workspace(work, machine, plan, stage, activations, memory.gradients, c);
  memory.framework = gib(c.context_gib.value + (machine.gpus() > 1 ? c.collectives_gib.of("training") : 0));
  return memory;
}

/// What of a whole model's parameters one GPU keeps: after tensor, pipeline, expert and data sharding.
double kept_share(const Workload& work, const TrainingPlan& plan, const Stage& stage, double shards) {
  return kept(stage, shards, plan) / work.parameters.total();
}

void explain_states(const Workload& work, const Machine& machine, const TrainingPlan& plan, const Stage& stage,
                    const MemoryBreakdown& memory, Trace& trace) {
  const Training& training = work.training;
  const StateBytes width = bytes_per_parameter(training, plan.precision);
  const Shards shards = make_shards(machine, plan);
  const auto gibibytes = [](Bytes b) { return format("{:.2f} GiB", in_gib(b)); };
  const double all = work.parameters.total() / 1e9;
  const double trainable = trainable_parameters(work) / 1e9;
  if (workload::trains_adapter(training.method)) {
    const bool quantised = training.method == Method::qlora;
    trace.push_back({"memory.weights", say("frozen parameters × bytes, what is not quantised apart, and fp32 adapters"),
                     quantised ? say("{:.3f}e9 × {:.3f} + {:.3f}e9 × 4 + {:.4f}e9 × 4",
                                     (stage.body + stage.experts) / 1e9, kNf4Bytes, stage.ends / 1e9, trainable)
                               : say("{:.3f}e9 × {:g} + {:.4f}e9 × 4", all, storage_bytes(plan.precision), trainable),
                     gibibytes(memory.weights), quantised ? "arXiv 2305.14314" : "arXiv 2106.09685"});
    trace.push_back({"memory.gradients", say("adapter parameters × bytes ÷ shards"),
                     format("{:.4f}e9 × {:g} ÷ {:g}", trainable, width.gradient, shards.gradients),
                     gibibytes(memory.gradients), "arXiv 1910.02054"});
    trace.push_back({"memory.optimizer", say("adapter parameters × bytes ÷ shards"),
                     format("{:.4f}e9 × {:g} ÷ {:g}", trainable, width.optimizer, shards.optimizer),
                     gibibytes(memory.optimizer), "arXiv 1910.02054"});
    return;
  }
  const auto line = [&](std::string_view quantity, double bytes_each, double shard, Bytes amount) {
    trace.push_back({std::string(quantity), say("parameters × share on this GPU × bytes"),
                     format("{:.3f}e9 × {:.5f} × {:g}", all, kept_share(work, plan, stage, shard), bytes_each),
                     gibibytes(amount), "arXiv 1910.02054"});
  };
  line("memory.weights", width.weight, shards.weights, memory.weights);
  line("memory.gradients", width.gradient, shards.gradients, memory.gradients);
  line("memory.optimizer", training.offload == Offload::none ? width.optimizer : 0, shards.optimizer, memory.optimizer);
}

void explain(const Workload& work, const Machine& machine, const TrainingPlan& plan, const Stage& stage,
             const MemoryBreakdown& memory, const Coefficients& c, Trace& trace) {
  const auto gibibytes = [](Bytes b) { return format("{:.2f} GiB", in_gib(b)); };
  explain_states(work, machine, plan, stage, memory, trace);
  trace.push_back({"memory.activations",
                   plan.checkpointing == Checkpointing::full
                       ? say("layer inputs of 2 bytes × hidden × tokens, and one layer's own set")
                       : say("bytes per layer and token × tokens × layers in flight ÷ tp"),
                   say("{:.0f} bytes, micro batch {} × {} tokens, {:g} layers × {:g} in flight, checkpointing {}",
                       layer_bytes_per_token(work, plan, c) + score_bytes_per_token(work, plan), plan.micro_batch,
                       work.training.seq_len, stage.layers, stage.microbatches_alive, to_text(plan.checkpointing)),
                   gibibytes(memory.activations), "arXiv 2205.05198"});
  trace.push_back({"memory.workspace",
                   say("logits, gathered weights, buckets, and the allocator's slack over them"),
                   {},
                   gibibytes(memory.workspace),
                   "calibration"});
  trace.push_back({"memory.framework",
                   say("CUDA context and communication library"),
                   {},
                   gibibytes(memory.framework),
                   "calibration"});
}

}  // namespace

double trainable_parameters(const Workload& work) {
  const auto& m = *work.model;
  const double h = m.hidden_size.value_or(0);
  switch (work.training.method) {
    case Method::full: return work.parameters.total();
    case Method::ptuning: return static_cast<double>(work.training.virtual_tokens) * h;
    case Method::lora:
    case Method::qlora: break;
  }
  // r (d_in + d_out) over the linear layers of attention and, in dense models, of the FFN.
  const auto rank = static_cast<double>(work.training.lora_rank);
  const double d = m.head_dim.value_or(0);
  const double q = m.heads.value_or(0) * d;
  const double kv = m.kv_heads.value_or(m.heads.value_or(0)) * d;
  const double f = m.ffn_size.value_or(0);
  const double attention = 2 * (h + q) + 2 * (h + kv);
  const double ffn = m.is_moe() ? 0 : work.parameters.ffn_matrices * (h + f);
  return rank * work.parameters.layers * (attention + ffn);
}

bool has_flash_attention(const catalog::Gpu& gpu) {
  if (gpu.vendor == "amd")
    return gpu.compute_capability == "gfx90a" || gpu.compute_capability.starts_with("gfx94") ||
           gpu.compute_capability.starts_with("gfx95");
  return gpu.capability.value_or(0) >= 8.0;
}

Bytes training_states(const Workload& work, Precision precision) {
  TrainingPlan plan;
  plan.precision = precision;
  const MemoryBreakdown memory = states(work, plan, make_stage(work, plan, true, true, {}), {});
  return memory.weights + memory.gradients + memory.optimizer;
}

Bytes offloaded_states(const Workload& work, Precision precision) {
  if (work.training.offload == Offload::none) return {};
  const StateBytes width = bytes_per_parameter(work.training, precision);
  const Bytes optimizer = bytes(trainable_parameters(work) * width.optimizer);
  const Bytes weights = bytes(work.parameters.total() * storage_bytes(precision) * (1 - kInFlight));
  return work.training.offload == Offload::params ? optimizer + weights : optimizer;
}

MemoryBreakdown training_memory(const Workload& work, const Machine& machine, const TrainingPlan& plan,
                                const Coefficients& coefficients, Trace* trace) {
  bool first = true;
  MemoryBreakdown fullest = stage_memory(work, machine, plan, true, plan.pp == 1, coefficients);
  if (plan.pp > 1) {
    const MemoryBreakdown last = stage_memory(work, machine, plan, false, true, coefficients);
    if (last.total() > fullest.total()) {
      fullest = last;
      first = false;
    }
  }
  if (trace != nullptr)
    explain(work, machine, plan, make_stage(work, plan, first, !first || plan.pp == 1, coefficients), fullest,
            coefficients, *trace);
  return fullest;
}

}  // namespace gpusel::estimate
