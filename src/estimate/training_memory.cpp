#include <algorithm>
#include <cmath>

#include "gpusel/base/message.hpp"
#include "gpusel/estimate/checkpoint.hpp"
#include "gpusel/estimate/training.hpp"
#include "gpusel/workload/frameworks.hpp"

#include "estimate/mebibytes.hpp"
#include "estimate/optimizer.hpp"
#include "estimate/training_activations.hpp"
#include "estimate/training_traffic.hpp"
#include "estimate/uniform_memory.hpp"

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

/// Bytes per trainable parameter: the weight as it computes, its gradient, and what the optimiser keeps.
struct StateBytes {
  double weight;
  double gradient;
  double optimizer;
};

StateBytes bytes_per_parameter(const Workload& work, const workload::Framework& framework, Precision precision) {
  const Training& training = work.training;
  const double stored = storage_bytes(precision);
  if (workload::trains_adapter(training.method)) return {kAdapterBytes, kAdapterBytes, optimizer_bytes(work, 4)};
  if (stored == 4) return {4, 4, optimizer_bytes(work, 4)};
  if (training.recipe == Recipe::pure) return {stored, stored, optimizer_bytes(work, stored)};
  // Megatron accumulates gradients in fp32; the others keep them at 16 bit.
  return {stored, framework.megatron_core ? 4.0 : 2.0, 4 + optimizer_bytes(work, 4)};
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
  const double dense = (stage.body + stage.ends) / shard;
  return dense + stage.experts / std::max(shard * plan.tp, expert_ranks(plan));
}

/// Parameters of the largest matrix of a layer.
double widest_matrix(const catalog::Model& model) {
  const double hidden = *model.hidden_size;
  const catalog::Number ffn = model.is_moe() && model.moe_ffn_size ? model.moe_ffn_size : model.ffn_size;
  return hidden * std::max(ffn.value_or(hidden), hidden);
}

/// What the optimiser needs beside its states: square roots, updates and fp32 copies of 16-bit gradients.
Bytes step_temporaries(const TrainingJob& job, const Machine& machine, const TrainingPlan& plan, const Stage& stage) {
  const Training& training = job.work.training;
  if (workload::keeps_states_in_8_bit(training.optimizer) || training.offload != Offload::none) return {};
  const double shards = make_shards(machine, plan).optimizer;
  const double trained = workload::trains_adapter(training.method) ? job.trainable / (plan.tp * plan.pp * shards)
                                                                   : kept(stage, shards, plan);
  const double width = training.recipe == Recipe::pure ? 0.5 : 1;  // they have the states' own format
  return bytes(trained * job.step_bytes * width);
}

/// Weights that are in use unsharded: some layers, or the whole embedding and head.
Bytes in_use(const Workload& work, const TrainingPlan& plan, const Stage& stage, const Coefficients& c) {
  const double width = work.training.method == Method::qlora ? kNf4Bytes : storage_bytes(plan.precision);
  const double layer = (stage.body + stage.experts / expert_ranks(plan)) / stage.layers;
  return bytes(std::max(c.gathered_layers.value * layer * width, stage.ends * storage_bytes(plan.precision)));
}

/// Weights gathered for use, ZeRO's reduction buckets and quantised weights while they are widened.
struct Buffers {
  Bytes gathered, buckets, widened;
  Bytes total() const { return gathered + buckets + widened; }
};

Buffers buffers(const TrainingJob& job, const Machine& machine, const TrainingPlan& plan, const Stage& stage) {
  const Workload& work = job.work;
  const bool gathers =
      plan.sharding == Sharding::zero3 || plan.sharding == Sharding::fsdp || plan.sharding == Sharding::hsdp;
  const bool quantised = work.training.method == Method::qlora;
  const bool offloads = work.training.offload != Offload::none;
  const bool reduces = (plan.sharding == Sharding::zero1 || plan.sharding == Sharding::zero2) && machine.gpus() > 1;
  Buffers out;
  if (gathers && plan.dp * plan.cp > 1 && work.training.offload != Offload::params) {
    out.gathered = in_use(work, plan, stage, job.c);
  } else if (reduces || offloads) {  // on their way to their shard, or to the host
    const double bucket = std::min(job.c.reduce_bucket_elements.value, job.trainable / (plan.tp * plan.pp));
    out.buckets = bytes(2 * 2 * bucket);
  }
  if (quantised)
    out.widened = bytes(2 * 2 * widest_matrix(*work.model) / plan.tp);  // forward and backward pass have a copy each
  return out;
}

