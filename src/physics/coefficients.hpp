// The few numbers that are fitted or measured rather than derived: data/calibration.yaml holds each
// with its meaning, unit and source, and code holds none.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/io/document.hpp"
#include "base/values/error.hpp"

namespace gpusel::catalog {
class Catalog;
}

namespace gpusel::physics {

/// A value, and other values for single cases (an architecture, an engine, a kind of link).
struct Coefficient {
  double value = 0;
  std::vector<std::pair<std::string, double>> cases;

  double of(std::string_view name) const {
    for (const auto& [key, special] : cases)
      if (key == name) return special;
    return value;
  }

  /// The case of `name`, else that of `group`.
  double either(std::string_view name, std::string_view group) const {
    for (const auto& [key, special] : cases)
      if (key == name) return special;
    return of(group);
  }

  /// The case of a kind of `name` ("hf int8"), else that of `name` itself.
  double of(std::string_view name, std::string_view kind) const {
    const auto* special = find(name, kind);
    return special != nullptr ? *special : of(name);
  }
  double of(std::string_view name, std::string_view kind, std::string_view other_kind) const {
    const auto* special = find(name, kind);
    return special != nullptr ? *special : of(name, other_kind);
  }

  double of(std::string_view name, std::string_view first, std::string_view second, std::string_view third) const {
    const auto* special = find(name, first);
    return special != nullptr ? *special : of(name, second, third);
  }

 private:
  const double* find(std::string_view name, std::string_view kind) const {
    if (kind.empty()) return nullptr;
    for (const auto& [key, special] : cases)
      if (key.size() == name.size() + 1 + kind.size() && key.starts_with(name) && key[name.size()] == ' ' &&
          key.ends_with(kind))
        return &special;
    return nullptr;
  }
};

struct CountedCoefficients;
struct EconomyCoefficients;
struct OwnCalibration;
class EngineAbilities;

struct Coefficients {
  std::string version;
  std::shared_ptr<const CountedCoefficients> counted;  // of work that is counted in items of its own
  std::shared_ptr<const EconomyCoefficients> economy;  // gpusel/estimate/economy.hpp
  std::shared_ptr<const OwnCalibration> own;           // of the user's own measurements, gpusel/estimate/own.hpp
  std::shared_ptr<const EngineAbilities> engines;      // what serving engines run where; null: nothing is known of it

  // Memory that no formula of the model gives.
  Coefficient driver_reserve_gib;  // between what the driver reports and what a process can have
  Coefficient context_gib;         // CUDA context and loaded kernels
  Coefficient collectives_gib;     // NCCL, where there are several GPUs
  Coefficient allocator_slack;     // share of everything that is allocated and freed each step
  Coefficient fragmentation;       // share of what is alive that the allocator cannot give back before it fails
  Coefficient selective_share;     // of activations that selective checkpointing keeps
  Coefficient unquantised_bytes;   // per parameter of what QLoRA leaves unquantised, by framework
  Coefficient gated_bytes;         // kept per FFN column of a gated layer, by framework
  Coefficient logits_bytes;        // per logit alive at once, by framework
  Coefficient fused_logits_bytes;  // per logit where the loss is fused
  Coefficient step_bytes;          // temporaries of the optimiser step per trained parameter, by framework
  Coefficient gathered_layers;     // layers held unsharded by ZeRO-3 and FSDP
  Coefficient reduce_bucket_elements;

