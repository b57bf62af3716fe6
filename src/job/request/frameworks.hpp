// Training frameworks by name, and what each does unasked.
#pragma once

#include <span>
#include <string_view>

namespace gpusel::job {

struct Framework {
  std::string_view name;
  bool splits_layers = false;      // divides layers over GPUs: tensor, pipeline, context or expert parallel
  bool shards_stages = false;      // pipeline stages may divide gradients and weights over data-parallel ranks too
  bool megatron_core = false;      // fused layers, fp32 gradients in buffers that stay, a distributed optimiser
  bool recomputes_some = false;    // can checkpoint some of the layers only
  bool trains_pure = false;        // loads and trains everything in the arithmetic's own format
  bool recomputes_all = false;     // gradient checkpointing is on until it is turned off
  bool steps_in_backward = false;  // its recipes for a single GPU step while gradients come in
};

std::span<const Framework> frameworks();

/// Nothing where nobody here knows the name.
const Framework* find_framework(std::string_view folded_name);

/// What is taken for it then: any layout, and no habits.
const Framework& framework_of(std::string_view folded_name);

}  // namespace gpusel::job
