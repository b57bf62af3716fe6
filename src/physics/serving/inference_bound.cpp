#include "physics/serving/inference_bound.hpp"

#include <algorithm>
#include <limits>

#include "physics/serving/inference_load.hpp"

namespace gpusel::physics {

namespace {

/// Whether all that a request takes is its prompt and a step for each token, on the layers of one stack.
bool is_plain(const job::Job& work) {
  const auto& job = work.inference;
  const catalog::Model& model = *work.model;
  return model.is_generator() && !model.is_encoder_decoder() && !model.decoder_layers && job.output_tokens > 0 &&
         !job.draft && !job.disaggregated_prefill && !lays_out_in_turn(job.engine);
}

}  // namespace

double most_tokens_per_s(const job::Job& work, const Machine& machine, const WeightFormat& weights,
                         const Coefficients& coefficients) {
  const auto& job = work.inference;
  const auto rate = compute_rate(weights, machine.device);
  if (!rate) return 0;
  if (!is_plain(work)) return std::numeric_limits<double>::infinity();
  Layout alone;
  alone.weights = &weights;
  // No cache is narrower unless asked for.
  const bool narrow = job.engine == job::Engine::trt_llm;
  alone.kv = job.kv_precision.value_or(narrow ? job::KvPrecision::fp8 : job::KvPrecision::bf16);
  const Replica replica(work, machine, alone, coefficients, *rate);
  const auto output = static_cast<double>(job.output_tokens);
  const double input = static_cast<double>(job.input_tokens) * (1 - job.prefix_cache_hit);
  const Seconds busy = replica.least_prompt(input) + replica.least_token(halfway(job)) * (output - 1);
  return std::max(1.0, replica.of(coefficients.serving_efficiency)) * output / busy.raw();
}

}  // namespace gpusel::physics