/// Gradients that are there while activations pile up. DDP copies them into buckets that stay; ZeRO and Megatron
/// reduce them in buffers that stay; otherwise they are there from the second micro-batch of a step on.
struct Gradients {
  Bytes own;
  Bytes copied;   // DDP's buckets
  Bytes carried;  // of `own`, through the forward pass
};

Gradients gradients(const TrainingJob& job, const TrainingPlan& plan, Bytes own) {
  if (job.work.training.optimizer_in_backward && plan.grad_accum == 1) return {};
  const bool in_buffers =
      job.framework.megatron_core || plan.sharding == Sharding::zero1 || plan.sharding == Sharding::zero2;
  const bool copies = plan.sharding == Sharding::ddp && plan.dp > 1 && !in_buffers;
  return {own, copies ? own : Bytes{}, in_buffers || plan.grad_accum > 1 ? own : Bytes{}};
}

/// What stands beside weights and states at the two ends of a backward pass: activations make room for gradients as
/// it goes, and are gone when the optimiser steps.
struct Ends {
  Bytes kept;  // activations
  Gradients gradients;
  Bytes before;
  Bytes after;
  Bytes peak() const { return std::max(before, after); }
};

Ends ends_of_backward(const TrainingJob& job, const TrainingPlan& plan, const StagePart& part) {
  const Activations activations = stage_activations(job, plan, part.stage);
  const Gradients grads = gradients(job, plan, part.states.gradients);
  const Bytes held = activations.logits + part.buffers + grads.copied + grads.carried;
  return {activations.kept, grads, activations.kept + held, grads.own + grads.copied + part.temporaries};
}

/// Adds the larger of the two ends and what the allocator keeps beyond it.
void add_peak(const TrainingJob& job, const Ends& ends, MemoryBreakdown& memory) {
  const Bytes beside_gradients = ends.peak() - ends.gradients.own;
  memory.gradients = ends.gradients.own;
  memory.activations = std::min(ends.kept, beside_gradients);
  memory.workspace = beside_gradients - memory.activations + ends.peak() * job.slack;
}

/// Weights, gradients and optimiser states of one GPU.
MemoryBreakdown states(const TrainingJob& job, const TrainingPlan& plan, const Stage& stage, const Shards& shards) {
  const Training& training = job.work.training;
  const StateBytes width = bytes_per_parameter(job.work, job.framework, plan.precision);
  MemoryBreakdown memory;
  if (workload::trains_adapter(training.method)) {
    const double adapters = job.trainable / (plan.tp * plan.pp);
    const double width16 = storage_bytes(plan.precision);
    const bool quantised = training.method == Method::qlora;
    const double ends =
        stage.ends * (quantised ? job.c.unquantised_bytes.of(training.framework) : width16) / shards.weights;
    Stage linear = stage;
    linear.ends = {};
    memory.weights =
        bytes(kept(linear, shards.weights, plan) * (quantised ? kNf4Bytes : width16) + ends + adapters * width.weight);
    memory.gradients = bytes(adapters * width.gradient / shards.gradients);
    memory.optimizer = bytes(adapters * width.optimizer / shards.optimizer);
  } else {
    memory.weights = bytes(kept(stage, shards.weights, plan) * width.weight);
    memory.gradients = bytes(kept(stage, shards.gradients, plan) * width.gradient);
    memory.optimizer = bytes(kept(stage, shards.optimizer, plan) * width.optimizer);
  }
  // Gradients follow an offloaded optimiser as they arise (ZeRO-Offload, arXiv 2101.06840).
  if (training.offload != Offload::none) memory.gradients = memory.optimizer = {};
  if (training.offload == Offload::params)
    memory.weights = std::min(memory.weights, in_use(job.work, plan, stage, job.c));
  return memory;
}

