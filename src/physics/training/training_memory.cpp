#include <algorithm>

#include "base/words/message.hpp"
#include "physics/checkpoint.hpp"
#include "physics/training/training.hpp"

#include "physics/training/training_activations.hpp"
#include "physics/training/training_traffic.hpp"
#include "physics/training/uniform_memory.hpp"

namespace gpusel::physics {

namespace {

using job::Checkpointing;
using job::Job;
using job::Method;
using job::Offload;
using job::Optimizer;
using job::Precision;
using job::Recipe;
using job::Sharding;
using job::Training;

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

StateBytes bytes_per_parameter(const Job& work, const catalog::Framework& framework, Precision precision) {
  const Training& training = work.training;
  const double stored = storage_bytes(precision);
  if (job::trains_adapter(training.method)) return {kAdapterBytes, kAdapterBytes, optimizer_bytes(work, 4)};
  if (stored == 4) return {4, 4, optimizer_bytes(work, 4)};
  if (training.recipe == Recipe::pure) return {stored, stored, optimizer_bytes(work, stored)};
  const double masters = 4 + optimizer_bytes(work, 4);
  if (!framework.megatron_core()) return {stored, 2, masters};
  // Megatron's table of its distributed optimiser: bf16 gradients add up in fp32, fp16 ones are copied to fp32 by the
  // optimiser; recipes in 8 bit add up in bf16.
  if (precision == Precision::fp16) return {stored, 2, 4 + masters};
  return {stored, precision == Precision::bf16 ? 4.0 : 2.0, masters};
}

/// Over how many GPUs each kind of state is divided.
struct Shards {
  double weights = 1;
  double gradients = 1;
  double optimizer = 1;
};

bool is_fsdp(const Layout& layout) { return layout.sharding == Sharding::fsdp || layout.sharding == Sharding::hsdp; }

Shards make_shards(const Machine& machine, const Layout& layout) {
  double group = static_cast<double>(layout.dp) * layout.cp;
  if (layout.sharding == Sharding::hsdp)
    group = std::min(group, std::max(1.0, static_cast<double>(machine.gpus_per_node) / layout.tp));
  switch (layout.sharding) {
    case Sharding::none:
    case Sharding::ddp: return {};
    case Sharding::zero1: return {1, 1, group};
    case Sharding::zero2: return {1, group, group};
    case Sharding::zero3:
    case Sharding::fsdp:
    case Sharding::hsdp: return {layout.pp > 1 ? 1 : group, group, group};  // a pipeline keeps its weights gathered
  }
  return {};
}

/// Parameters of a stage that one GPU keeps when state is divided over `shard` GPUs: experts are
/// divided at least over their own group.
double kept(const Stage& stage, double shard, const Layout& layout) {
  const double dense = (stage.body + stage.ends) / shard;
  return dense + stage.experts / std::max(shard * layout.tp, expert_ranks(layout));
}

/// Parameters of the largest matrix of a layer.
double widest_matrix(const catalog::Model& model) {
  const double hidden = *model.hidden_size;
  const catalog::Number ffn = model.is_moe() && model.moe_ffn_size ? model.moe_ffn_size : model.ffn_size;
  return hidden * std::max(ffn.value_or(hidden), hidden);
}

/// What the optimiser needs beside its states: square roots, updates and fp32 copies of 16-bit gradients.
Bytes step_temporaries(const TrainingJob& job, const Machine& machine, const Layout& layout, const Stage& stage) {
  const Training& training = job.work.training;
  if (job::keeps_states_in_8_bit(training.optimizer) || training.offload != Offload::none) return {};
  const double shards = make_shards(machine, layout).optimizer;
  const double trained = job::trains_adapter(training.method) ? job.trainable / (layout.tp * layout.pp * shards)
                                                              : kept(stage, shards, layout);
  const double width = training.recipe == Recipe::pure ? 0.5 : 1;  // they have the states' own format
  return bytes(trained * job.step_bytes * width);
}

/// Weights that are in use unsharded: some layers, or the whole embedding and head. FSDP keeps those two gathered
/// beside its layers, and their gradients whole until all are there.
Bytes in_use(const Job& work, const Layout& layout, const Stage& stage, const Coefficients& c) {
  const double width = work.training.method == Method::qlora ? kNf4Bytes : storage_bytes(layout.precision);
  const double layer = (stage.body + stage.experts / expert_ranks(layout)) / stage.layers;
  const double ends = stage.ends * storage_bytes(layout.precision);
  if (!is_fsdp(layout)) return bytes(std::max(c.gathered_layers.value * layer * width, ends));
  return bytes(c.gathered_layers.value * layer * width + ends * (job::trains_adapter(work.training.method) ? 1 : 2));
}

/// Weights gathered for use, ZeRO's reduction buckets and quantised weights while they are widened.
Bytes buffers(const TrainingJob& job, const Machine& machine, const Layout& layout, const Stage& stage, Trace* trace) {
  const Job& work = job.work;
  const bool gathers =
      layout.sharding == Sharding::zero3 || layout.sharding == Sharding::fsdp || layout.sharding == Sharding::hsdp;
  const bool quantised = work.training.method == Method::qlora;
  const bool offloads = work.training.offload != Offload::none;
  const bool reduces = (layout.sharding == Sharding::zero1 || layout.sharding == Sharding::zero2) && machine.gpus() > 1;
  Bytes gathered, buckets, widened;
  if (gathers && layout.dp * layout.cp > 1 && work.training.offload != Offload::params) {
    gathered = in_use(work, layout, stage, job.c);
  } else if (reduces || offloads) {  // on their way to their shard, or to the host
    const double bucket = std::min(job.c.reduce_bucket_elements.value, job.trainable / (layout.tp * layout.pp));
    buckets = bytes(2 * 2 * bucket);
  }
  if (quantised)
    widened = bytes(2 * 2 * widest_matrix(*work.model) / layout.tp);  // forward and backward pass have a copy each
  return record(trace, {"workspace.buffers", "{:.2f}", "GiB"}, [&](auto told) {
    return told("gathered weights", gathered) + told("buckets on their way to a shard or the host", buckets) +
           told("widened weights", widened);
  });
}

/// Each is applied as soon as it is there.
bool are_used_up(const TrainingJob& job, const Layout& layout) {
  return job.work.training.optimizer_in_backward && layout.grad_accum == 1;
}

/// Gradients that are there while activations pile up. DDP copies them into buckets that stay; ZeRO and Megatron
/// reduce them in buffers that stay; otherwise they are there from the second micro-batch of a step on.
struct Gradients {
  Bytes own;
  Bytes copied;   // DDP's buckets
  Bytes carried;  // of `own`, through the forward pass
};

Gradients gradients(const TrainingJob& job, const Layout& layout, Bytes own, Bytes whole) {
  if (are_used_up(job, layout)) return {};
  const bool reduces =
      (layout.sharding == Sharding::zero1 || layout.sharding == Sharding::zero2) && layout.dp * layout.cp > 1;
  const bool in_buffers = job.framework.megatron_core() || reduces;
  const bool copies = layout.sharding == Sharding::ddp && layout.dp > 1 && !in_buffers;
  if (is_fsdp(layout) && job.framework.gathers_gradients.value_or(false) && layout.grad_accum > 1) own = whole;
  return {own, copies ? own : Bytes{}, in_buffers || layout.grad_accum > 1 ? own : Bytes{}};
}

/// What stays of a layer for the backward pass, in words.
std::string kept_words(const TrainingJob& job, const Layout& layout) {
  const std::string what = layout.checkpointing == Checkpointing::full ? say("inputs of every layer")
                           : layout.checkpointing == Checkpointing::selective
                               ? say("what selective checkpointing keeps of a layer")
                               : say("what a layer keeps for its backward pass");
  return say("{}, of a micro-batch of {} × {:g} tokens", what, layout.micro_batch, job.sequence.rows);
}

/// What stands beside weights and states at the two ends of a backward pass: activations make room for gradients as
/// it goes, and are gone when the optimiser steps. The larger of the two, and what the allocator keeps beyond it.
void add_peak(const TrainingJob& job, const Layout& layout, const StagePart& part, MemoryBreakdown& memory,
              Trace* trace) {
  const Activations activations = stage_activations(job, layout, part.stage, trace);
  const Gradients grads = gradients(job, layout, part.states.gradients, part.whole_gradients);
  const auto words = [&] { return kept_words(job, layout); };
  const Bytes kept = activations.kept(Untold{}, words);
  const Bytes peak = record(trace, {"workspace.peak", "{:.2f}", "GiB"}, [&](auto told) {
    const auto held = told.some("logits", activations.logits) + told.some("buffers", part.buffers) +
                      told.some("buckets of gradients", grads.copied) +
                      told.some("gradients of earlier micro-batches", grads.carried);
    return greatest(told("activations", kept) + held, told.some("gradients", grads.own) +
                                                          told.some("buckets of gradients", grads.copied) +
                                                          told.some("temporaries of the step", part.temporaries));
  });
  memory.gradients = grads.own;
  memory.activations = record(trace, {"memory.activations", "{:.2f}", "GiB", "arXiv 2205.05198"}, [&](auto told) {
    return least(activations.kept(told, words), told("peak", peak) - told.some("gradients", grads.own));
  });
  // Of what comes and goes at either end, since the blocks of one are still there at the other; buffers that stay are
  // taken once.
  const Bytes passing = kept + activations.logits + part.buffers;
  const Bytes fleeting = std::max(passing, part.temporaries);
  const Bytes slack = record(trace, {"workspace.slack", "{:.2f}", "GiB", "calibration"}, [&](auto told) {
    return greatest(told("temporary buffers of a pass", passing),
                    told.some("temporaries of the step", part.temporaries)) *
           told("allocator overhead", job.slack);
  });
  memory.workspace = record(trace, {"memory.workspace", "{:.2f}", "GiB", "calibration"}, [&](auto told) {
    return told("peak", peak) - told.some("gradients", grads.own) - told("activations", memory.activations) +
           told("slack", slack);
  });
  memory.spare = fleeting * std::max(0.0, job.slack - job.c.fragmentation.of(to_text(job.code)));
}

Bytes weights_of(const TrainingJob& job, const Layout& layout, const Stage& stage, const Shards& shards, Trace* trace) {
  const Training& training = job.work.training;
  const bool adapts = job::trains_adapter(training.method);
  const bool quantised = training.method == Method::qlora;
  const double width = bytes_per_parameter(job.work, job.framework, layout.precision).weight;
  const double stored = storage_bytes(layout.precision);
  const bool narrowed = saves_in_8_bit(job, layout);
  const auto frozen = [&](auto told) {
    Stage linear = stage;
    linear.ends = {};
    const auto body = told("frozen parameters", kept(linear, shards.weights, layout)) * told("bytes of each",
                                                                                             quantised  ? kNf4Bytes
                                                                                             : narrowed ? 1
                                                                                                        : stored,
                                                                                             "B");
    const auto ends = told("embedding and head", stage.ends) *
                      told("bytes of each", quantised ? job.unquantised_bytes : stored, "B") /
                      told("shards", shards.weights);
    return body + ends +
           told("adapter parameters", job.trainable / (layout.tp * layout.pp)) * told("bytes of each", width, "B");
  };
  const std::string_view source = quantised ? "arXiv 2305.14314" : adapts ? "arXiv 2106.09685" : "arXiv 1910.02054";
  return record(trace, {"memory.weights", "{:.2f}", "GiB", source}, [&](auto told) {
    const auto all = quantity<Bytes>(adapts ? frozen(told)
                                            : told("parameters on this GPU", kept(stage, shards.weights, layout)) *
                                                  told("bytes of each", width, "B"));
    if (training.offload != Offload::params) return all;
    return least(all, told("weights in use, gathered from the host", in_use(job.work, layout, stage, job.c)));
  });
}

/// Weights, gradients and optimiser states of one GPU.
MemoryBreakdown states(const TrainingJob& job, const Layout& layout, const Stage& stage, const Shards& shards,
                       Trace* trace = nullptr) {
  const Training& training = job.work.training;
  const StateBytes width = bytes_per_parameter(job.work, job.framework, layout.precision);
  const bool adapts = job::trains_adapter(training.method);
  const double adapters = job.trainable / (layout.tp * layout.pp);
  MemoryBreakdown memory;
  memory.weights = weights_of(job, layout, stage, shards, trace);
  const auto trained = [&](auto told, double each, double shard) {
    const auto amount =
        adapts ? told("adapter parameters", adapters) : told("parameters on this GPU", kept(stage, shard, layout));
    const auto all = amount * told("bytes of each", each, "B");
    return adapts ? all / told("shards", shard) : all;
  };
  // Gradients follow an offloaded optimiser as they arise (ZeRO-Offload, arXiv 2101.06840).
  const auto state = [&](std::string_view quantity, double each, double shard, bool gone) {
    const Recorded entry{quantity, "{:.2f}", "GiB", "arXiv 1910.02054"};
    if (!gone) return record<Bytes>(trace, entry, [&](auto told) { return trained(told, each, shard); });
    if (trace != nullptr) note(*trace, entry, 0, say("none stay on the GPU"));
    return Bytes{};
  };
  const bool offloads = training.offload != Offload::none;
  const bool used_up = trace != nullptr && are_used_up(job, layout);  // seen to by what adds up the peak
  memory.gradients = state("memory.gradients", width.gradient, shards.gradients, offloads || used_up);
  memory.optimizer = state("memory.optimizer", width.optimizer, shards.optimizer, offloads);
  return memory;
}

StagePart stage_part(const TrainingJob& job, const Machine& machine, const Layout& layout, bool first, bool last,
                     Trace* trace = nullptr) {
  const Stage stage = make_stage(job, layout, first, last);
  StagePart part{stage,
                 states(job, layout, stage, make_shards(machine, layout), trace),
                 states(job, layout, stage, {}).gradients,
                 buffers(job, machine, layout, stage, trace),
                 step_temporaries(job, machine, layout, stage),
                 first};
  part.states.framework = record(trace, {"memory.framework", "{:.2f}", "GiB", "calibration"}, [&](auto told) {
    return told("CUDA context", gib(job.c.context_gib.of("training"))) +
           told.some("communication library", gib(machine.gpus() > 1 ? job.collectives_gib : 0));
  });
  return part;
}

MemoryBreakdown stage_memory(const TrainingJob& job, const Layout& layout, const StagePart& of,
                             Trace* trace = nullptr) {
  StagePart part = of;
  part.stage.microbatches_alive = microbatches_alive(job, layout, part.first);
  MemoryBreakdown memory = part.states;
  add_peak(job, layout, part, memory, trace);
  return memory;
}

}  // namespace

double optimizer_bytes(const Job& work, double width) {
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

Bytes training_states(const Job& work, Precision precision) {
  static const Coefficients kNone;  // none is asked of a single stage
  const TrainingJob job(work, kNone);
  Layout layout;
  layout.precision = precision;
  const MemoryBreakdown memory = states(job, layout, make_stage(job, layout, true, true), {});
  return memory.weights + memory.gradients + memory.optimizer;
}

std::optional<Bytes> checkpoint_size(const Job& work, Precision precision) {
  if (work.model == nullptr) return std::nullopt;
  if (work.counted) {
    // Networks that are counted in samples keep weights and states in fp32, whole on every GPU.
    const bool whole = std::holds_alternative<job::SampleJob>(work.counted->job) && work.model->params_b;
    if (!whole || job::trains_adapter(work.training.method)) return std::nullopt;
    return bytes(*work.model->params_b * 1e9 * (4 + optimizer_bytes(work, 4)));
  }
  const double trained = trainable_parameters(work);
  if (trained == 0) return std::nullopt;
  const StateBytes width = bytes_per_parameter(work, *work.training.framework_record, precision);
  return bytes(trained * (width.weight + width.optimizer));
}

Bytes offloaded_states(const Job& work, Precision precision) {
  if (work.training.offload == Offload::none) return {};
  const StateBytes width = bytes_per_parameter(work, *work.training.framework_record, precision);
  const Bytes states = bytes(trainable_parameters(work) * (width.gradient + width.optimizer));
  const Bytes weights = bytes(work.parameters.total() * storage_bytes(precision));
  return work.training.offload == Offload::params ? states + weights : states;
}

Division divide(const TrainingJob& job, const Machine& machine, const Layout& layout) {
  const bool whole = layout.pp == 1;
  Division out{stage_part(job, machine, layout, true, whole), std::nullopt};
  if (!whole) out.last = stage_part(job, machine, layout, false, true);
  return out;
}

MemoryBreakdown uniform_memory(const TrainingJob& job, const Division& division, const Layout& layout) {
  const MemoryBreakdown first = stage_memory(job, layout, division.first);
  if (!division.last) return first;
  const MemoryBreakdown last = stage_memory(job, layout, *division.last);
  return last.total() > first.total() ? last : first;
}

MemoryBreakdown uniform_memory(const TrainingJob& job, const Machine& machine, const Layout& layout, Trace* trace) {
  const Division division = divide(job, machine, layout);
  const MemoryBreakdown fullest = uniform_memory(job, division, layout);
  if (trace == nullptr) return fullest;
  const bool first = fullest.total() == stage_memory(job, layout, division.first).total();
  return stage_memory(job, layout, stage_part(job, machine, layout, first, !first || !division.last, trace), trace);
}

}  // namespace gpusel::physics
