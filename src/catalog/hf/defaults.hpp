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

/// K/V heads of a class whose default is not as many as heads, from its own code; nothing for others.
inline Number usual_kv_heads_of(std::string_view type) {
  struct Usual {
    std::string_view type;
    double heads;
  };
  static constexpr Usual kUsual[] = {{"bamba", 8},     {"gemma2", 4},  {"gemma3_text", 4}, {"gemma3n_text", 2},
                                     {"glm4_moe", 8},  {"gpt_oss", 8}, {"jamba", 8},       {"mistral", 8},
                                     {"mixtral", 8},   {"phimoe", 8},  {"qwen3_moe", 4},   {"qwen3_next", 2},
                                     {"starcoder2", 2}};
  for (const Usual& each : kUsual)
    if (each.type == type) return each.heads;
  return std::nullopt;
}

}  // namespace gpusel::catalog::hf