StagePart stage_part(const TrainingJob& job, const Machine& machine, const TrainingPlan& plan, bool first, bool last) {
  const Stage stage = make_stage(job, plan, first, last);
  StagePart part{stage, states(job, plan, stage, make_shards(machine, plan)),
                 buffers(job, machine, plan, stage).total(), step_temporaries(job, machine, plan, stage), first};
  part.states.framework = gib(job.c.context_gib.value + (machine.gpus() > 1 ? job.collectives_gib : 0));
  return part;
}

MemoryBreakdown stage_memory(const TrainingJob& job, const TrainingPlan& plan, const StagePart& of) {
  StagePart part = of;
  part.stage.microbatches_alive = microbatches_alive(job, plan, part.first);
  MemoryBreakdown memory = part.states;
  add_peak(job, ends_of_backward(job, plan, part), memory);
  return memory;
}

/// What of a whole model's parameters one GPU keeps: after tensor, pipeline, expert and data sharding.
double kept_share(const Workload& work, const TrainingPlan& plan, const Stage& stage, double shards) {
  return kept(stage, shards, plan) / work.parameters.total();
}

void explain_states(const TrainingJob& job, const Machine& machine, const TrainingPlan& plan, const Stage& stage,
                    const MemoryBreakdown& memory, Trace& trace) {
  const Workload& work = job.work;
  const Training& training = work.training;
  const StateBytes width = bytes_per_parameter(work, job.framework, plan.precision);
  const Shards shards = make_shards(machine, plan);
  const auto gibibytes = [](Bytes b) { return shown("{:.2f}", in_gib(b), "GiB"); };
  const double all = work.parameters.total() / 1e9;
  const bool offloaded = training.offload != Offload::none;
  const double gradient = memory.gradients > Bytes{} ? width.gradient : 0;  // used up as they come, or offloaded
  const bool gathered = training.offload == Offload::params;
  if (gathered)
    trace.push_back({"memory.weights",
                     say("the weights in use, gathered from the host"),
                     {},
                     gibibytes(memory.weights),
                     "docs/method.md"});
  if (workload::trains_adapter(training.method)) {
    const double adapters = job.trainable / (plan.tp * plan.pp) / 1e9;
    Stage linear = stage;
    linear.ends = {};
    const double frozen = kept(linear, shards.weights, plan) / 1e9;
    const double ends = stage.ends / shards.weights / 1e9;
    const bool quantised = training.method == Method::qlora;
    if (!gathered)
      trace.push_back(
          {"memory.weights", say("frozen parameters × bytes, what is not quantised apart, and fp32 adapters"),
           quantised ? format("{:.5g}e9 × {:.3f} B + {:.5g}e9 × {:g} B + {:.5g}e9 × {:g} B", frozen, kNf4Bytes, ends,
                              job.c.unquantised_bytes.of(training.framework), adapters, width.weight)
                     : format("{:.5g}e9 × {:g} B + {:.5g}e9 × {:g} B", frozen + ends, storage_bytes(plan.precision),
                              adapters, width.weight),
           gibibytes(memory.weights), quantised ? "arXiv 2305.14314" : "arXiv 2106.09685"});
    trace.push_back({"memory.gradients", say("adapter parameters × bytes ÷ shards"),
                     format("{:.5g}e9 × {:g} B ÷ {:g}", adapters, gradient, shards.gradients),
                     gibibytes(memory.gradients), "arXiv 1910.02054"});
    trace.push_back({"memory.optimizer", say("adapter parameters × bytes ÷ shards"),
                     format("{:.5g}e9 × {:g} B ÷ {:g}", adapters, offloaded ? 0 : width.optimizer, shards.optimizer),
                     gibibytes(memory.optimizer), "arXiv 1910.02054"});
    return;
  }
  const auto line = [&](std::string_view quantity, double bytes_each, double shard, Bytes amount) {
    trace.push_back({std::string(quantity), say("parameters × share on this GPU × bytes"),
                     format("{:.5g}e9 × {:.5g} × {:g} B", all, kept_share(work, plan, stage, shard), bytes_each),
                     gibibytes(amount), "arXiv 1910.02054"});
  };
  if (!gathered) line("memory.weights", width.weight, shards.weights, memory.weights);
  line("memory.gradients", gradient, shards.gradients, memory.gradients);
  line("memory.optimizer", offloaded ? 0 : width.optimizer, shards.optimizer, memory.optimizer);
}

