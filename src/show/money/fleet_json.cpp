#include "show/json/records.hpp"
#include "show/money/autoscale.hpp"
#include "show/money/fleet.hpp"

namespace gpusel::show {

namespace {

using answer::Fleet;
using answer::FleetMember;
using answer::FleetOffer;
using answer::FleetType;

Json offer_json(const std::optional<FleetOffer>& offer, const catalog::Catalog& catalog) {
  if (!offer) return nullptr;
  const catalog::Origin& origin = catalog.origin_of(*offer->offer);
  const auto& cost = offer->cost;
  Json out{{"provider", offer->instance->provider},
           {"sku", offer->instance->sku},
           {"region", offer->region->id},
           {"country", text_or_null(offer->region->country)},
           {"billing", to_text(offer->offer->term)},
           {"hourly", number(cost.hourly)},
           {"price_as_of", text_or_null(Date::from_packed(offer->offer->as_of).text())},
           {"price_source", text_or_null(origin.source)},
           {"price_confidence", to_text(origin.confidence)},
           {"offer", {{"currency", cost.published.currency.code()}, {"hourly", number(cost.published.amount)}}}};
  out["warnings"] = remarks_json(offer->remarks);
  if (cost.exchange)
    out["fx"] = {{"rate", number(cost.exchange->rate)}, {"as_of", text_or_null(cost.exchange->as_of.text())}};
  return out;
}

Json traffic_json(const Fleet& fleet) {
  const auto& traffic = fleet.traffic;
  Json buckets = list_json(traffic.buckets, [&](const auto& bucket) -> Json {
    return {{"input_tokens_up_to", number(bucket.input_up_to)},
            {"output_tokens_up_to", number(bucket.output_up_to)},
            {"input_tokens", number(bucket.input)},
            {"output_tokens", number(bucket.output)},
            {"share", number(bucket.share)},
            {"requests_per_s", number(fleet.rate * fleet.peak * bucket.share)}};
  });
  Json out{{"name", traffic.name},
           {"source", text_or_null(traffic.source)},
           {"requests_per_s", number(fleet.rate)},
           {"peak_requests_per_s", number(fleet.rate * fleet.peak)},
           {"mean_input_tokens", number(traffic.mean_input)},
           {"mean_output_tokens", number(traffic.mean_output)},
           {"requests", traffic.requests > 0 ? number(traffic.requests) : Json(nullptr)},
           {"unanswered", traffic.requests > 0 ? number(traffic.unanswered) : Json(nullptr)},
           {"hours", traffic.hours > 0 ? number(traffic.hours) : Json(nullptr)},
           {"busiest_over_mean", number(traffic.busiest)}};
  out["buckets"] = std::move(buckets);
  return out;
}

Json type_json(const Fleet& fleet, std::size_t index, const catalog::Catalog& catalog) {
  const FleetType& type = fleet.types[index];
  Json capacity = Json::array();
  for (const answer::Carried& carried : type.carried) {
    if (carried.requests_per_s <= 0) {
      capacity.push_back(nullptr);
      continue;
    }
    capacity.push_back({{"requests_per_s", number(carried.requests_per_s)},
                        {"full_load_requests_per_s", number(carried.ceiling)},
                        {"in_flight", number(carried.in_flight)},
                        {"ttft_ms", number(in_ms(carried.ttft))},
                        {"itl_ms", number(in_ms(carried.itl))},
                        {"e2e_ms", number(in_ms(carried.e2e))}});
  }
  const auto& gpu = *type.machine().device.gpu;
  return {{"type", index + 1},
          {"gpu", gpu.id},
          {"gpus", type.machine().gpus()},
          {"gpu_share", number(type.machine().device.share * gpu.devices())},
          {"plan", plan_json(type.planned->plan)},
          {"probability", probability_json(type.planned->plan)},
          {"as_it_runs", offer_json(type.elastic, catalog)},
          {"at_all_hours", offer_json(type.committed, catalog)},
          {"capacity", std::move(capacity)}};
}

Json member_json(const FleetMember& member) {
  Json share = list_json(member.share, [](const double part) { return number(part); });
  return {{"type", member.type + 1},
          {"instances", number(member.instances)},
          {"committed", number(member.committed)},
          {"load", number(member.load)},
          {"requests_per_s", number(member.requests_per_s)},
          {"hourly", number(member.hourly)},
          {"share_of_buckets", std::move(share)}};
}

Json members_json(const std::vector<FleetMember>& members) { return list_json(members, member_json); }

Json schedule_json(const answer::FleetSchedule& day) {
  Json hours = Json::array();
  for (std::size_t hour = 0; hour < day.hours.size(); ++hour) {
    double hourly = 0;
    for (const FleetMember& member : day.hours[hour]) hourly += member.hourly;
    hours.push_back({{"hour", hour},
                     {"multiplier", number(day.multipliers[hour])},
                     {"hourly", number(hourly)},
                     {"members", members_json(day.hours[hour])}});
  }
  Json starts = list_json(day.starts, [](const double count) { return number(count); });
  return {{"name", day.name},
          {"optimal", day.optimal},
          {"gap", day.replayed ? Json(nullptr) : number(day.gap)},
          {"replayed", day.replayed},
          {"daily", number(day.daily)},
          {"monthly", number(day.monthly())},
          {"cold_starts_daily", number(day.cold_daily)},
          {"fixed_daily", number(day.fixed_daily)},
          {"fixed_monthly", number(day.fixed_monthly())},
          {"starts_per_day", std::move(starts)},
          {"hours", std::move(hours)}};
}

Json scaling_json(const Fleet& fleet) {
  Json out = Json::array();
  for (const answer::FleetScaling& one : fleet.scaling) {
    Json entry{{"type", one.type + 1}, {"engines_per_instance", fleet.types[one.type].layout().dp}};
    entry.update(autoscale_json(one.rule, fleet.work.inference.engine));
    out.push_back(std::move(entry));
  }
  return out;
}

Json unserved_json(const Fleet& fleet, const catalog::Catalog& catalog) {
  return list_json(fleet.unserved, [&](const answer::Unserved& one) {
    Json entry{{"bucket", one.bucket + 1}, {"message", one.message}, {"nearest", offer_json(one.nearest, catalog)}};
    entry["ttft_ms"] = one.nearest ? number(in_ms(one.ttft)) : Json(nullptr);
    entry["itl_ms"] = one.nearest ? number(in_ms(one.itl)) : Json(nullptr);
    return entry;
  });
}

Json routing_json(const Fleet& fleet) {
  Json out = Json::array();
  for (std::size_t b = 0; b < fleet.traffic.buckets.size(); ++b)
    for (const FleetMember& member : fleet.mix.members)
      if (member.share[b] > 0)
        out.push_back({{"input_tokens_up_to", number(fleet.traffic.buckets[b].input_up_to)},
                       {"type", member.type + 1},
                       {"share", number(member.share[b])}});
  return out;
}

void add_replay(Json& out, const answer::FleetReplay& replay) {
  Json& fleet = out["fleet"];
  fleet["share_in_time"] = number(replay.share_in_time);
  fleet["ttft_ms_p95"] = number(in_ms(replay.ttft_p95));
  fleet["tpot_ms_p95"] = number(in_ms(replay.tpot_p95));
  fleet["utilization"] = number(replay.utilization);
  out["simulation"] = {{"requests", replay.requests},
                       {"instances_added", number(replay.added)},
                       {"share_in_time", number(replay.share_in_time)},
                       {"share_in_time_with_confidence", number(replay.share_sure)},
                       {"kept", replay.kept},
                       {"seed", 1}};
}

}  // namespace

Json fleet_json(const Fleet& fleet, const catalog::Catalog& catalog) {
  const auto& mix = fleet.mix;
  Json types = Json::array();
  for (std::size_t i = 0; i < fleet.types.size(); ++i) types.push_back(type_json(fleet, i, catalog));
  Json out{{"schema", "gpusel.fleet/1"},
           {"workload", workload_json(fleet.work)},
           {"assumed", assumptions(fleet.assumed)},
           {"catalog",
            {{"as_of", text_or_null(fleet.newest_price.text())},
             {"instances", catalog.instances().size()},
             {"offers", catalog.offers().size()},
             {"source", catalog.origin_text()}}},
           {"currency", fleet.currency.code()},
           {"traffic", traffic_json(fleet)},
           {"types", std::move(types)},
           {"feasible", mix.feasible}};
  if (mix.feasible)
    out["fleet"] = {{"members", members_json(mix.members)},
                    {"hourly", number(mix.hourly)},
                    {"monthly", number(mix.monthly())},
                    {"routing", routing_json(fleet)}};
  else
    out["fleet"] = nullptr;
  if (mix.feasible && fleet.replay) add_replay(out, *fleet.replay);
  out["best_single_type"] = fleet.single ? member_json(*fleet.single) : Json(nullptr);
  out["solver"] = {{"name", "CBC"},
                   {"optimal", mix.optimal},
                   {"gap", mix.feasible ? number(mix.gap()) : Json(nullptr)},
                   {"solved_hourly", mix.feasible ? number(mix.solved) : Json(nullptr)},
                   {"bound_hourly", mix.feasible ? number(mix.bound) : Json(nullptr)},
                   {"relaxed_hourly", mix.feasible ? number(mix.relaxed) : Json(nullptr)},
                   {"seconds_at_most", number(std::ceil(std::max(fleet.solver_s, 0.5)))},
                   {"time_limit_s", number(fleet.time_limit_s)},
                   {"machines", fleet.shapes},
                   {"with_layout", fleet.considered},
                   {"contenders", fleet.contenders}};
  out["unserved"] = unserved_json(fleet, catalog);
  if (!fleet.relaxed.empty()) out["relaxed_targets"] = fleet.relaxed;
  out["schedule"] = fleet.schedule ? schedule_json(*fleet.schedule) : Json(nullptr);
  out["autoscaling"] = scaling_json(fleet);
  out["rejected"] = fleet.rejected;
  if (!fleet.notes.empty()) out["notes"] = fleet.notes;
  if (!fleet.trace.empty()) out["explain"] = explain_json(fleet.trace);
  return out;
}

Table fleet_table(const Fleet& fleet, const catalog::Catalog& catalog) {
  static constexpr RecordColumn kColumns[] = {
      {"type", "/type"},
      {"instances", "/instances"},
      {"provider", "/price/provider"},
      {"sku", "/price/sku"},
      {"region", "/price/region"},
      {"gpu", "/gpu"},
      {"gpus", "/gpus"},
      {"layout", "/layout"},
      {"load", "/load"},
      {"requests_per_s", "/requests_per_s"},
      {"currency", "/currency"},
      {"hourly_each", "/price/hourly"},
      {"hourly", "/hourly"},
      {"term", "/price/billing"},
      {"price_as_of", "/price/price_as_of"},
      {"price_source", "/price/price_source"},
      {"price_confidence", "/price/price_confidence"},
  };
  Json rows = list_json(fleet.mix.members, [&](const FleetMember& member) {
    const FleetType& type = fleet.types[member.type];
    Json row = member_json(member);
    row["price"] = offer_json(type.steady(), catalog);
    row["gpu"] = type.machine().device.gpu->id;
    row["gpus"] = type.machine().gpus();
    row["layout"] = physics::layout_text(fleet.work, type.layout());
    row["currency"] = fleet.currency.code();
    return row;
  });
  return records_table(rows, kColumns);
}

}  // namespace gpusel::show
