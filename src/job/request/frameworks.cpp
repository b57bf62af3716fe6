#include "job/request/frameworks.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace gpusel::job {

namespace {

constexpr Framework megatron(std::string_view name) {
  return {.name = name,
          .code = code::kMegatron,
          .splits_layers = true,
          .shards_stages = true,
          .recomputes_some = true,
          .selects = true};
}

/// Fully sharded recipes of PyTorch's own.
constexpr Framework compiled(std::string_view name) {
  return {.name = name, .code = code::kCompiled, .recomputes_some = true, .selects = true};
}

/// Recipes over Hugging Face's trainer that load weights at 16 bit; DeepSpeed and FSDP widen what they divide.
constexpr Framework recipes(std::string_view name, bool recomputes_all) {
  return {.name = name,
          .trains_pure = true,
          .masters_if_sharded = true,
          .recomputes_all = recomputes_all,
          .gathers_gradients = true};
}

constexpr std::array kFrameworks{
    megatron("megatron"),
    megatron("nemo"),
    megatron("megatron-lm"),
    megatron("megatron-bridge"),
    megatron("megatron-deepspeed"),
    megatron("flagscale"),
    megatron("pai-megatron"),
    // "ZeRO-2 and ZeRO-3 are incompatible with pipeline parallelism": its PipelineEngine.
    Framework{.name = "deepspeed", .splits_layers = true},
    Framework{.name = "torchtitan",
              .code = code::kCompiled,
              .splits_layers = true,
              .shards_stages = true,
              .recomputes_some = true,
              .selects = true},
    Framework{.name = "fsdp",
              .code = code::kCompiled,
              .adapter_code = code::kEager,
              .recomputes_some = true,
              .selects = true},
    compiled("fms-fsdp"),
    Framework{.name = "llm-foundry", .code = code::kCompiled, .recomputes_some = true, .fuses_loss = true},
    Framework{.name = "internevo", .code = code::kCompiled, .splits_layers = true, .recomputes_some = true},
    Framework{
        .name = "paddlenlp", .code = code::kCompiled, .splits_layers = true, .selects = true, .shares_sequence = false},
    Framework{.name = "hf-trainer", .gathers_gradients = true},
    Framework{.name = "trl", .gathers_gradients = true},
    Framework{.name = "accelerate", .gathers_gradients = true},
    Framework{.name = "nemo-automodel"},
    Framework{.name = "xtuner"},
    recipes("axolotl", false),
    recipes("ms-swift", true),
    Framework{.name = "llama-factory", .recomputes_all = true, .gathers_gradients = true},
    Framework{.name = "torchtune", .code = code::kTorchtune, .trains_pure = true, .steps_in_backward = true},
    Framework{.name = "litgpt",
              .code = code::kLitgpt,
              .trains_pure = true,
              .recomputes_if_sharded = true,
              .gathers_gradients = true},
    Framework{.name = "unsloth", .code = code::kUnsloth, .trains_pure = true, .recomputes_all = true},
};
constexpr Framework kUnknown{.name = "", .splits_layers = true, .shards_stages = true, .selects = true};

/// Other spellings.
constexpr std::pair<std::string_view, std::string_view> kAliases[] = {{"megatron-core", "megatron"},
                                                                      {"nemo-framework", "nemo"},
                                                                      {"mcore", "megatron"},
                                                                      {"transformers", "hf-trainer"},
                                                                      {"huggingface", "hf-trainer"},
                                                                      {"hf", "hf-trainer"},
                                                                      {"peft", "hf-trainer"},
                                                                      {"pytorch-fsdp", "fsdp"},
                                                                      {"composer", "llm-foundry"},
                                                                      {"swift", "ms-swift"},
                                                                      {"lit-gpt", "litgpt"},
                                                                      {"automodel", "nemo-automodel"},
                                                                      {"pai-megatron-patch", "pai-megatron"}};

}  // namespace

std::span<const Framework> frameworks() { return kFrameworks; }

const Framework* find_framework(std::string_view folded_name) {
  const auto* alias = std::ranges::find(kAliases, folded_name, &std::pair<std::string_view, std::string_view>::first);
  const std::string_view name = alias != std::end(kAliases) ? alias->second : folded_name;
  const auto* found = std::ranges::find(kFrameworks, name, &Framework::name);
  return found == kFrameworks.end() ? nullptr : found;
}

const Framework& framework_of(std::string_view folded_name) {
  const Framework* found = find_framework(folded_name);
  return found != nullptr ? *found : kUnknown;
}

}  // namespace gpusel::job
