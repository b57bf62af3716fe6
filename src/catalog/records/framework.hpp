// Training frameworks: whose layers and loss run, what each can do, and what it does unasked.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/values/enum.hpp"
#include "catalog/records/field.hpp"

namespace gpusel::catalog {

/// Whose layers and loss run, whoever shards them: coefficients of layers have cases by these names. megatron: fused
/// layers, vocabulary-parallel loss; compiled: PyTorch's own with fused norms and activations; eager: Hugging Face's
/// models as they are; torchtune: its own models, loss in chunks; unsloth: its own kernels around Hugging Face's
/// models.
enum class LayerCode : std::uint8_t { megatron, compiled, eager, torchtune, litgpt, unsloth };

/// What a list of abilities may say. The room `job` has the same words as what can be asked for.
inline constexpr auto kMethodWords = std::to_array<std::string_view>({"full", "lora", "qlora", "ptuning", "prefix"});
inline constexpr auto kArithmeticWords =
    std::to_array<std::string_view>({"fp32", "tf32", "fp16", "bf16", "fp8", "nvfp4"});
inline constexpr auto kOptimizerWords = std::to_array<std::string_view>(
    {"adamw", "adamw8bit", "paged-adamw", "paged-adamw8bit", "adafactor", "sgd", "lamb", "lion", "muon"});
inline constexpr auto kCheckpointingWords = std::to_array<std::string_view>({"none", "selective", "full"});
inline constexpr auto kShardingWords =
    std::to_array<std::string_view>({"none", "ddp", "zero1", "zero2", "zero3", "fsdp", "hsdp"});
inline constexpr auto kParallelWords =
    std::to_array<std::string_view>({"data", "tensor", "pipeline", "context", "expert"});
inline constexpr auto kOffloadWords = std::to_array<std::string_view>({"none", "optimizer", "params"});

/// A list of abilities that is empty is not known, and nothing is refused by it.
struct Framework {
  std::string_view id;
  std::string_view name;
  TextList aliases;
  std::string_view release;  // that the abilities were read of
  LayerCode code = LayerCode::eager;
  std::optional<LayerCode> adapter_code;  // where it trains adapters
  TextList methods;
  TextList precisions;
  TextList optimizers;
  TextList checkpointing;
  TextList sharding;
  TextList parallel;
  TextList offload;
  TextList accelerators;  // makes or architectures
  Number min_compute_capability;
  std::optional<bool> splits_layers;          // divides layers over GPUs unasked where one is too small
  std::optional<bool> shards_stages;          // pipeline stages may divide gradients and weights over ranks too
  std::optional<bool> recomputes_some;        // can checkpoint some of the layers only
  std::optional<bool> trains_pure;            // loads and trains everything in the arithmetic's own format
  std::optional<bool> masters_if_sharded;     // of those: keeps fp32 masters where states are divided
  std::optional<bool> recomputes_all;         // gradient checkpointing is on until it is turned off
  std::optional<bool> recomputes_if_sharded;  // has gradient checkpointing only where states are divided
  std::optional<bool> fuses_loss;             // never holds all logits
  std::optional<bool> keeps_sequence;         // tensor ranks do not share what lies between their products
  std::optional<bool> gathers_gradients;      // FSDP's whole gradients add up on each GPU between optimiser steps
  std::optional<bool> steps_in_backward;      // its recipes for one GPU step while gradients come in
  TextList sources;
  std::string_view notes;

  /// Fused layers, fp32 gradients in buffers that stay, a distributed optimiser.
  bool megatron_core() const { return code == LayerCode::megatron; }
  /// Whose layers run, with adapters or without.
  LayerCode code_of(bool adapters) const { return adapters ? adapter_code.value_or(code) : code; }
};

/// Whether a list of abilities has it, or says nothing.
inline bool may(const TextList& abilities, std::string_view word) { return none_or_has(abilities, word); }

template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, Framework>
void visit_fields(Record& f, Visitor&& v) {
  v(Field{.path = "id", .json = "id", .required = true}, f.id);
  v(Field{.path = "name", .json = "name", .required = true}, f.name);
  v(Field{.path = "aliases", .json = "aliases"}, f.aliases);
  v(Field{.path = "release", .json = "release"}, f.release);
  v(Field{.path = "code", .json = "code"}, f.code);
  v(Field{.path = "adapter_code", .json = "adapter_code"}, f.adapter_code);
  v(Field{.path = "methods", .json = "methods", .words = kMethodWords}, f.methods);
  v(Field{.path = "precisions", .json = "precisions", .words = kArithmeticWords}, f.precisions);
  v(Field{.path = "optimizers", .json = "optimizers", .words = kOptimizerWords}, f.optimizers);
  v(Field{.path = "checkpointing", .json = "checkpointing", .words = kCheckpointingWords}, f.checkpointing);
  v(Field{.path = "sharding", .json = "sharding", .words = kShardingWords}, f.sharding);
  v(Field{.path = "parallel", .json = "parallel", .words = kParallelWords}, f.parallel);
  v(Field{.path = "offload", .json = "offload", .words = kOffloadWords}, f.offload);
  v(Field{.path = "accelerators", .json = "accelerators"}, f.accelerators);
  v(Field{.path = "min_compute_capability", .json = "min_compute_capability", .range = {1, 50}},
    f.min_compute_capability);
  v(Field{.path = "habits.splits_layers", .json = "splits_layers"}, f.splits_layers);
  v(Field{.path = "habits.shards_stages", .json = "shards_stages"}, f.shards_stages);
  v(Field{.path = "habits.recomputes_some", .json = "recomputes_some"}, f.recomputes_some);
  v(Field{.path = "habits.trains_pure", .json = "trains_pure"}, f.trains_pure);
  v(Field{.path = "habits.masters_if_sharded", .json = "masters_if_sharded"}, f.masters_if_sharded);
  v(Field{.path = "habits.recomputes_all", .json = "recomputes_all"}, f.recomputes_all);
  v(Field{.path = "habits.recomputes_if_sharded", .json = "recomputes_if_sharded"}, f.recomputes_if_sharded);
  v(Field{.path = "habits.fuses_loss", .json = "fuses_loss"}, f.fuses_loss);
  v(Field{.path = "habits.keeps_sequence", .json = "keeps_sequence"}, f.keeps_sequence);
  v(Field{.path = "habits.gathers_gradients", .json = "gathers_gradients"}, f.gathers_gradients);
  v(Field{.path = "habits.steps_in_backward", .json = "steps_in_backward"}, f.steps_in_backward);
  v(Field{.path = "sources", .json = "sources", .required = true}, f.sources);
  v(Field{.path = "notes", .json = "notes"}, f.notes);
}

}  // namespace gpusel::catalog

template <>
inline constexpr auto gpusel::enum_names<gpusel::catalog::LayerCode> =
    std::to_array<std::string_view>({"megatron", "compiled", "eager", "torchtune", "litgpt", "unsloth"});
