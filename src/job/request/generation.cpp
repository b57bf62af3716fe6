#include "job/request/generation.hpp"

#include <algorithm>
#include <array>

#include "base/words/message.hpp"

namespace gpusel::job {

namespace {

struct Generation {
  Engine engine;
  std::string_view name;
  int before_release;  // major × 1000 + minor
  int before_month;    // year × 12 + month
  int from_release = 0;
};

// vLLM: CUDA graphs from 0.3 on (January 2024), a leaner host loop and faster kernels for quantised weights
// from 0.6 (September 2024), the engine rewritten as V1 from 0.8 (March 2025), whole graphs and a loop of half the host
// time from 0.11 (October 2025), scheduling a step ahead from 0.14 (January 2026), a sampler that copies less from 0.17
// (March 2026). Transformers computes the
// logits of a prompt's last token only from 4.45 on (September 2024). TensorRT-LLM ran compiled engines behind a
// C++ runtime before its PyTorch backend, from 0.18 on (April 2025), whose loop is leaner from 1.0 on (September 2025).
// llama.cpp counts builds: CUDA graphs and int8 matrix units for prompts came by b3300 (July 2024); from b4753 on
// (February 2025) prompts gain less from a chain of GPUs.
constexpr std::array kGenerations = {
    Generation{Engine::vllm, "early", 3, 2024 * 12 + 1},
    Generation{Engine::vllm, "older", 6, 2024 * 12 + 9},
    Generation{Engine::vllm, "v0", 8, 2025 * 12 + 3},
    Generation{Engine::vllm, "v1", 11, 2025 * 12 + 10},
    Generation{Engine::vllm, "synchronous", 14, 2026 * 12 + 1},
    Generation{Engine::vllm, "async", 17, 2026 * 12 + 3},
    Generation{Engine::trt_llm, "engine", 18, 2025 * 12 + 4},
    Generation{Engine::trt_llm, "pytorch", 1000, 2025 * 12 + 9},
    Generation{Engine::llama_cpp, "older", 3300'000, 2024 * 12 + 7, 1000'000},
    Generation{Engine::llama_cpp, "pipelined", 4753'000, 2025 * 12 + 2, 1000'000},
    Generation{Engine::hf, "older", 4045, 2024 * 12 + 9},
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The number at the start of `text`, which it loses; at most six digits.
int take_number(std::string_view& text) {
  int number = 0;
  for (int digits = 0; !text.empty() && is_digit(text.front()) && digits < 6; ++digits, text.remove_prefix(1))
    number = number * 10 + (text.front() - '0');
  return number;
}

}  // namespace

std::string_view engine_generation(Engine engine, std::string_view version) {
  const auto start = std::find_if(version.begin(), version.end(), is_digit);
  std::string_view rest = version.substr(static_cast<std::size_t>(start - version.begin()));
  if (rest.empty()) return {};
  const int first = take_number(rest);
  const bool dated = first >= 2000 && first < 2100;
  const bool has_second = rest.size() > 1 && (rest.front() == '.' || rest.front() == '-') && is_digit(rest[1]);
  if (has_second) rest.remove_prefix(1);
  constexpr int kMidYear = 6;
  const int second = has_second ? take_number(rest) : dated ? kMidYear : 0;
  for (const Generation& generation : kGenerations) {
    if (generation.engine != engine) continue;
    const int release = first * 1000 + second;
    if (dated ? first * 12 + second < generation.before_month
              : release >= generation.from_release && release < generation.before_release)
      return generation.name;
  }
  return {};
}

std::string newest_generation(Engine engine) {
  const Generation* last = nullptr;
  for (const Generation& generation : kGenerations)
    if (generation.engine == kernels_of(engine)) last = &generation;
  if (last == nullptr || engine == Engine::ollama) return {};
  if (last->from_release > 0) return format(">=b{}", last->before_release / 1000);
  return format(">={}.{}", last->before_release / 1000, last->before_release % 1000);
}

}  // namespace gpusel::job
