#include "show/money/break_even.hpp"

namespace gpusel::show {

namespace {

Json run_json(const money::Run& run) {
  if (!run.ends()) return {{"ends", false}, {"work_hours", number(in_hours(run.work))}};
  return {{"ends", true},
          {"interval_hours", run.interval.raw() > 0 ? number(in_hours(run.interval)) : Json(nullptr)},
          {"work_hours", number(in_hours(run.work))},
          {"expected_hours", number(in_hours(run.wall))},
          {"restart_hours", number(in_hours(run.restarting))},
          {"waiting_hours", number(in_hours(run.waiting))},
          {"interruptions", number(run.interruptions)},
          {"chance_of_none", number(run.chance_of_none)}};
}

Json run_json(const std::optional<money::Run>& run) { return run ? run_json(*run) : Json(nullptr); }

Json compared_json(const answer::ComparedTerm& one, const catalog::Catalog& catalog) {
  return {{"term", to_text(one.offer->term)},
          {"region", catalog.region_of(*one.offer).id},
          {"per_hour", number(one.per_hour)},
          {"other_region", one.other_region}};
}

Json commitments_json(const answer::BreakEvens& found, const catalog::Catalog& catalog) {
  return list_json(found.commitments, [&](const auto& one) {
    Json json = compared_json(one.committed, catalog);
    json["on_demand"] = compared_json(one.on_demand, catalog);
    json["per_month"] = number(one.per_month);
    json["months"] = number(one.months);
    json["hours_per_month"] = number(one.hours_per_month);
    json["after_months"] = number(one.after_months);
    return json;
  });
}

Json job_json(const answer::BreakEvens& found) {
  if (!found.job) return nullptr;
  const answer::JobRun& job = *found.job;
  const answer::StopModel& stops = *found.stops;
  const bool spread = stops.node_mtbf_low && job.run.ends();
  Json out{{"node_mtbf_hours", number(stops.node_mtbf_hours)},
           {"checkpoint_gb", number(stops.checkpoint_gb)},
           {"checkpoint_s", stops.checkpoint_gb ? number(stops.failures.checkpoint.raw()) : Json(nullptr)},
           {"restart_s", number(stops.failures.restart.raw())},
           {"in_pieces", stops.piecewise},
           {"run", run_json(job.run)},
           {"failures_range", spread ? Json{number(job.failures_low), number(job.failures_high)} : Json(nullptr)},
           {"best", run_json(job.best)},
           {"without_checkpoints", run_json(job.without)},
           {"cost", job.per_hour > 0 && job.run.ends() ? number(in_hours(job.run.wall) * job.per_hour) : Json(nullptr)},
           {"deadline", nullptr}};
  if (found.deadline) {
    const answer::DeadlineAnswer& deadline = *found.deadline;
    out["deadline"] = {{"hours", number(deadline.deadline_hours)},
                       {"running_hours", number(deadline.running_hours)},
                       {"expected_hours", number(deadline.expected_hours)},
                       {"hours_95", number(deadline.hours_95)},
                       {"chance", number(deadline.chance)},
                       {"safe", deadline.is_safe()},
                       {"met", deadline.is_met()},
                       {"slow_hours", number(deadline.slow_hours)}};
  }
  return out;
}

Json market_json(const catalog::SpotMarket* market) {
  if (market == nullptr) return nullptr;
  return {{"notice_s", number(market->notice_s)},
          {"interrupted_low", number(market->interrupted_low)},
          {"interrupted_high", number(market->interrupted_high)},
          {"longest_h", number(market->longest_h)},
          {"as_of", text_or_null(market->as_of.text())},
          {"source", market->source},
          {"note", text_or_null(market->note)}};
}

Json points_json(const answer::ThreePoints& points) {
  return {{"low", number(points.low)}, {"mid", number(points.mid)}, {"high", number(points.high)}};
}

Json end_json(const money::SpotAnswer& answer) {
  if (!answer.spot.ends()) return {{"hours", nullptr}, {"cost", nullptr}};
  return {{"hours", number(in_hours(answer.spot.wall))}, {"cost", number(answer.spot_cost)}};
}

Json spot_json(const answer::BreakEvens& found, const catalog::Catalog& catalog) {
  if (!found.spot) return nullptr;
  const answer::SpotBreakEven& spot = *found.spot;
  Json out{{"spot", compared_json(spot.spot, catalog)},
           {"on_demand", compared_json(spot.on_demand, catalog)},
           {"market", market_json(spot.market)},
           {"time_ratio", number(spot.time_ratio)},
           {"interruptions", spot.share ? number(spot.share->mid) : Json(nullptr)},
           {"interruptions_range", spot.share ? points_json(*spot.share) : Json(nullptr)},
           {"regain_hours", points_json(spot.regain_hours)},
           {"price_is_guess", spot.price_is_guess},
           {"range", nullptr},
           {"mix", nullptr},
           {"run", nullptr},
           {"on_demand_run", nullptr},
           {"cost", nullptr},
           {"on_demand_cost", nullptr},
           {"break_even_hours", number(spot.break_even_hours)},
           {"break_even_interruptions", number(spot.break_even_share)},
           {"break_even_price", number(spot.break_even_price)},
           {"notice_suffices", spot.notice_suffices ? Json(*spot.notice_suffices) : Json(nullptr)}};
  if (spot.answer) {
    out["run"] = run_json(spot.answer->spot);
    out["on_demand_run"] = run_json(spot.answer->on_demand);
    out["cost"] = number(spot.answer->spot_cost);
    out["on_demand_cost"] = number(spot.answer->on_demand_cost);
    if (spot.best && spot.worst) out["range"] = {{"low", end_json(*spot.best)}, {"high", end_json(*spot.worst)}};
    const money::SpotMix& mix = spot.answer->mix;
    if (mix.run.ends())
      out["mix"] = {{"hours", number(in_hours(mix.run.wall))},
                    {"cost", number(mix.cost)},
                    {"on_demand_share", number(mix.on_demand_share)}};
  }
  return out;
}

Json nodes_json(const answer::BreakEvens& found) {
  if (!found.nodes) return nullptr;
  const answer::NodeCounts& counts = *found.nodes;
  Json rows = list_json(counts.rows, [](const answer::NodeCount& row) -> Json {
    return {{"nodes", row.nodes},
            {"hours", number(row.hours)},
            {"expected_hours", number(in_hours(row.run.wall))},
            {"hours_95", number(row.hours_95)},
            {"cost", number(row.cost)},
            {"efficiency", number(row.efficiency)},
            {"in_time", row.in_time}};
  });
  const auto nodes_at = [&](const std::optional<std::size_t>& at) {
    return at ? Json(counts.rows[*at].nodes) : Json(nullptr);
  };
  return {{"rows", std::move(rows)},
          {"cheapest", nodes_at(counts.cheapest)},
          {"fastest", nodes_at(counts.fastest)},
          {"left_out", counts.left_out}};
}

Json tokens_json(const answer::BreakEvens& found) {
  return list_json(found.tokens, [](const answer::TokenBreakEven& one) -> Json {
    return {{"term", to_text(one.term->offer->term)},
            {"price_per_million", number(one.price_per_million)},
            {"own_price_per_million", number(one.answer.own_price_per_million)},
            {"own_price_in_use", number(one.answer.own_price_in_use)},
            {"cheaper_in_use", one.answer.cheaper_in_use},
            {"use", number(one.use)},
            {"tokens_per_s", number(one.tokens_per_s)},
            {"capacity_per_month", number(one.answer.capacity_per_month)},
            {"break_even_tokens", one.answer.break_even_tokens ? number(*one.answer.break_even_tokens) : Json(nullptr)},
            {"utilization", one.answer.utilization ? number(*one.answer.utilization) : Json(nullptr)}};
  });
}

Json ownership_json(const answer::BreakEvens& found) {
  return list_json(found.ownership, [&](const answer::Ownership& one) -> Json {
    const bool by_the_hour = one.term->offer->term == catalog::Term::on_demand;
    return {{"term", to_text(one.term->offer->term)},
            {"purchase", one.record != nullptr ? Json(one.record->id) : Json(nullptr)},
            {"units", number(one.units)},
            {"source", one.record != nullptr ? Json(one.record->source) : Json(nullptr)},
            {"as_of", one.record != nullptr ? text_or_null(one.record->as_of.text()) : Json(nullptr)},
            {"price", number(one.asked.price)},
            {"watts", number(one.asked.watts)},
            {"power_per_hour", number(one.answer.power_per_hour)},
            {"hosting_per_month", number(one.answer.hosting_per_month)},
            {"running_per_month", number(one.answer.running_per_month)},
            {"rent_per_month", number(one.answer.rent_per_month)},
            {"owned_per_hour", number(one.answer.owned_per_hour)},
            {"months", number(one.answer.months)},
            {"hours_per_month", by_the_hour ? number(one.answer.hours_per_month) : Json(nullptr)}};
  });
}

}  // namespace

Json break_even_json(const answer::BreakEvens& found, const catalog::Catalog& catalog) {
  Json out{{"assumed", assumptions(found.assumed)},
           {"commitments", commitments_json(found, catalog)},
           {"spot", spot_json(found, catalog)},
           {"job", job_json(found)},
           {"nodes", nodes_json(found)},
           {"tokens", tokens_json(found)},
           {"ownership", ownership_json(found)},
           {"notes", found.notes}};
  if (!found.trace.empty()) out["explain"] = explain_json(found.trace);
  return out;
}

}  // namespace gpusel::show
