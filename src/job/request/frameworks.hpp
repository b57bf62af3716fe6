// Training frameworks by name, whose code they run, and what each does unasked.
#pragma once

#include <span>
#include <string_view>

namespace gpusel::job {

/// Whose layers and loss run, whoever shards them: coefficients of layers have cases by these names.
namespace code {
inline constexpr std::string_view kMegatron = "megatron";    // fused layers, vocabulary-parallel loss
inline constexpr std::string_view kCompiled = "compiled";    // of PyTorch, with fused norms and activations
inline constexpr std::string_view kEager = "eager";          // Hugging Face's models as they are
inline constexpr std::string_view kTorchtune = "torchtune";  // its own models, loss in chunks
inline constexpr std::string_view kLitgpt = "litgpt";
inline constexpr std::string_view kUnsloth = "unsloth";  // its own kernels around Hugging Face's models
}  // namespace code

struct Framework {
  std::string_view name;
  std::string_view code = code::kEager;
  std::string_view adapter_code = code;  // where it trains adapters
  bool splits_layers = false;            // divides layers over GPUs: tensor, pipeline, context or expert parallel
  bool shards_stages = false;          // pipeline stages may divide gradients and weights over data-parallel ranks too
  bool recomputes_some = false;        // can checkpoint some of the layers only
  bool selects = false;                // can checkpoint some of a layer's operations only
  bool trains_pure = false;            // loads and trains everything in the arithmetic's own format
  bool masters_if_sharded = false;     // of those: keeps fp32 masters where states are divided
  bool recomputes_all = false;         // gradient checkpointing is on until it is turned off
  bool recomputes_if_sharded = false;  // has gradient checkpointing only where states are divided
  bool fuses_loss = false;             // never holds all logits
  bool shares_sequence = true;         // tensor ranks also share what lies between their products
  bool gathers_gradients = false;      // FSDP's whole gradients add up on each GPU between the steps of an optimiser
  bool steps_in_backward = false;      // its recipes for a single GPU step while gradients come in

  /// Fused layers, fp32 gradients in buffers that stay, a distributed optimiser.
  constexpr bool megatron_core() const { return code == code::kMegatron; }
};

std::span<const Framework> frameworks();

/// Nothing where nobody here knows the name.
const Framework* find_framework(std::string_view folded_name);

/// What is taken where nobody said: any layout, and no habits.
const Framework& framework_of(std::string_view folded_name);

}  // namespace gpusel::job
