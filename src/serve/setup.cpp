#include "serve/setup.hpp"

#include <algorithm>
#include <cmath>

#include "physics/serving/engine_limits.hpp"
#include "physics/serving/inference_load.hpp"

namespace gpusel::serve {

namespace {

using physics::Replica;

constexpr double kLongest = 1 << 20;  // tokens of a prompt that are tabulated

/// One sequence's attention while it decodes: reading its cache, or arithmetic.
Curve cache_curve(const Replica& replica, double times) {
  return Curve::of(
      [&](double tokens) {
        const physics::Cached cached{tokens, 0};
        return times * std::max(replica.reading_cache(cached), replica.scores(cached)).raw();
      },
      kLongest);
}

StepTimes step_times(const job::Inference& job, const physics::Server& server, double most_rows) {
  const Replica& target = server.target;
  StepTimes t;
  t.weights = Curve::of([&](double rows) { return target.reading_weights(std::max(1.0, rows)).raw(); }, most_rows);
  t.decode_products =
      Curve::of([&](double rows) { return rows > 0 ? target.decode_products(rows, rows).raw() : 0; }, most_rows);
  t.prompt_products =
      Curve::of([&](double rows) { return rows > 0 ? target.prompt_products(rows, rows).raw() : 0; }, most_rows);
  t.cache = cache_curve(target, 1);
  t.prompt = Curve::of(
      [&](double tokens) {
        return tokens > 0 ? target.prompt_attention(tokens, 0, std::min(tokens, most_rows)).raw() : 0;
      },
      kLongest);
  t.head = target.head_products(1, 1e9).raw();
  t.between = target.between_products(1).raw();
  const double link = target.traffic(0).raw();
  t.link_row = (target.traffic(1).raw() - link);
  t.fixed = target.fixed().raw() + link;
  t.sequence = target.per_sequence().raw();
  t.prompt_launch = target.prompt_launch().raw();
  t.graph_rows = target.prompt_graph_tokens();
  t.host = target.host(kLongest).raw();
  t.stages = target.pipelining();
  if (!job.draft) return t;
  const Replica& draft = *server.draft;
  const auto drafted = static_cast<double>(job.draft->tokens);
  t.rows_per_sequence = drafted + 1;
  t.tokens_per_sequence = physics::tokens_per_pass(*job.draft);
  t.draft = Curve::of(
      [&](double sequences) { return drafted * draft.decode(std::max(1.0, sequences), {}).total.raw(); }, most_rows);
  t.draft_cache = cache_curve(draft, drafted);
  t.between += draft.prompt_products(1, most_rows).raw() + draft.between_products(1).raw();
  return t;
}

/// What the cache has room for, in tokens of requests as long as these: windows and fixed states make short ones dear.
double cache_tokens(const job::Job& work, const physics::Layout& layout, const physics::CacheRoom& room) {
  using physics::kBlockTokens, physics::kLongCache;
  const physics::Cached half = physics::halfway(work.inference);
  // Whole blocks, so that none is rounded up twice.
  const double length = std::max(1.0, std::ceil(half.total() / kBlockTokens)) * kBlockTokens;
  const double each = physics::kv_bytes(*work.model, {length, 0}, layout).raw() / length;
  const double at_length = physics::kv_bytes(*work.model, {kLongCache, 0}, layout).raw() / kLongCache;
  return each > 0 ? room.kv_tokens * at_length / each : room.kv_tokens;
}

}  // namespace

std::optional<Setup> setup_of(const job::Job& work, const physics::Machine& machine, const physics::Layout& layout,
                              const physics::CacheRoom& room, const physics::Coefficients& c) {
  if (!work.model->is_generator() || work.model->is_encoder_decoder()) return std::nullopt;
  const physics::Deployment deployment(work, machine, layout, c);
  if (!deployment.server()) return std::nullopt;
  const physics::Server& server = *deployment.server();
  const Replica& replica = server.target;
  Setup out;
  Scheduling& s = out.scheduling;
  const auto is_on = [&](const physics::Coefficient& habit) { return replica.of(habit) > 0; };
  s.order = is_on(c.prompts_first) ? Scheduling::Order::prompts_first : Scheduling::Order::mixed;
  s.max_sequences =
      static_cast<std::uint32_t>(physics::engine_limits(work, machine, layout.tp * layout.pp, c).sequences);
  s.batched_tokens = static_cast<std::uint32_t>(replica.batched_tokens());
  s.block_tokens = static_cast<std::uint32_t>(replica.of(c.block_tokens));
  s.kv_tokens = static_cast<std::uint64_t>(cache_tokens(work, layout, room));
  s.chunked_prefill = is_on(c.chunked_prefill);
  s.prefix_caching = is_on(c.prefix_caching);
  s.async = is_on(c.async_steps);
  s.reserved_answer = replica.of(c.kept_answer);
  s.cached_share = work.inference.prefix_cache_hit;
  s.front_end = replica.of(c.request_ms) / 1000;
  out.times = step_times(work.inference, server, std::max<double>(s.batched_tokens, s.max_sequences));
  out.fleet.replicas = static_cast<std::uint32_t>(layout.dp);
  return out;
}

}  // namespace gpusel::serve