  // Arithmetic.
  Coefficient gemm_efficiency;           // of dense peak for large products, by architecture
  Coefficient low_precision_efficiency;  // of fp8 and fp4 products, relative to 16 bit
  Coefficient training_efficiency;       // the same in fused training, by architecture
  Coefficient watts_per_tflops;          // of the part that it was measured on, by architecture
  Coefficient power_exponent;            // how the share follows a part's own watts per TFLOPS
  Coefficient assumed_flop_per_byte;     // 16-bit rate over bandwidth of parts that publish none; low and high: of 80 %
  Coefficient eager_efficiency;          // of products where layers are not fused, by architecture
  Coefficient gemm_tokens_half;          // tokens per pass at which half of it is reached
  Coefficient gemm_width_half;           // matrix width at which half of it is reached
  Coefficient format_efficiency;         // of training arithmetic other than 16 bit, relative to it
  Coefficient attention_efficiency;      // of the 16-bit dense peak, fused attention, by architecture
  Coefficient expert_bytes;              // moved per hidden value of a routed copy of a token, forward pass
  Coefficient logit_traffic;             // moved per logit, all passes, by framework
  Coefficient score_bytes;               // moved per attention score where attention is not fused, by framework
  Coefficient dequantise_bytes;          // of memory traffic that widening one 4-bit weight costs in time
  Coefficient bandwidth_efficiency;      // of peak bandwidth for streaming kernels
  Coefficient pointwise_bytes;           // moved per hidden value, token and layer, forward pass, by framework
  Coefficient adapter_bytes;             // moved per hidden value, token and layer for adapters, forward pass
  Coefficient cast_bytes;                // moved per hidden value and layer to narrow 16-bit values, by arithmetic
  Coefficient training_layer_us;         // host time to launch one layer, forward pass, by framework
  Coefficient launch_exposed;            // share of the shorter of launching and computing that does not overlap
  Coefficient adapter_layer_us;          // the same for a layer's adapters
  Coefficient chunk_layers;              // layers of one chunk of an interleaved pipeline, by framework
  Coefficient step_ms;                   // fixed cost of an optimiser step
  Coefficient training_step_scale;       // of the time of every step, by machine_case(): of own measurements
  Coefficient host_memory_gbs;           // bandwidth that a CPU optimiser step gets

  // Communication.
  Coefficient link_efficiency;     // of the link's one-way peak, by kind
  Coefficient link_latency_us;     // of one collective, by kind
  Coefficient network_efficiency;  // by rdma, tcp
  Coefficient network_latency_us;
  Coefficient gradient_overlap;  // share of backward time that hides gradient and weight traffic
  Coefficient least_exposed;     // share of that traffic that nothing can hide
  Coefficient tensor_exposed;    // share of tensor-parallel traffic that shows, by framework
  Coefficient straggler;         // loss per doubling of nodes

  // Inference.
  Coefficient decode_bandwidth_efficiency;   // by engine
  Coefficient tflops_per_watt;               // of 16-bit products that the board's power allows, by compute capability
  Coefficient decode_attention_share;        // of the fp32 rate that attention of single tokens reaches, by engine
  Coefficient collective_us;                 // fixed time of an all-reduce of two GPUs while serving, by link
  Coefficient collective_growth;             // exponent: how that time grows with the GPUs, by link
  Coefficient bandwidth_share;               // of that, where an architecture's kernels read less well
  Coefficient fixed_scale;                   // of fixed costs of a step, by architecture and generation
  Coefficient expert_format_us;              // on top for experts in a format, by architecture or engine
  Coefficient unpack_share;                  // of the fp32 rate, where weights are unpacked for each token; 0: not
  Coefficient multiprocessor_bytes;          // that one multiprocessor can ask of memory per clock, by engine
  Coefficient cache_efficiency;              // reading caches against reading weights, by engine
  Coefficient cache_copies;                  // of the expanded cache made in each step, by engine
  Coefficient decode_layer_us;               // fixed cost per layer and step, by engine
  Coefficient expert_layer_us;               // on top for a layer of experts, by engine
  Coefficient host_layer_us;                 // launching a layer without graphs, by engine
  Coefficient host_exposed;                  // share of the shorter of launching and computing that does not overlap
  Coefficient graph_tokens;                  // context up to which an engine that has both uses graphs
  Coefficient host_expert_us;                // launching an expert where engines loop over them
  Coefficient decode_step_us;                // fixed cost per step, by engine
  Coefficient step_scale;                    // of the time of every step, by machine_case(): of own measurements
  Coefficient decode_rows_half;              // sequences per step at which products reach half their rate
  Coefficient prompt_rows_half;              // the same of a pass over prompts, by engine
  Coefficient prefill_efficiency;            // relative to large products, by engine
  Coefficient half_rate_gain;                // of cards whose matrix units run at half rate, by engine
  Coefficient expert_efficiency;             // products of experts against dense ones
  Coefficient expert_rows_half;              // tokens per expert at which its products reach half their rate
  Coefficient prefill_attention_efficiency;  // attention in prompts against products, by engine
  Coefficient prefill_bytes;                 // moved per hidden value, token and layer between products, by engine
  Coefficient prefill_layer_us;              // launching a layer of a prompt's pass, hidden behind the GPU's work
  Coefficient prompt_expert_layer_us;        // the same on top for a layer of experts
  Coefficient prompt_graph_tokens;           // rows of a pass with prompts up to which it is replayed from graphs
  Coefficient pipelines_prompts;             // 1: passes of a prompt follow each other through GPUs in turn
  Coefficient chain_share;                   // of one GPU's time that a prompt takes on a chain of any length
  Coefficient chain_hop;                     // on top for each GPU of the chain
  Coefficient arrival_ms;                    // front end, for each of the requests that come at once
  Coefficient request_ms;                    // front end, per request before its first token
  Coefficient arrivals_together;             // share of the others whose prompts come with a request's own
  Coefficient prompt_interference;           // share of the others' prompt time that shows between tokens
  Coefficient reserved_output;               // share of the answer for which the scheduler keeps room
  Coefficient dequantise_efficiency;         // of compute-bound work on weight-only formats
  Coefficient serving_efficiency;            // of a steady mix, by engine
  Coefficient sequence_us;                   // scheduling, sampling and sending, per sequence and step, by engine
  Coefficient batched_tokens;                // tokens in one prefill pass, by engine
  Coefficient whole_prompt_tokens;           // prompts up to this length are never cut into chunks, by engine
  Coefficient max_sequences;                 // decoded together, by engine
  Coefficient engine_memory_share;           // of the card an engine takes, by engine
  Coefficient engine_workspace_gib;          // graphs and buffers, by engine
  Coefficient activation_copies;             // temporaries of a prefill pass
  Coefficient sampler_bytes;                 // per logit of the sequences sampled together, by engine
  Coefficient prompt_logits_bytes;           // per logit of every prompt token, where engines compute all of them
  Coefficient counted_deviation;             // of the logarithm of weights and caches over their prediction, by engine
  Coefficient memory_deviation;              // of that of all other memory, by engine
  Coefficient process_gib;                   // context and kernels of a serving process, by engine