void explain(const TrainingJob& job, const Machine& machine, const TrainingPlan& plan, const StagePart& part,
             const MemoryBreakdown& memory, Trace& trace) {
  const Coefficients& c = job.c;
  const Stage& stage = part.stage;
  const auto gibibytes = [](Bytes b) { return shown("{:.2f}", in_gib(b), "GiB"); };
  explain_states(job, machine, plan, stage, memory, trace);
  const Activations kept = stage_activations(job, plan, stage);
  const Ends ends = ends_of_backward(job, plan, part);
  const double alive = stage.layers * stage.microbatches_alive;
  const std::string what = plan.checkpointing == Checkpointing::full ? say("inputs of every layer")
                           : plan.checkpointing == Checkpointing::selective
                               ? say("what selective checkpointing keeps of a layer")
                               : say("what a layer keeps for its backward pass");
  trace.push_back({"memory.activations",
                   say("{}, of a micro-batch of {} × {:g} tokens × layers in flight + one layer under way − room made "
                       "for gradients",
                       what, plan.micro_batch, job.sequence.rows),
                   format("{:.5g} MiB × {:.6g} + {:.5g} MiB − {:.5g} MiB", in_mib(kept.per_layer), alive,
                          in_mib(kept.once), in_mib(kept.kept - memory.activations)),
                   gibibytes(memory.activations), "arXiv 2205.05198"});
  trace.push_back({"workspace.logits", say("bytes per logit × sequences of this GPU × tokens × vocabulary ÷ tp"),
                   stage.has_logits ? format("{:g} B × {:.6g} × {:g} × {:g} ÷ {}", job.logits_bytes,
                                             static_cast<double>(plan.micro_batch) / plan.cp, job.sequence.targets,
                                             job.work.model->vocab_size.value_or(0), plan.tp)
                                    : std::string(),
                   gibibytes(kept.logits), "calibration"});
  const Buffers held = buffers(job, machine, plan, stage);
  trace.push_back({"workspace.buffers",
                   say("gathered weights + buckets on their way to a shard or the host + widened weights"),
                   format("{:.5g} MiB + {:.5g} MiB + {:.5g} MiB", in_mib(held.gathered), in_mib(held.buckets),
                          in_mib(held.widened)),
                   gibibytes(held.total()), "docs/method.md"});
  trace.push_back({"workspace.slack", say("peak beside weights and states × what the allocator keeps beyond it"),
                   format("{:.4g} GiB × {:g}", in_gib(ends.peak()), job.slack), gibibytes(ends.peak() * job.slack),
                   "calibration"});
  trace.push_back(
      {"memory.workspace",
       say("the larger of what stands before the backward pass (activations, logits, buffers) and after it "
           "(gradients, the step's temporaries), less gradients and activations; and the allocator's slack"),
       format("max({:.5g}, {:.5g}) × (1 + {:g}) − {:.5g} − {:.5g}", in_gib(ends.before), in_gib(ends.after), job.slack,
              in_gib(memory.gradients), in_gib(memory.activations)),
       gibibytes(memory.workspace), "calibration"});
  trace.push_back({"memory.framework", say("CUDA context + communication library"),
                   format("{:g} + {:g}", c.context_gib.value, machine.gpus() > 1 ? job.collectives_gib : 0),
                   gibibytes(memory.framework), "calibration"});
}

}  // namespace

