#include "gpusel/base/message.hpp"
#include "report/estimate.hpp"
#include "report/recommend.hpp"
#include "report/records.hpp"

namespace gpusel::report {

namespace {

using advise::Advice;
using advise::Recommendation;
using workload::Workload;

Json counted_performance(const plan::CountedChoice& choice, const Workload& work) {
  Json out{{"throughput", throughput_json(choice, *work.counted)}, {"bound_by", text_or_null(choice.figures.bound_by)}};
  if (choice.figures.latency.raw() > 0) out["latency_ms"] = number(in_ms(choice.figures.latency));
  if (!choice.figures.more.empty()) out["figures"] = more_json(choice);
  return out;
}

Json performance_json(const Recommendation& r, const Workload& work) {
  Json out;
  const auto* counted = std::get_if<plan::CountedChoice>(&r.choice());
  const auto* training = std::get_if<plan::TrainingChoice>(&r.choice());
  if (counted != nullptr) {
    out = counted_performance(*counted, work);
  } else if (training != nullptr) {
    out = training_json(training->speed);
    out["bound_by"] = training->speed->bound_by;
  } else {
    const auto& inference = std::get<plan::InferenceChoice>(r.choice());
    out = inference_json(inference.memory, inference.speed);
    out["bound_by"] = inference.speed->bound_by;
    if (!work.model->is_generator())
      out["throughput"] = {{"value", number(inference.speed->requests_per_s)}, {"unit", "sequences/s"}};
  }
  // From board power alone: hosts, cooling and idle time come on top, partial load goes off.
  if (r.gpu != nullptr && r.gpu->tdp_w) {
    const double watts = *r.gpu->tdp_w * r.machine().device.share * r.machine().gpus();
    out["energy_kwh"] = number(watts * r.cost.hours / 1000);
    if (counted == nullptr)
      out["tokens_per_joule"] = number(r.tokens_per_s() / watts);
    else if (!work.counted->unit.at_once())
      out["items_per_joule"] = number(counted->figures.rate * work.counted->unit.per_second / watts);
    out["energy_basis"] = "tdp";
  }
  return out;
}

Json cost_json(const Recommendation& r, const Workload& work, Currency currency, const catalog::Catalog& catalog) {
  const auto& cost = r.cost;
  const catalog::Origin& origin = catalog.origin_of(*r.offer);
  Json out{{"currency", currency.code()},
           {"billing", to_text(r.offer->term)},
           {"hourly", number(cost.hourly)},
           {"total", number(cost.total)},
           {"hours", number(cost.hours)},
           {"per_million_tokens", number(cost.per_million_tokens)},
           {"per_unit", number(cost.per_unit)},
           {"unit", text_or_null(cost.unit)},
           {"price_as_of", text_or_null(Date::from_packed(r.offer->as_of).text())},
           {"price_source", text_or_null(origin.source)},
           {"price_confidence", to_text(origin.confidence)},
           {"offer", {{"currency", cost.offer.currency.code()}, {"hourly", number(cost.offer.amount)}}}};
  if (!origin.note.empty()) out["price_note"] = origin.note;
  if (cost.licence_hourly > 0) out["licence_hourly"] = number(cost.licence_hourly);
  if (work.counted && work.counted->sends_traffic()) out["egress_hourly"] = number(cost.egress_hourly);
  if (cost.exchange)
    out["fx"] = {{"rate", number(cost.exchange->rate)}, {"as_of", text_or_null(cost.exchange->as_of.text())}};
  return out;
}

Json interval_of(const Recommendation& r, const Workload& work) {
  Json out{{"level", 0.8}, {"memory_total", interval_json(r.intervals.memory_total_gib)}};
  if (work.counted)
    out["throughput"] = interval_json(r.intervals.throughput);
  else
    out["tokens_per_s"] = interval_json(r.intervals.tokens_per_s);
  return out;
}

Json recommendation_json(const Recommendation& r, const Advice& advice, const catalog::Catalog& catalog) {
  Json parts = Json::array();
  for (const auto& part : r.parts)
    parts.push_back({{"name", part.name},
                     {"weight", number(part.weight)},
                     {"value", number(part.value)},
                     {"points", number(part.points)}});
  return {{"rank", r.rank},
          {"score", number(r.score)},
          {"score_parts", std::move(parts)},
          {"provider", r.instance->provider},
          {"sku", r.instance->sku},
          {"family", text_or_null(r.instance->family)},
          {"region", r.region->id},
          {"country", text_or_null(r.region->country)},
          {"gpu", r.gpu != nullptr ? Json(r.gpu->id) : Json(nullptr)},
          {"gpus_per_node", r.machine().gpus_per_node},
          {"gpu_share", r.gpu != nullptr ? number(r.machine().device.share * r.gpu->devices()) : Json(nullptr)},
          {"vcpu", number(r.instance->vcpu)},
          {"nodes", r.machine().nodes},
          {"gpus", r.machine().gpus()},
          {"plan", plan_json(r.choice())},
          {"memory", memory_json(r.memory(), r.machine().memory())},
          {"performance", performance_json(r, advice.work)},
          {"cost", cost_json(r, advice.work, advice.currency, catalog)},
          {"interval", interval_of(r, advice.work)},
          {"pareto", r.pareto},
          {"reasons", r.reasons},
          {"warnings", remarks_json(r)}};
}

}  // namespace

Json remarks_json(const Recommendation& r) {
  Json out = Json::array();
  for (const auto& remark : r.remarks)
    out.push_back({{"rule", remark.rule},
                   {"severity", to_text(remark.severity)},
                   {"message", remark.message},
                   {"source", remark.source}});
  return out;
}

Json recommend_json(const Advice& advice, const catalog::Catalog& catalog, std::size_t limit) {
  Json out{{"schema", "gpusel.recommend/1"},
           {"workload", workload_json(advice.work)},
           {"assumed", assumptions(advice.assumed)},
           {"catalog",
            {{"as_of", text_or_null(advice.newest_price.text())},
             {"instances", catalog.instances().size()},
             {"offers", catalog.offers().size()},
             {"source", catalog.origin_text()}}}};
  Json list = Json::array();
  for (const Recommendation& r : advice.recommendations) {
    if (limit > 0 && list.size() == limit) break;
    list.push_back(recommendation_json(r, advice, catalog));
  }
  out["recommendations"] = std::move(list);
  Json rejected = Json::array();
  for (const auto& rejection : advice.rejected)
    rejected.push_back({{"sku", rejection.instance->sku},
                        {"provider", rejection.instance->provider},
                        {"family", text_or_null(rejection.instance->family)},
                        {"rule", rejection.rule},
                        {"message", rejection.message},
                        {"count", rejection.count}});
  out["rejected"] = std::move(rejected);
  Json alternatives = Json::array();
  for (const auto& alternative : advice.alternatives) {
    const Recommendation& best = alternative.best;
    alternatives.push_back({{"change", {{alternative.key, text_or_null(alternative.value)}}},
                            {"provider", best.instance->provider},
                            {"sku", best.instance->sku},
                            {"region", best.region->id},
                            {"gpu", best.gpu != nullptr ? Json(best.gpu->id) : Json(nullptr)},
                            {"gpus", best.machine().gpus()},
                            {"hourly", number(best.cost.hourly)},
                            {"total", number(best.cost.total)},
                            {"per_million_tokens", number(best.cost.per_million_tokens)},
                            {"message", alternative.message}});
  }
  out["alternatives"] = std::move(alternatives);
  if (!advice.notes.empty()) out["notes"] = advice.notes;
  if (!advice.decision.empty()) out["decision"] = advice.decision;
  return out;
}

std::string recommend_csv(const Advice& advice, const catalog::Catalog& catalog, std::size_t limit) {
  static constexpr RecordColumn kColumns[] = {
      {"rank", "/rank"},
      {"score", "/score"},
      {"provider", "/provider"},
      {"sku", "/sku"},
      {"region", "/region"},
      {"country", "/country"},
      {"gpu", "/gpu"},
      {"gpus", "/gpus"},
      {"gpu_share", "/gpu_share"},
      {"nodes", "/nodes"},
      {"plan", "/plan_text"},
      {"memory_needed_gib", "/memory/per_gpu/total"},
      {"memory_usable_gib", "/memory/usable"},
      {"tokens_per_s", "/performance/tokens_per_s"},
      {"output_tokens_per_s", "/performance/output_tokens_per_s"},
      {"requests_per_s", "/performance/requests_per_s"},
      {"throughput", "/performance/throughput/value"},
      {"throughput_unit", "/performance/throughput/unit"},
      {"latency_ms", "/performance/latency_ms"},
      {"ttft_ms", "/performance/ttft_ms"},
      {"itl_ms", "/performance/itl_ms"},
      {"bound_by", "/performance/bound_by"},
      {"currency", "/cost/currency"},
      {"hourly", "/cost/hourly"},
      {"hours", "/cost/hours"},
      {"total", "/cost/total"},
      {"per_million_tokens", "/cost/per_million_tokens"},
      {"per_unit", "/cost/per_unit"},
      {"unit", "/cost/unit"},
      {"term", "/cost/billing"},
      {"price_as_of", "/cost/price_as_of"},
      {"price_source", "/cost/price_source"},
      {"price_confidence", "/cost/price_confidence"},
      {"pareto", "/pareto"},
      {"warnings", "/warned_of"},
  };
  Json records = std::move(recommend_json(advice, catalog, limit)["recommendations"]);
  for (std::size_t i = 0; i < records.size(); ++i) {
    Json& record = records[i];
    record["plan_text"] =
        std::visit([](const auto& choice) { return plan_line(choice.plan); }, advice.recommendations[i].choice());
    Json warned = Json::array();
    for (const Json& warning : record["warnings"])
      if (warning["severity"] == to_text(rules::Effect::warn)) warned.push_back(warning["rule"]);
    record["warned_of"] = std::move(warned);
  }
  return csv_of(records, kColumns);
}

}  // namespace gpusel::report
