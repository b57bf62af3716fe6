// The shape that a class stands for where a nested configuration leaves out what equals it.
#pragma once

#include <string_view>

#include "catalog/records/field.hpp"

namespace gpusel::catalog::hf {

struct Defaults {
  std::string_view type;
  double layers, hidden, heads, kv_heads, ffn, vocabulary;
};

/// From the classes' own code; nothing for others.
inline const Defaults* find_defaults(std::string_view type) {
  static constexpr Defaults kDefaults[] = {
      {"gemma2", 26, 2304, 8, 4, 9216, 256000},      {"gemma3_text", 26, 2304, 8, 4, 9216, 262208},
      {"gemma", 28, 3072, 16, 16, 24576, 256000},    {"gemma3n_text", 35, 2048, 8, 2, 16384, 262400},
      {"gemma4_text", 30, 2304, 8, 4, 9216, 262144}, {"llama", 32, 4096, 32, 32, 11008, 32000},
      {"mistral", 32, 4096, 32, 8, 14336, 32000},    {"mixtral", 32, 4096, 32, 8, 14336, 32000},
      {"qwen2", 32, 4096, 32, 32, 22016, 151936},    {"qwen3", 32, 4096, 32, 32, 22016, 151936},
      {"phi3", 32, 3072, 32, 32, 8192, 32064},       {"qwen3_5_text", 32, 4096, 16, 4, 12288, 248320},
  };
  for (const Defaults& each : kDefaults)
    if (each.type == type) return &each;
  return nullptr;
}

}  // namespace gpusel::catalog::hf
