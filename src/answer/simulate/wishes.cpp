// How it is served, where the question says so: sizes and habits of the engine, replicas, routing.
#include <cmath>

#include "answer/simulate/parts.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "physics/chance.hpp"
#include "physics/intervals.hpp"
#include "physics/serving/inference_load.hpp"

namespace gpusel::answer {

namespace {

std::uint32_t whole(const job::Count& count, std::uint32_t otherwise) {
  return count ? static_cast<std::uint32_t>(*count) : otherwise;
}

Status set_scheduling(const SimulateQuestion& q, serve::Scheduling& s) {
  s.max_sequences = whole(q.max_num_seqs, s.max_sequences);
  s.batched_tokens = whole(q.max_num_batched_tokens, s.batched_tokens);
  s.block_tokens = whole(q.block_size, s.block_tokens);
  if (q.kv_tokens && q.kv_blocks)
    return usage_error(say("the cache's room is given twice"), "--num-gpu-blocks", say("use one of them"));
  if (q.kv_tokens) s.kv_tokens = static_cast<std::uint64_t>(*q.kv_tokens);
  if (q.kv_blocks) s.kv_tokens = static_cast<std::uint64_t>(*q.kv_blocks) * s.block_tokens;
  s.async = q.async_scheduling.value_or(s.async);
  s.chunked_prefill = q.chunked_prefill.value_or(s.chunked_prefill);
  s.prefix_caching = q.prefix_caching.value_or(s.prefix_caching);
  if (s.batched_tokens < s.max_sequences && s.order == serve::Scheduling::Order::mixed) {
    if (q.max_num_batched_tokens)
      return usage_error(say("a step of {} tokens has no room for {} sequences", s.batched_tokens, s.max_sequences),
                         "--max-num-batched-tokens", say("--max-num-seqs {} or less", s.batched_tokens));
    s.batched_tokens = s.max_sequences;
  }
  return {};
}

/// The machine's link between replicas, or one that is stated.
void set_transfer(const SimulateQuestion& q, Simulated& answer) {
  constexpr double kTokens = 4096;
  const double bytes = physics::kv_bytes(*answer.work.model, {kTokens, 0}, answer.plan.layout).raw() / kTokens;
  const double group = answer.plan.layout.tp * answer.plan.layout.pp;
  constexpr double kUsualGbps = 400;
  const double gbps = q.transfer_gbps.value_or(kUsualGbps);
  answer.setup.fleet.transfer_per_token = bytes * group / gbit_per_s(gbps).raw();
  if (!q.transfer_gbps) answer.notes.push_back(say("cache transfer at {:g} Gbit/s is assumed: --transfer-gbps", gbps));
}

Status set_fleet(const SimulateQuestion& q, Simulated& answer) {
  serve::Fleet& fleet = answer.setup.fleet;
  const auto each = static_cast<std::uint32_t>(answer.plan.layout.dp);
  answer.machines = static_cast<double>(q.replicas.value_or(1));
  fleet.replicas = each * whole(q.replicas, 1);
  fleet.router = q.router.value_or(serve::Router::least_requests);
  if (q.prefill_replicas.has_value() != q.decode_replicas.has_value())
    return usage_error(say("prefill replicas need decode replicas, and decode replicas need prefill replicas"),
                       q.prefill_replicas ? "--decode-replicas" : "--prefill-replicas", say("set both"));
  if (q.prefill_replicas) {
    if (q.replicas || !q.autoscale.empty())
      return usage_error(say("the number of replicas is given twice"), q.replicas ? "--replicas" : "--autoscale");
    fleet.prompt_replicas = whole(q.prefill_replicas, 0);
    fleet.replicas = fleet.prompt_replicas + whole(q.decode_replicas, 0);
    answer.machines = std::ceil(static_cast<double>(fleet.replicas) / each);
    set_transfer(q, answer);
  } else if (q.transfer_gbps) {
    return usage_error(say("--transfer-gbps needs --prefill-replicas and --decode-replicas"), "--transfer-gbps");
  }
  fleet.start_delay = q.start_delay_s.value_or(0);
  fleet.reclaims_per_hour = q.reclaims_per_hour.value_or(0);
  if (q.start_delay_s && q.autoscale.empty() && !q.reclaims_per_hour)
    return usage_error(say("--start-delay needs --autoscale or --reclaim-per-hour"), "--start-delay");
  if (q.autoscale.empty()) return {};
  const BoundTexts ends = split_bounds(q.autoscale);
  const auto low = plain_number(ends.low);
  const auto high = plain_number(ends.high);
  const bool good = low && high && *low >= 0 && *high >= 1 && *low <= *high && *high <= 1000 &&
                    *low == std::floor(*low) && *high == std::floor(*high);
  if (!good)
    return usage_error(say("'{}' is not a range of replicas", q.autoscale), "--autoscale", say("write it like 1..4"));
  if (q.replicas) return usage_error(say("the number of replicas is given twice"), "--replicas");
  fleet.replicas = static_cast<std::uint32_t>(*low);
  fleet.most_replicas = static_cast<std::uint32_t>(*high);
  return {};
}

}  // namespace

Status apply_wishes(const SimulateQuestion& question, Simulated& answer) {
  if (Status set = set_scheduling(question, answer.setup.scheduling); !set) return set;
  return set_fleet(question, answer);
}

serve::Goal goal_of(const job::Job& work) {
  const auto& job = work.inference;
  const auto in_seconds = [](std::optional<double> ms) { return ms ? std::optional(*ms / 1000) : std::nullopt; };
  return {{in_seconds(job.ttft_ms), in_seconds(job.tpot_ms), in_seconds(job.itl_ms), in_seconds(job.e2e_ms)},
          job.slo_percentile / 100,
          work.confidence};
}

serve::Doubt doubt_of(const job::Job& work, const physics::Machine& machine, const physics::Plan& plan,
                      const physics::Coefficients& c) {
  const physics::Intervals intervals = physics::intervals_for(work, machine, plan, c);
  return {.memory = physics::deviation_of(intervals.itl_ms),
          .compute = c.compute_spread.value,
          .front_end = c.front_end_spread.value};
}

}  // namespace gpusel::answer
