#include "physics/serving/engine_limits.hpp"

#include <algorithm>
#include <cmath>

namespace gpusel::physics {

namespace {

/// From this memory on vLLM takes on more by default, except on A100 (its arg_utils.py).
constexpr double kLargeMemoryGib = 70;

bool is_large(const Device& device) {
  return in_gib(device.usable) >= kLargeMemoryGib && !device.gpu->id.contains("a100");
}

// vLLM's V1 engine is for Ampere and later in releases that still have V0, and for Turing and later since.
constexpr double kLeastBesideV0 = 8.0;
constexpr double kLeastSince = 7.5;

/// What SGLang takes on by the memory of a GPU, below so many GiB (server_args.py of release 0.5).
struct SglangSize {
  double below_gib;
  double chunk;                   // tokens of prompts in a pass
  double graphs, graphs_of_four;  // largest batch whose graph is captured, and that from four GPUs on
};
constexpr SglangSize kSglangSizes[] = {
    {20, 2048, 8, 8}, {35, 2048, 24, 80}, {60, 4096, 32, 160}, {160, 8192, 256, 512}, {1e9, 16384, 512, 512}};

/// Weights and caches get what passes, graphs and buffers leave of a GPU.
void size_as_sglang(const Device& device, int gpus, EngineLimits& limits) {
  const double memory = in_gib(device.usable);
  const SglangSize& size = *std::ranges::find_if(kSglangSizes, [&](const auto& s) { return memory < s.below_gib; });
  limits.batched_tokens = size.chunk;
  constexpr double kMib = 1.0 / 1024, kLargeGib = 60, kLeastReservedLarge = 10, kLeastShare = 0.05;
  double reserved = kMib * (512 + 1.5 * size.chunk + 2 * (gpus >= 4 ? size.graphs_of_four : size.graphs)) + gpus / 8.0;
  if (memory > kLargeGib) reserved = std::max(reserved, kLeastReservedLarge);
  limits.memory_share = std::max(kLeastShare, std::round(1000 * (1 - reserved / memory)) / 1000);
  limits.fixed_pool = true;
}

}  // namespace

std::string_view generation_on(const job::Inference& job, const Device& device) {
  if (device.processor != nullptr) return "processor";  // kernels of their own
  const bool first_v1 = job.generation == "v1";
  const bool later = job.generation.empty() || job.generation == "synchronous" || job.generation == "async";
  if (job.engine != job::Engine::vllm || !(first_v1 || later)) return job.generation;
  const double capability = device.gpu->capability.value_or(kLeastBesideV0);
  return capability < (first_v1 ? kLeastBesideV0 : kLeastSince) ? std::string_view("v0") : job.generation;
}

EngineLimits engine_limits(const job::Job& work, const Machine& machine, int gpus, const Coefficients& c) {
  const auto& job = work.inference;
  const std::string_view engine = to_text(job.engine);
  const std::string_view generation = generation_on(job, machine.device);
  const bool large = is_large(machine.device);
  // A library that gets all prompts at once takes larger passes than a server.
  const bool offline = job.mode == job::Mode::throughput && !job.request_rate;
  std::string_view passes = large ? "large" : "";
  if (offline) passes = large ? "large offline" : "offline";
  EngineLimits limits;
  limits.sequences = c.max_sequences.of(engine, generation, large ? "large" : "");
  limits.batched_tokens = c.batched_tokens.of(engine, generation, passes);
  limits.memory_share = c.engine_memory_share.of(to_text(job::kernels_of(job.engine)));
  if (job.engine == job::Engine::sglang) size_as_sglang(machine.device, gpus, limits);
  if (job.mem_utilization) limits.memory_share = *job.mem_utilization;
  return limits;
}

}  // namespace gpusel::physics
