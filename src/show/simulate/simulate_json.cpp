#include <cmath>

#include "show/json/records.hpp"
#include "show/simulate/simulate.hpp"

namespace gpusel::show {

namespace {

using answer::Simulated;
using serve::Figures;
using serve::Measures;

constexpr std::pair<std::string_view, double Figures::*> kFigureKeys[] = {
    {"mean", &Figures::mean}, {"p50", &Figures::p50}, {"p90", &Figures::p90},
    {"p95", &Figures::p95},   {"p99", &Figures::p99}, {"p999", &Figures::p999}};
constexpr std::pair<std::string_view, Figures Measures::*> kMeasureKeys[] = {
    {"ttft_ms", &Measures::ttft}, {"tpot_ms", &Measures::tpot}, {"itl_ms", &Measures::itl}, {"e2e_ms", &Measures::e2e}};

/// What is infinite has no number.
Json finite_json(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json ms_json(double seconds) { return finite_json(1000 * seconds); }
Json optional_ms_json(const std::optional<double>& seconds) { return seconds ? ms_json(*seconds) : Json(nullptr); }

Json percentiles_json(const Figures& figures) {
  Json out = Json::object();
  for (const auto& [key, figure] : kFigureKeys) out[std::string(key)] = ms_json(figures.*figure);
  return out;
}

/// Of a measure that no request has.
Json nothing_json() {
  Json out = Json::object();
  for (const auto& [key, figure] : kFigureKeys) out[std::string(key)] = nullptr;
  return out;
}

Json draws_json(const Simulated& s, Figures Measures::* measure) {
  Json out = Json::object();
  for (const auto& [key, figure] : kFigureKeys) {
    const serve::Bounds bounds = serve::bounds(s.simulation, figure, measure);
    out[std::string(key)] = {ms_json(bounds.low), ms_json(bounds.high)};
  }
  return out;
}

Json token_lengths_json(const answer::AskedTraffic::Lengths& lengths) {
  return {{"mean", lengths.mean}, {"p50", lengths.p50}, {"p95", lengths.p95}, {"max", lengths.most}};
}

Json served_plan_json(const Simulated& s) {
  const auto& plan = s.plan.layout;
  const auto& scheduling = s.setup.scheduling;
  const auto& fleet = s.setup.fleet;
  return {{"tp", plan.tp},
          {"pp", plan.pp},
          {"ep", plan.ep},
          {"weights_precision", plan.weights->name},
          {"kv_precision", to_text(plan.kv)},
          {"replicas", fleet.replicas},
          {"prefill_replicas", fleet.prompt_replicas > 0 ? Json(fleet.prompt_replicas) : Json(nullptr)},
          {"most_replicas", fleet.most_replicas > 0 ? Json(fleet.most_replicas) : Json(nullptr)},
          {"router", to_text(fleet.router)},
          {"max_num_seqs", scheduling.max_sequences},
          {"max_num_batched_tokens", scheduling.batched_tokens},
          {"block_size", scheduling.block_tokens},
          {"kv_tokens", scheduling.kv_tokens},
          {"async_scheduling", scheduling.async},
          {"chunked_prefill", scheduling.chunked_prefill},
          {"prefix_caching", scheduling.prefix_caching}};
}

Json knee_json(const Simulated& s) {
  return list_json(s.simulation.knee, [](const serve::KneePoint& point) -> Json {
    return {{"requests_per_s", point.requests_per_s},
            {"share_in_time", point.share_in_time},
            {"ttft_ms_p95", ms_json(point.ttft_p95)},
            {"tpot_ms_p95", ms_json(point.tpot_p95)},
            {"utilization", point.utilization}};
  });
}

}  // namespace

Json traffic_json(const answer::AskedTraffic& t, const serve::Users& users) {
  return {{"source", t.source},
          {"name", t.name},
          {"arrivals", t.arrivals},
          {"time_unit", t.time_unit ? Json(std::string(to_text(*t.time_unit))) : Json(nullptr)},
          {"time_unit_from",
           t.time_unit_from == job::TimeUnitFrom::none ? Json(nullptr) : Json(std::string(to_text(t.time_unit_from)))},
          {"requests", t.requests},
          {"left_out", t.left_out},
          {"duration_s", t.duration_s},
          {"requests_per_s", t.requests_per_s},
          {"gap_cv", t.gap_cv},
          {"dispersion_60s", t.dispersion_60s > 0 ? Json(t.dispersion_60s) : Json(nullptr)},
          {"peak_minute_over_mean", t.peak_minute_over_mean > 0 ? Json(t.peak_minute_over_mean) : Json(nullptr)},
          {"users", users.count > 0 ? Json(users.count) : Json(nullptr)},
          {"think_s", users.count > 0 ? Json(users.think) : Json(nullptr)},
          {"turns", users.turns > 0 ? Json(users.turns) : Json(nullptr)},
          {"input_tokens", token_lengths_json(t.input)},
          {"output_tokens", token_lengths_json(t.output)}};
}

Json simulate_json(const Simulated& s) {
  const serve::Outcome& o = s.simulation.outcome;
  const serve::Targets& targets = s.goal.targets;
  const auto per_target = [&](const std::optional<double>& target, double share) {
    return target ? Json(share) : Json(nullptr);
  };
  Json out{{"schema", "gpusel.simulate/1"},
           {"workload",
            {{"task", "inference"},
             {"model", s.work.model->id},
             {"engine", to_text(s.work.inference.engine)},
             {"engine_version", text_or_null(s.engine_version)}}},
           {"assumed", assumptions(s.work.assumed)},
           {"machine",
            {{"gpu", s.machine.device.gpu->id},
             {"gpus", s.machine.gpus() * s.machines},
             {"provider", s.instance != nullptr ? Json(s.instance->provider) : Json(nullptr)},
             {"sku", s.instance != nullptr ? Json(s.instance->sku) : Json(nullptr)},
             {"region", s.region != nullptr ? Json(s.region->id) : Json(nullptr)},
             {"currency", s.hourly ? Json(s.currency.code()) : Json(nullptr)},
             {"hourly", s.hourly ? Json(*s.hourly) : Json(nullptr)}}},
           {"plan", served_plan_json(s)},
           {"traffic", traffic_json(s.traffic, s.demand.users)},
           {"targets",
            {{"ttft_ms", optional_ms_json(targets.ttft)},
             {"tpot_ms", optional_ms_json(targets.tpot)},
             {"itl_ms", optional_ms_json(targets.itl)},
             {"e2e_ms", optional_ms_json(targets.e2e)},
             {"slo_percentile", s.goal.share * 100},
             {"confidence", s.goal.confidence}}},
           {"share_in_time", o.in_time.all},
           {"share_in_time_ttft", per_target(targets.ttft, o.in_time.ttft)},
           {"share_in_time_tpot", per_target(targets.tpot, o.in_time.tpot)},
           {"share_in_time_itl", per_target(targets.itl, o.in_time.itl)},
           {"share_in_time_e2e", per_target(targets.e2e, o.in_time.e2e)},
           {"probability", {{"targets", targets.any() ? Json(s.simulation.meets_goal) : Json(nullptr)}}}};
  for (const auto& [key, measure] : kMeasureKeys)
    out[std::string(key)] = (o.measures.*measure).any() ? percentiles_json(o.measures.*measure) : nothing_json();
  out["goodput"] = {{"requests_per_s", o.good_requests_per_s},
                    {"output_tokens_per_s", o.good_output_tokens_per_s},
                    {"usd_per_million_output_tokens",
                     s.per_million && s.currency.code() == "USD" ? Json(*s.per_million) : Json(nullptr)},
                    {"cost_per_million_output_tokens", s.per_million ? Json(*s.per_million) : Json(nullptr)}};
  out["throughput"] = {{"requests_per_s", o.requests_per_s},
                       {"output_tokens_per_s", o.output_tokens_per_s},
                       {"total_tokens_per_s", o.total_tokens_per_s}};
  out["queue"] = {
      {"mean", o.queue.mean}, {"p95", o.queue.p95}, {"max", o.queue.most}, {"wait_ms_mean", ms_json(o.wait)}};
  out["batch"] = {{"mean", o.batch.mean}, {"p95", o.batch.p95}, {"max", o.batch.most}};
  out["preemptions"] = o.preemptions;
  out["kv_peak"] = o.cache_peak;
  out["prefix_hit"] = o.prefix_hit;
  out["utilization"] = o.utilization;
  out["utilization_peak_minute"] = o.utilization_peak_minute;
  out["replicas_mean"] = o.replicas;
  out["load"] = s.load() ? Json(*s.load()) : Json(nullptr);
  out["saturates_at_requests_per_s"] = s.simulation.saturates_at > 0 ? Json(s.simulation.saturates_at) : Json(nullptr);
  out["saturated"] = s.simulation.saturated;
  out["knee"] = knee_json(s);
  out["most_requests_per_s"] =
      s.simulation.most_requests_per_s > 0 ? Json(s.simulation.most_requests_per_s) : Json(nullptr);
  Json half{{"level", 0.95}, {"share_in_time", finite_json(s.simulation.half_widths.share_in_time)}};
  for (const auto& [key, measure] : kMeasureKeys)
    half[std::string(key)] = percentiles_json(s.simulation.half_widths.measures.*measure);
  out["half_width"] = std::move(half);
  const serve::Bounds share = serve::share_bounds(s.simulation);
  Json interval{{"level", 0.8}, {"share_in_time", {share.low, share.high}}};
  for (const auto& [key, measure] : kMeasureKeys) interval[std::string(key)] = draws_json(s, measure);
  out["interval"] = std::move(interval);
  out["seed"] = s.seed;
  out["requests"] = s.simulation.requests;
  out["simulated_s"] = o.seconds;
  out["notes"] = list_json(s.notes);
  return out;
}

}  // namespace gpusel::show
