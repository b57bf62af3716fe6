#include "physics/serving/engine_limits.hpp"

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

}  // namespace

std::string_view generation_on(const job::Inference& job, const Device& device) {
  if (device.processor != nullptr) return "processor";  // kernels of their own
  const bool first_v1 = job.generation == "v1";
  const bool later = job.generation.empty() || job.generation == "synchronous" || job.generation == "async";
  if (job.engine != job::Engine::vllm || !(first_v1 || later)) return job.generation;
  const double capability = device.gpu->capability.value_or(kLeastBesideV0);
  return capability < (first_v1 ? kLeastBesideV0 : kLeastSince) ? std::string_view("v0") : job.generation;
}

EngineLimits engine_limits(const job::Job& work, const Machine& machine, const Coefficients& c) {
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
  return limits;
}

}  // namespace gpusel::physics
