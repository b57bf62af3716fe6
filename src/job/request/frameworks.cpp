#include "job/request/frameworks.hpp"

#include <algorithm>
#include <array>

namespace gpusel::job {

namespace {

constexpr std::array kFrameworks{
    Framework{.name = "megatron",
              .splits_layers = true,
              .shards_stages = true,
              .megatron_core = true,
              .recomputes_some = true},
    Framework{
        .name = "nemo", .splits_layers = true, .shards_stages = true, .megatron_core = true, .recomputes_some = true},
    // "ZeRO-2 and ZeRO-3 are incompatible with pipeline parallelism": its PipelineEngine.
    Framework{.name = "deepspeed", .splits_layers = true},
    Framework{.name = "torchtitan", .splits_layers = true, .shards_stages = true, .recomputes_some = true},
    Framework{.name = "fsdp", .recomputes_some = true},
    Framework{.name = "hf-trainer"},
    Framework{.name = "trl"},
    Framework{.name = "axolotl"},
    Framework{.name = "xtuner"},
    Framework{.name = "torchtune", .trains_pure = true, .steps_in_backward = true},
    Framework{.name = "litgpt", .trains_pure = true},
    Framework{.name = "unsloth", .trains_pure = true, .recomputes_all = true},
    Framework{.name = "llama-factory", .recomputes_all = true},
    Framework{.name = "ms-swift", .recomputes_all = true},
};
constexpr Framework kUnknown{.name = "", .splits_layers = true, .shards_stages = true};

}  // namespace

std::span<const Framework> frameworks() { return kFrameworks; }

const Framework* find_framework(std::string_view folded_name) {
  const auto* found = std::ranges::find(kFrameworks, folded_name, &Framework::name);
  return found == kFrameworks.end() ? nullptr : found;
}

const Framework& framework_of(std::string_view folded_name) {
  const Framework* found = find_framework(folded_name);
  return found != nullptr ? *found : kUnknown;
}

}  // namespace gpusel::job
