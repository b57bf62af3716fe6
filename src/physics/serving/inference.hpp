// Memory and speed of serving one model with one plan on one machine. Prefill is compute-bound,
// decode reads all weights and caches once per step, and continuous batching shares the GPU between
// them. Formulas: docs/method.md.
#pragma once

#include <memory>

#include "physics/layout.hpp"
#include "physics/memory.hpp"
#include "physics/serving/loaded_steps.hpp"
#include "physics/trace.hpp"

namespace gpusel::physics {

/// What a deployment has room for.
struct CacheRoom {
  double share = 1;               // of the card that the engine takes
  Bytes counted;                  // weights and caches of what is needed within that share
  Bytes pool;                     // what that is
  Bytes cache_room;               // of it, what is left for caches on one GPU
  Bytes needed;                   // of a card, for the pool that it gets there to hold the asked load, or one request
  double sequences = 0;           // one replica decodes together at most
  double kv_tokens = 0;           // the pool has room for, per replica
  double max_concurrency = 0;     // requests of input + output tokens at once, whole deployment
  double steady_concurrency = 0;  // at once while answers grow, as far as the scheduler dares, whole deployment
  double concurrency = 0;         // requests in flight the rest of the figures are for, whole deployment
  double longest_context = 0;     // of one request alone
};

struct InferenceMemory : CacheRoom {
  MemoryBreakdown per_gpu;  // at `concurrency`
};

struct InferenceSpeed {
  double in_flight = 0;            // requests at once in this steady state, whole deployment
  double output_tokens_per_s = 0;  // whole deployment
  double total_tokens_per_s = 0;
  double requests_per_s = 0;
  double most_requests_per_s = 0;  // where a rate is asked, as many as are served with all room taken
  // Of a request that meets none of those that come at random.
  Seconds first_token;
  Seconds gap;   // the usual one between two tokens
  Seconds tpot;  // mean time per token after the first, stalls included
  Seconds stay;  // of all its tokens: by this plans are compared
  /// With a request rate: how requests differ.
  std::shared_ptr<const LoadedTimes> load;
  /// Of a load that was simulated, request by request: stands above what the load says of them.
  struct Simulated {
    Percentiles ttft, tpot, itl, e2e;
    double share_in_time = 1;                             // of the requests, that meet every target
    double utilization = 0;                               // share of the time that replicas are busy
    double in_flight = 0;                                 // requests at once, whole deployment
    std::optional<double> requests_per_s = std::nullopt;  // of users, who ask the more the sooner they are answered
  };
  std::optional<Simulated> simulated;
  double prefill_replicas = 0;  // of the replicas, where prompts have their own
  std::string_view bound_by;    // memory-bandwidth, compute, launch, link, host or kv-cache
  bool weights_native = true;   // false: widened to 16 bit before use

  // Which so many of 100 requests meet; that of the typical one where no load says how they differ.
  Seconds ttft_within(double percent) const;
  Seconds itl_within(double percent) const;   // between two tokens
  Seconds tpot_within(double percent) const;  // mean time per token after the first, of a request
  Seconds e2e_within(double percent) const;
  // Of the typical request.
  Seconds ttft() const { return ttft_within(50); }
  Seconds itl() const { return itl_within(50); }
  Seconds e2e() const { return e2e_within(50); }
};

/// Bytes of all weights as stored in `format`: quantised formats keep some tensors at 16 bit.
Bytes stored_weights(const job::Job& work, const WeightFormat& format, Trace* trace = nullptr);

/// Of the weights of one GPU, what lies in the host's memory.
double host_share(const job::Job& work, const Layout& layout);

/// How a draft model runs beside the model it drafts for: 16-bit weights, on the same ranks where they divide its
/// heads.
Layout draft_plan(const catalog::Model& draft, const Layout& layout);

/// Engines that lay layers out over GPUs one after the other: more room, not more speed.
bool lays_out_in_turn(job::Engine engine);

/// Paged engines allot the cache in blocks of so many tokens: vLLM's default.
inline constexpr double kBlockTokens = 16;
/// Tokens over which the growth of a cache is measured, and its room reckoned in tokens: whole blocks.
inline constexpr double kLongCache = 65536;

/// What attention remembers of one request: its prompt and what has been generated since.
struct Cached {
  double prompt = 0;     // tokens
  double generated = 0;  // tokens
  double total() const { return prompt + generated; }
};

/// Bytes of K/V cache that one sequence needs on one GPU of a tp × pp group. Encoder-decoders keep
/// cross-attention over the prompt and self-attention over what is generated; all others one cache
/// over both.
Bytes kv_bytes(const catalog::Model& model, Cached tokens, const Layout& layout);

InferenceMemory inference_memory(const job::Job& work, const Machine& machine, const Layout& layout,
                                 const Coefficients& coefficients, Trace* trace = nullptr);

/// How uncertain memory of a service is: deviation of its logarithm. Weights and caches are counted, what else it holds
/// depends on the engine.
double serving_deviation(const job::Job& work, Bytes counted, Bytes all, const Coefficients& coefficients,
                         Trace* trace = nullptr);
/// Of what a deployment must have.
double serving_deviation(const job::Job& work, const CacheRoom& room, const Coefficients& coefficients,
                         Trace* trace = nullptr);

/// Nothing where the device's peak is not published, or a request rate is beyond what it can serve.
std::optional<InferenceSpeed> inference_speed(const job::Job& work, const Machine& machine, const Layout& layout,
                                              const InferenceMemory& memory, const Coefficients& coefficients,
                                              Trace* trace = nullptr);

}  // namespace gpusel::physics
