#include <algorithm>

#include "show/catalogue/catalog.hpp"
#include "show/json/json_out.hpp"
#include "show/json/records.hpp"
#include "show/json/tell.hpp"
#include "show/lists/compare.hpp"

namespace gpusel::show {

namespace {

using answer::CompareAnswer;
using answer::Compared;
using answer::FigureOf;

Json job_json(const Compared& item) {
  Json job{{"fits", item.usable()}, {"problem", text_or_null(item.problem)}};
  if (item.planned == nullptr) return job;
  const auto& planned = *item.planned;
  job["plan"] = plan_json(planned.plan);
  job["memory"] = memory_json(planned.plan, planned.machine.memory());
  job["fit"] = tree_of([&](JsonOut& out) { tell_fit(out, item.fit, in_gib(planned.machine.memory())); });
  const physics::Plan& plan = planned.plan;
  job["probability"] = probability_json(plan, item.in_time, item.in_budget);
  job["warnings"] = remarks_json(item.remarks);
  if (plan.training || plan.serving)
    job[plan.training ? "training" : "inference"] = speed_json(plan);
  else
    job["throughput"] = {{"value", number(plan.rate)}};
  if (!plan.more.empty()) job["figures"] = more_json(plan);
  if (item.usable())
    job["interval"] = {
        {"level", 0.8},
        {"tokens_per_s", interval_json(plan.tokens_per_s() > 0 ? item.intervals.rate : physics::Interval{})}};
  if (!item.trace.empty()) job["explain"] = explain_json(item.trace);
  if (item.cost)
    job["cost"] = {{"hourly", number(item.cost->hourly)},
                   {"hours", number(item.cost->hours)},
                   {"total", number(item.cost->total)},
                   {"per_million_tokens", number(item.cost->per_million_tokens)}};
  return job;
}

Json price_json(const Compared& item, const CompareAnswer& comparison, const catalog::Catalog& catalog) {
  if (item.offer == nullptr) return nullptr;
  const catalog::Origin& origin = catalog.origin_of(*item.offer);
  const Currency own = catalog.currency_of(*item.offer);
  Json price{{"hourly", number(item.hourly)},
             {"per", item.instance == nullptr ? "gpu" : "instance"},
             {"provider", item.offered_by->provider},
             {"sku", item.offered_by->sku},
             {"region", catalog.region_of(*item.offer).id},
             {"term", to_text(item.offer->term)},
             {"as_of", text_or_null(Date::from_packed(item.offer->as_of).text())},
             {"source", text_or_null(origin.source)},
             {"confidence", to_text(origin.confidence)},
             {"published", {{"currency", own.code()}, {"price_per_hour", number(item.offer->per_hour())}}},
             {"fx", nullptr}};
  if (own != comparison.currency)
    price["fx"] = {{"rate", number(item.exchange.rate)}, {"as_of", text_or_null(item.exchange.as_of.text())}};
  return price;
}

Json blender_json(const catalog::RenderScore& score) {
  return {{"version", score.version},         {"backend", text_or_null(score.backend)},
          {"samples", number(score.samples)}, {"as_of", text_or_null(score.as_of.text())},
          {"source", score.source},           {"confidence", to_text(score.confidence)}};
}

/// What stands in `gpu` and `instance` already is not repeated.
bool is_derived(const answer::ComparedFigure& figure, const Json& gpu, const Json& instance) {
  if (figure.of == FigureOf::job || figure.of == FigureOf::whole_job) return false;
  return figure.of == FigureOf::all_gpus || (!gpu.contains(figure.key) && !instance.contains(figure.key));
}

/// Which member of the items differs: "gpu.tdp_w", "instance.vcpu". Texts about the record itself, and
/// lists of sources, are no property of the thing.
void add_differences(Json& differences, const Json& items, const std::string& part) {
  static constexpr std::string_view kAboutRecord[] = {"aliases", "name",   "notes",   "caution",
                                                      "offers",  "states", "sources", "figure_sources"};
  const auto member = [&](const Json& item, const std::string& key) {
    return item[part].is_object() && item[part].contains(key) ? item[part][key] : Json(nullptr);
  };
  std::vector<std::string> keys;
  for (const Json& item : items)
    if (item[part].is_object())
      for (const auto& entry : item[part].items())
        if (std::find(keys.begin(), keys.end(), entry.key()) == keys.end()) keys.push_back(entry.key());
  std::sort(keys.begin(), keys.end());
  for (const std::string& key : keys) {
    if (std::find(std::begin(kAboutRecord), std::end(kAboutRecord), key) != std::end(kAboutRecord)) continue;
    const Json first = member(items.front(), key);
    if (std::any_of(items.begin(), items.end(), [&](const Json& item) { return member(item, key) != first; }))
      differences.push_back(part + "." + key);
  }
}

}  // namespace

Json compare_json(const CompareAnswer& comparison, const catalog::Catalog& catalog) {
  Json out{{"schema", "gpusel.compare/1"}, {"currency", comparison.currency.code()}, {"terms", comparison.terms}};
  if (comparison.work) {
    out["workload"] = workload_json(*comparison.work);
    out["assumed"] = assumptions(comparison.work->assumed);
  }
  const Json gpu_keys = gpu_json({});
  const Json instance_keys = instance_json({}, catalog);
  Json items = Json::array();
  for (const Compared& item : comparison.items) {
    Json entry{{"name", item.name},
               {"count", number(item.count)},
               {"instance", item.instance == nullptr ? Json(nullptr) : instance_json(*item.instance, catalog)},
               {"gpu", item.gpu == nullptr ? Json(nullptr) : gpu_json(*item.gpu)},
               {"price", price_json(item, comparison, catalog)}};
    Json derived = Json::object();
    Json ratios = Json::object();
    for (std::size_t at = 0; at < item.values.size(); ++at) {
      const answer::ComparedFigure& figure = answer::figures()[at];
      const bool of_job = figure.of == FigureOf::job || figure.of == FigureOf::whole_job;
      if (of_job && !comparison.work) continue;
      const std::string key(figure.key);
      if (is_derived(figure, gpu_keys, instance_keys)) derived[key] = number(item.values[at].number);
      ratios[key] = number(item.values[at].ratio);
    }
    entry["derived"] = std::move(derived);
    entry["ratios"] = std::move(ratios);
    entry["blender"] = item.blender == nullptr ? Json(nullptr) : blender_json(*item.blender);
    if (comparison.work) entry["job"] = job_json(item);
    items.push_back(std::move(entry));
  }
  Json differences = Json::array();
  for (const char* part : {"gpu", "instance", "derived"}) add_differences(differences, items, part);
  out["items"] = std::move(items);
  out["differences"] = std::move(differences);
  return out;
}

Table compare_table(const CompareAnswer& comparison, const catalog::Catalog& catalog) {
  const Json answer = compare_json(comparison, catalog);
  Json records = Json::array();
  for (std::size_t i = 0; i < comparison.items.size(); ++i) {
    const Compared& item = comparison.items[i];
    const Json& entry = answer["items"][i];
    Json record{{"name", entry["name"]},
                {"count", entry["count"]},
                {"provider", item.instance == nullptr ? Json(nullptr) : Json(item.instance->provider)},
                {"sku", item.instance == nullptr ? Json(nullptr) : Json(item.instance->sku)},
                {"gpu", item.gpu == nullptr ? Json(nullptr) : Json(item.gpu->id)},
                {"currency", answer["currency"]}};
    for (const char* key : {"provider", "sku", "region", "term", "as_of", "source", "confidence"})
      record[std::string("price_") + key] = entry["price"].is_null() ? Json(nullptr) : entry["price"][key];
    if (comparison.work) {
      record["job_fits"] = item.usable();
      record["job_fit"] = item.planned == nullptr ? Json(nullptr) : Json(to_text(item.fit.verdict));
      record["job_problem"] = text_or_null(item.problem);
    }
    for (std::size_t at = 0; at < item.values.size(); ++at)
      if (const std::string key(answer::figures()[at].key); entry["ratios"].contains(key))
        record[key] = number(item.values[at].number);
    for (const auto& [key, ratio] : entry["ratios"].items()) record["ratio_" + key] = ratio;
    records.push_back(std::move(record));
  }
  return records_table(records);
}

}  // namespace gpusel::show
