// One question: these requests, arriving like this, on this machine: who waits how long, and how sure is that? The plan
// comes from the planner, the waiting from src/serve, the price from the offer.
#pragma once

#include "answer/load/load.hpp"
#include "answer/search/recommend.hpp"
#include "serve/simulate.hpp"

namespace gpusel::answer {

struct SimulateQuestion {
  Question base;      // the job, and where the machine is the best that is found, its limits
  std::string offer;  // "aws/g6e.xlarge"; empty: --gpu of the job, else the best for it
  LoadQuestion load;
  // How it is served.
  job::Count replicas;
  std::optional<serve::Router> router;
  job::Count max_num_seqs, max_num_batched_tokens, block_size, kv_tokens, kv_blocks;
  std::optional<bool> async_scheduling, chunked_prefill, prefix_caching;
  job::Count prefill_replicas, decode_replicas;
  std::optional<double> transfer_gbps;
  std::optional<double> start_delay_s;
  std::string autoscale;  // "1..4"
  std::optional<double> reclaims_per_hour;
  // The run; targets are the job's own.
  job::Count requests;
  std::optional<double> warm_up_s;
  job::Count seed;
  bool knee = true;
};

/// The command's own options, other than those of the job, its load and its limits.
std::span<const job::Option<SimulateQuestion>> simulate_options();

struct Simulated {
  std::shared_ptr<const catalog::ConfigModel> own_model;
  job::Job work;
  physics::Machine machine;
  physics::Plan plan;
  std::string engine_version;                   // as it was stated
  const catalog::Instance* instance = nullptr;  // where an offer was named or found
  const catalog::Offer* offer = nullptr;
  const catalog::Region* region = nullptr;
  double machines = 1;  // of that plan
  std::optional<money::Quote> quote;
  std::optional<double> hourly;  // of all machines, in `currency`
  Currency currency;
  serve::Setup setup;
  serve::Demand demand;
  serve::Goal goal;
  AskedTraffic traffic;
  serve::Simulation simulation;
  std::optional<double> per_million;  // output tokens in time
  std::uint64_t seed = 1;
  std::vector<std::string> notes;

  bool reaches_share() const { return simulation.outcome.in_time.all >= goal.share; }
  bool is_sure() const { return simulation.meets_goal >= goal.confidence; }
  /// Targets are asked for, and the share that has to meet them is not reached, or not with the confidence asked for.
  bool misses() const { return goal.targets.any() && !(reaches_share() && is_sure()); }
  /// Requests that come over those that can be served; nothing where that is not known.
  std::optional<double> load() const {
    if (simulation.saturates_at <= 0) return std::nullopt;
    return demand.rate / simulation.saturates_at;
  }
  bool reads_apart() const { return setup.fleet.prompt_replicas > 0; }
};

/// Errors: what cannot be understood, a file that cannot be read, two sources of requests, a model that does not
/// generate, a machine that does not hold it (ErrorKind::nothing).
Result<Simulated> answer_simulate(const SimulateQuestion& question, const catalog::Catalog& catalog,
                                  std::span<const rules::Rule> rules, const physics::Coefficients& coefficients);

/// One line for each request: arrival_s, input_tokens, output_tokens, cached_tokens, replica, queued_ms, ttft_ms,
/// tpot_ms, e2e_ms, preempted.
std::string per_request_csv(const Simulated& simulated);

}  // namespace gpusel::answer
