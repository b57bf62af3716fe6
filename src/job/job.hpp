// What is to be done, complete: the request with every default that does not depend on a machine
// filled in, and a list of what was assumed. What a plan must choose stays open.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "base/values/units.hpp"
#include "catalog/records/framework.hpp"
#include "catalog/records/parameters.hpp"
#include "job/kinds/counted.hpp"
#include "job/request/request.hpp"

namespace gpusel::job {

using Value = std::variant<double, std::string, bool>;

/// One default that was filled in: a key of the contract and its value.
struct Assumed {
  std::string key;
  Value value;
};
using Assumptions = std::vector<Assumed>;

/// Degrees a person pinned; the rest is the planner's.
struct Pins {
  Count tp, pp, cp, ep, dp;
};

/// Nobody's framework: any layout, and no habits.
const catalog::Framework& any_framework();

struct Training {
  Method method = Method::full;
  std::optional<Precision> precision;
  Recipe recipe = Recipe::mixed;
  bool recipe_open = false;                                       // not asked for
  std::string framework;                                          // empty: by sharding
  const catalog::Framework* framework_record = &any_framework();  // what it can do, and does unasked
  Optimizer optimizer = Optimizer::adamw;
  std::optional<Sharding> sharding;
  std::int64_t seq_len = 0;
  Count micro_batch;
  Count grad_accum;
  Count global_batch;  // sequences per optimiser step; absent: micro_batch × dp × grad_accum
  std::optional<Checkpointing> checkpointing;
  std::optional<bool> flash_attention;
  bool optimizer_in_backward = false;    // gradients are used up as they come
  std::optional<bool> variable_lengths;  // batches of unequal shapes; absent: as usual with the framework
  bool fused_loss = false;               // never holds all logits
  std::int64_t target_len = 0;           // decoder's side of an encoder-decoder
  Count virtual_pipeline;                // chunks of a pipeline stage; absent: by framework
  bool sequence_parallel = true;         // tensor ranks also share what lies between their products
  double capacity_factor = 1;            // rows that experts are padded to, against those routed to them
  std::int64_t lora_rank = 0;
  LoraTargets lora_targets;
  std::int64_t virtual_tokens = 0;
  Offload offload = Offload::none;
  double tokens = 0;  // to train on, all epochs
};

/// A small model that proposes tokens, which the model itself checks in one pass.
struct Draft {
  const catalog::Model* model = nullptr;
  std::string asked_as{};  // what the request calls it
  catalog::Parameters parameters;
  std::int64_t tokens = 4;       // proposed per pass
  double acceptance_rate = 0.7;  // of proposed tokens, those that stand
};

struct Inference {
  Engine engine = Engine::vllm;
  std::string engine_version;                 // as asked; empty: the newest
  std::string_view generation;                // of the engine, by its version: empty is current
  std::string weights_precision;              // empty: the model's own, as far as the GPU has it
  std::vector<std::string> allow_precisions;  // to choose among; "any" for what the engine serves
  std::optional<KvPrecision> kv_precision;
  Mode mode = Mode::throughput;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  Count concurrency;  // absent: the most that fits
  std::optional<double> mem_utilization;
  std::optional<double> request_rate;
  /// Who asks, where it is more than so many requests per second of one length.
  struct Askers {
    std::string traffic;  // a kind of traffic or a log; empty: all requests are of one length
    Count users;          // who wait for their answers
    double think_s = 0;   // that each of them thinks, on average
  };
  std::optional<Askers> askers = std::nullopt;
  double prefix_cache_hit = 0;
  std::optional<Draft> draft;
  bool disaggregated_prefill = false;  // prompts and answers on replicas of their own
  std::int64_t stream_interval = 1;    // tokens that the server sends at once
  Offload offload = Offload::none;
  LeftToHost left_to_host;
  ServedAdapters adapters;
  bool drafts_itself = false;  // its layers for multi-token prediction are loaded too
  std::optional<double> ttft_ms;
  std::optional<double> tpot_ms;
  std::optional<double> itl_ms;
  std::optional<double> e2e_ms;
  double slo_percentile = 95;    // of requests, that meet all targets
  double max_load = 0.8;         // share of their capacity that instances are planned to serve
  std::int64_t redundancy = 0;   // instances that may fail
  std::optional<double> tokens;  // to generate in all; absent: a service that runs on
};

struct Job {
  Task task = Task::inference;
  Profile profile = Profile::standard;
  std::optional<double> min_fit;          // chance that a plan fits; absent: that of a sure fit
  double confidence = 0.8;                // with which targets must be kept
  const catalog::Model* model = nullptr;  // absent where no network is run
  std::string asked_as;                   // what the request calls it; empty: it was not named
  catalog::Parameters parameters;         // of language models and encoders
  Pins pins;
  Training training;
  Inference inference;
  std::optional<Counted> counted;  // what is not measured in tokens; then model may be absent
  Assumptions assumed;
  std::vector<std::string> notes;

  /// Whether it comes to an end; else it is a service that runs on, and a month of it is what is paid for.
  bool ends() const {
    return counted ? counted->things.has_value() : is_training(task) || inference.tokens.has_value();
  }
  /// Whether it is there for as long as it is wanted, however much it does: prototyping, or a load to hold.
  bool by_the_hour() const { return profile == Profile::dev || inference.request_rate || (counted && counted->demand); }
  /// What a price of counted work is for: "million images"; empty where work is counted in tokens.
  std::string_view priced_unit() const { return counted ? counted->unit.priced : std::string_view(); }
};

/// Fills in the defaults. `model` and `catalog` must outlive the result.
/// Errors: no task, a task the model's kind has no estimate for, values that contradict each other;
/// `where` names the key.
/// `draft`, where the request names one, must outlive it too.
Result<Job> resolve(const Request& request, const catalog::Model& model, const catalog::Catalog& catalog,
                    const catalog::Model* draft = nullptr);

/// The task among the assumptions where nobody said it, and how the word for it was understood.
void say_task(const Request& request, Job& work);

/// Requests per second of a language model that nobody stated.
inline constexpr double kAssumedRate = 1;
/// And tokens of its prompts and answers.
inline constexpr std::int64_t kUsualInput = 1024;
inline constexpr std::int64_t kUsualOutput = 256;

/// What a service is sized for where nothing in the request says how much there is to do: one request a second of a
/// language model, one at a time of what makes images or writes down speech. Says so in `assumed`.
void assume_load(Request& request, const catalog::Model* model, Assumptions& assumed);

/// The formats that a model's own publisher ships, where nothing in the request says in which it is served.
void assume_precision(Request& request, const catalog::Model* model, Assumptions& assumed);

/// Of requests, that must meet all latency targets.
double slo_percentile(const Request& request);

/// Whether a request is about work that is counted in items of its own. `model` may be absent.
bool is_counted(const Request& request, const catalog::Model* model);

/// The same for such work. `model`, where there is one, and `catalog` must outlive the result.
Result<Job> resolve_counted(const Request& request, const catalog::Model* model, const catalog::Catalog& catalog);

}  // namespace gpusel::job