  // How engines schedule: data/calibration/serving.yaml.
  Coefficient async_steps;       // put together ahead of the one that runs, by engine
  Coefficient prompts_first;     // 1: a step is prompts or decoding, and prompts come first
  Coefficient chunked_prefill;   // 1: a long prompt takes several steps
  Coefficient prefix_caching;    // 1: prefixes stay behind their requests
  Coefficient block_tokens;      // of the paged cache
  Coefficient kept_answer;       // share of the answers to come that admission keeps room for
  Coefficient compute_spread;    // of the logarithm of what arithmetic takes
  Coefficient front_end_spread;  // of what the front end takes

  // Standard deviation of the logarithm of memory over its prediction.
  Coefficient states_deviation;       // of weights, gradients and optimiser states
  Coefficient activations_deviation;  // of what a training step holds besides

  // 80 % intervals: measured over predicted, low and high, by task and class of hardware.
  Coefficient interval_memory_low, interval_memory_high;
  Coefficient interval_speed_low, interval_speed_high;
  Coefficient interval_between, interval_within;  // deviations of serving speeds: between sources, and within one
  Coefficient interval_unmeasured;                // factor where an engine was measured on no such part, or format
  Coefficient interval_measured;                  // measurements behind a width, by engine and architecture or format
  Coefficient interval_widening;  // exponent of these ratios where less is known: by architecture, experts, nodes

  Coefficient min_fit;  // chance to fit that planners look for where none is asked (data/rules/fit.yaml)

  // How measurements of the user's own count.
  Coefficient own_prior_rows;         // that the shipped width of an interval weighs as much as
  Coefficient own_noise_floor;        // least spread of runs that are the same
  Coefficient own_outlier;            // times an interval's end beyond which a figure is left out
  Coefficient own_least_sensitivity;  // of a figure to a coefficient that it may change
  Coefficient own_setup_hours;        // before a test can run on what was rented for it
};

/// Whether the user's own calibration takes effect.
enum class Own : std::uint8_t { counts, left_out };

/// From the documents that have a `calibration` section, later ones over earlier.
/// Errors: unknown, missing or impossible coefficients, with file:line:column.
std::expected<Coefficients, Errors> read_coefficients(std::span<const Document> documents, Own own = Own::counts);
/// The catalogue's, with its `engines`.
std::expected<Coefficients, Errors> read_coefficients(const catalog::Catalog& catalog, Own own = Own::counts);

}  // namespace gpusel::physics