double optimizer_bytes(const Workload& work, double width) {
  switch (work.training.optimizer) {
    case Optimizer::adamw:
    case Optimizer::lamb: break;
    case Optimizer::adamw8bit: return 2.06;  // two bytes and block scales
    case Optimizer::paged_adamw:
    case Optimizer::paged_adamw8bit: return 0;  // in unified memory: makes room when it is needed
    case Optimizer::adafactor: return 0.02;     // row and column factors only
    case Optimizer::sgd:                        // with momentum
    case Optimizer::lion: return width;
    case Optimizer::muon: {  // matrices keep a momentum, embedding and head go with AdamW
      const auto& p = work.parameters;
      return width * (1 + (p.embedding + p.head + p.layer_embeddings) / std::max(p.total(), 1e-9));
    }
  }
  return 2 * width;
}

bool has_flash_attention(const catalog::Gpu& gpu) {
  if (gpu.vendor == "amd")
    return gpu.compute_capability == "gfx90a" || gpu.compute_capability.starts_with("gfx94") ||
           gpu.compute_capability.starts_with("gfx95");
  return gpu.capability && *gpu.capability >= 8.0;
}

Bytes training_states(const Workload& work, Precision precision) {
  static const Coefficients kNone;  // none is asked of a single stage
  const TrainingJob job(work, kNone);
  TrainingPlan plan;
  plan.precision = precision;
  const MemoryBreakdown memory = states(job, plan, make_stage(job, plan, true, true), {});
  return memory.weights + memory.gradients + memory.optimizer;
}

std::optional<Bytes> checkpoint_size(const Workload& work, Precision precision) {
  if (work.model == nullptr) return std::nullopt;
  if (work.counted) {
    // Networks that are counted in samples keep weights and states in fp32, whole on every GPU.
    const bool whole = std::holds_alternative<workload::SampleJob>(work.counted->job) && work.model->params_b;
    if (!whole || workload::trains_adapter(work.training.method)) return std::nullopt;
    return bytes(*work.model->params_b * 1e9 * (4 + optimizer_bytes(work, 4)));
  }
  const double trained = trainable_parameters(work);
  if (trained == 0) return std::nullopt;
  const StateBytes width = bytes_per_parameter(work, workload::framework_of(work.training.framework), precision);
  return bytes(trained * (width.weight + width.optimizer));
}

Bytes offloaded_states(const Workload& work, Precision precision) {
  if (work.training.offload == Offload::none) return {};
  const StateBytes width = bytes_per_parameter(work, workload::framework_of(work.training.framework), precision);
  const Bytes states = bytes(trainable_parameters(work) * (width.gradient + width.optimizer));
  const Bytes weights = bytes(work.parameters.total() * storage_bytes(precision));
  return work.training.offload == Offload::params ? states + weights : states;
}

Division divide(const TrainingJob& job, const Machine& machine, const TrainingPlan& plan) {
  const bool whole = plan.pp == 1;
  Division out{stage_part(job, machine, plan, true, whole), std::nullopt};
  if (!whole) out.last = stage_part(job, machine, plan, false, true);
  return out;
}

MemoryBreakdown uniform_memory(const TrainingJob& job, const Division& division, const TrainingPlan& plan) {
  const MemoryBreakdown first = stage_memory(job, plan, division.first);
  if (!division.last) return first;
  const MemoryBreakdown last = stage_memory(job, plan, *division.last);
  return last.total() > first.total() ? last : first;
}

MemoryBreakdown uniform_memory(const TrainingJob& job, const Machine& machine, const TrainingPlan& plan, Trace* trace) {
  const Division division = divide(job, machine, plan);
  const MemoryBreakdown fullest = uniform_memory(job, division, plan);
  if (trace == nullptr) return fullest;
  const bool is_last = division.last && stage_memory(job, plan, *division.last).total() >
                                            stage_memory(job, plan, division.first).total();
  explain(job, machine, plan, is_last ? *division.last : division.first, fullest, *trace);
  return fullest;
}

}  // namespace gpusel::estimate
