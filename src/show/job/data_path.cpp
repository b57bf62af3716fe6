#include "show/job/data_path.hpp"

#include <algorithm>

#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/job/estimate.hpp"
#include "show/money/cost.hpp"

namespace gpusel::show {

namespace {

using answer::Advice;
using answer::ColdStart;
using answer::DataNeed;
using answer::DataPath;
using answer::Recommendation;
using answer::StorageFit;

constexpr std::string_view kUnknownAmount = "?";

std::string gigabytes(double gb) {
  if (gb >= 1000) return say("{} TB", human_number(gb / 1000));
  return gb >= 1 ? say("{} GB", human_number(gb)) : say("{} MB", human_number(gb * 1000));
}

std::string rate_text(double gbs) { return gbs >= 0.1 ? say("{:.3g} GB/s", gbs) : say("{:.3g} MB/s", gbs * 1000); }

std::string bytes_text(double bytes) {
  if (bytes < 1000) return say("{:.3g} bytes", bytes);
  return bytes < 1e6 ? say("{:.3g} kB", bytes / 1e3) : say("{:.3g} MB", bytes / 1e6);
}

std::string need_text(const DataPath& path) {
  const DataNeed& need = path.need;
  std::string line;
  const auto add = [&](const std::string& part) { add_clause(line, part); };
  if (need.needed_gbs)
    add(say("reads {}: {} {} per second of {}", rate_text(*need.needed_gbs), human_number(*need.units_per_s), need.unit,
            bytes_text(*need.unit_bytes)));
  if (need.dataset_gb) add(say("data set {}", gigabytes(*need.dataset_gb)));
  if (need.weights_gb) add(say("weights {}", gigabytes(*need.weights_gb)));
  if (need.checkpoint_gb)
    add(say("checkpoint {}, in time at {}", gigabytes(*need.checkpoint_gb), rate_text(*need.checkpoint_gbs)));
  if (need.output_gb && need.output_gbs)
    add(say("output: {} at {}", gigabytes(*need.output_gb), rate_text(*need.output_gbs)));
  else if (need.output_gb || need.output_gbs)
    add(say("output: {}", need.output_gb ? gigabytes(*need.output_gb) : rate_text(*need.output_gbs)));
  return line.empty() ? say("does not read or write enough to need storage") : line;
}

std::string storage_name(const StorageFit& fit, double stored_gb) {
  std::string name = printable(fit.name());
  if (fit.sold_gb > stored_gb) name += say(" of {}", gigabytes(fit.sold_gb));
  return name;
}

std::string price_text(const StorageFit& fit) {
  if (fit.kind == catalog::StorageKind::local) return say("with it");
  return fit.converted ? human_price(*fit.converted) : std::string(kUnknownAmount);
}

std::string checkpoint_text(const StorageFit& fit, const DataPath& path) {
  if (!fit.checkpoint_s) return std::string(kUnknownAmount);
  std::string text = human_duration(seconds(*fit.checkpoint_s));
  if (path.checkpoint_interval)
    text += format(" ({:.2g} %)", 100 * *fit.checkpoint_s / path.checkpoint_interval->raw());
  return text;
}

std::string unknown_rate(const StorageFit& fit) {
  const bool sold_apart = fit.storage != nullptr && fit.storage->per_gbs_month;
  return sold_apart ? say("as bought") : std::string(kUnknownAmount);
}

Table storage_table(const DataPath& path, Currency currency, bool on_cpu) {
  const DataNeed& need = path.need;
  const bool buys = std::ranges::any_of(path.storages, [](const StorageFit& fit) { return fit.bought_gbs > 0; });
  std::vector<Column> columns{left(say("storage"), 0, 34), left(say("kind"), 2), right(say("GB/s")),
                              left(say("limited by"), 3)};
  if (buys) columns.push_back(right(say("bought"), 1));
  if (need.dataset_gb) columns.push_back(right(say("one pass")));
  if (need.needed_gbs) columns.push_back(right(on_cpu ? say("CPUs wait") : say("GPUs wait")));
  if (need.checkpoint_gb) columns.push_back(right(say("checkpoint"), 1));
  columns.push_back(right(say("{}/month", currency.code())));
  columns.push_back(left(say("source"), 4));
  Table table(std::move(columns));
  for (const StorageFit& fit : path.storages) {
    const std::string unknown(kUnknownAmount);
    std::vector<Cell> row{storage_name(fit, need.stored_gb()) + (fit.too_small ? say(" (too small)") : ""),
                          said(fit.kind), fit.rate ? format("{:.3g}", fit.rate->gbs) : unknown_rate(fit),
                          fit.rate ? say_name(fit.rate->bound_by) : ""};
    if (buys) row.emplace_back(fit.bought_gbs > 0 ? format("{:.3g}", fit.bought_gbs) : "");
    if (need.dataset_gb) row.emplace_back(fit.pass_minutes ? human_duration(seconds(*fit.pass_minutes * 60)) : unknown);
    if (need.needed_gbs) row.emplace_back(fit.waiting ? format("{:.0f} %", 100 * *fit.waiting) : unknown);
    if (need.checkpoint_gb) row.emplace_back(checkpoint_text(fit, path));
    row.emplace_back(price_text(fit));
    row.emplace_back(fit.storage != nullptr ? printable(fit.storage->source) : say("usual rate"));
    table.add(std::move(row));
  }
  return table;
}

std::string cold_text(const ColdStart& start) {
  std::string from = start.storage != nullptr ? printable(start.storage->name) : say("{} storage", said(*start.kind));
  if (start.usual) from += say(" at the usual rate of its kind");
  return say(
      "cold start: {:.0f} s = {:.0f} s for {} from {} at {:.3g} GB/s, bound by the {}, + {:.0f} s for the engine; "
      "getting the instance and its container comes before",
      start.total().raw(), start.load.raw(), gigabytes(in_gb(start.weights)), from, start.gbs(),
      say_name(start.bound_by()), start.engine.raw());
}

std::string egress_text(const DataPath& path, const Recommendation& r, const Advice& advice) {
  const std::string lead =
      say("to the internet: {} × {:.3g} Mbit/s by codec = {:.3g} Gbit/s", say_name(advice.work.counted->unit.things),
          advice.work.counted->egress_mbps, *path.need.egress_gbit_s);
  return r.cost.egress_hourly() ? say("{}, {} {} per hour through the tiers of a month", lead,
                                      human_price(*r.cost.egress_hourly()), advice.currency.code())
                                : say("{}; its price is not known", lead);
}

Json fit_json(const StorageFit& fit, const DataPath& path) {
  const catalog::Storage* storage = fit.storage;
  Json out{{"kind", to_text(fit.kind)},
           {"id", storage != nullptr ? Json(storage->id) : Json(nullptr)},
           {"name", fit.name()},
           {"sold_gb", fit.sold_gb > 0 ? number(fit.sold_gb) : Json(nullptr)},
           {"too_small", fit.too_small},
           {"read_gbs", fit.rate ? number(fit.rate->gbs) : Json(nullptr)},
           {"bound_by", fit.rate ? Json(fit.rate->bound_by) : Json(nullptr)},
           {"bought_gbs", number(fit.bought_gbs)},
           {"pass_minutes", number(fit.pass_minutes)},
           {"waiting_share", number(fit.waiting)},
           {"checkpoint_s", number(fit.checkpoint_s)},
           {"checkpoint_share", fit.checkpoint_s && path.checkpoint_interval
                                    ? number(*fit.checkpoint_s / path.checkpoint_interval->raw())
                                    : Json(nullptr)},
           {"per_month", number(fit.converted)},
           {"requests_per_pass", number(fit.requests)},
           {"offer", nullptr},
           {"fx", nullptr},
           {"source", storage != nullptr ? Json(storage->source) : Json(nullptr)},
           {"as_of", storage != nullptr ? text_or_null(storage->as_of.text()) : Json(nullptr)},
           {"note", storage != nullptr ? text_or_null(storage->note) : Json(nullptr)}};
  if (fit.per_month && fit.kind != catalog::StorageKind::local)
    out["offer"] = {{"currency", fit.per_month->currency.code()}, {"per_month", number(fit.per_month->amount)}};
  if (fit.exchange)
    out["fx"] = {{"rate", number(fit.exchange->rate)}, {"as_of", text_or_null(fit.exchange->as_of.text())}};
  return out;
}

Json cold_json(const ColdStart& start) {
  return {{"weights_gb", number(in_gb(start.weights))},
          {"from", to_text(*start.kind)},
          {"storage", start.storage != nullptr ? Json(start.storage->id) : Json(nullptr)},
          {"storage_gbs", number(start.storage_gbs)},
          {"usual_rate", start.usual},
          {"loader_gbs", number(start.loader_gbs)},
          {"bound_by", start.bound_by()},
          {"load_s", number(start.load.raw())},
          {"engine_s", number(start.engine.raw())},
          {"total_s", number(start.total().raw())}};
}

std::string service_line(const catalog::Service& service) {
  std::string line = say("{} ({})", printable(service.name), said(*service.kind));
  line += service.surcharge ? say(": {:g} × the instance's price", *service.surcharge) : say(": price not known");
  if (service.scale_to_zero)
    line += *service.scale_to_zero ? say("; costs nothing while idle") : say("; never at zero");
  if (!service.lock_in.empty()) line += say("; to leave: {}", printable(say_text(service.lock_in)));
  if (!service.note.empty()) add_clause(line, printable(say_text(service.note)));
  return line;
}

std::string sources_text(const catalog::TextList& sources) { return join_texts(sources, ", ", printable); }

}  // namespace

Document data_path_page(const DataPath& path, const Recommendation& r, const Advice& advice) {
  Document page;
  page.heading(say("data path of {}. {} {}, {}", r.rank, printable(r.instance->provider), printable(r.instance->sku),
                   printable(r.region->id)));
  page.line("  " + need_text(path), 4);
  if (!path.storages.empty())
    page.add(storage_table(path, advice.currency, r.machine().on_cpu()))
        .line(say("  per month: {} stored; ? is not published or not known", gigabytes(path.need.stored_gb())), 4);
  else if (path.need.stored_gb() > 0)
    page.line(say("  no storage of {} is known", printable(r.instance->provider)), 4);
  if (path.cold) page.line("  " + cold_text(*path.cold), 4);
  if (path.need.egress_gbit_s) page.line("  " + egress_text(path, r, advice), 4);
  return page.derivation(derivation_of(path.trace));
}

Json data_path_json(const DataPath& path, const Recommendation& r, const Advice&) {
  const DataNeed& need = path.need;
  Json storages = list_json(path.storages, [&](const StorageFit& fit) { return fit_json(fit, path); });
  Json warnings = list_json(path.warnings, [](const auto& warning) -> Json {
    return {{"rule", warning.rule}, {"message", warning.message}};
  });
  Json out{
      {"need",
       {{"unit", text_or_null(need.unit)},
        {"unit_bytes", number(need.unit_bytes)},
        {"units_per_s", number(need.units_per_s)},
        {"needed_gbs", number(need.needed_gbs)},
        {"dataset_gb", number(need.dataset_gb)},
        {"weights_gb", number(need.weights_gb)},
        {"checkpoint_gb", number(need.checkpoint_gb)},
        {"checkpoint_gbs", number(need.checkpoint_gbs)},
        {"output_gb", number(need.output_gb)},
        {"output_gbs", number(need.output_gbs)},
        {"stored_gb", number(need.stored_gb())}}},
      {"checkpoint_interval_s", path.checkpoint_interval ? number(path.checkpoint_interval->raw()) : Json(nullptr)},
      {"storages", std::move(storages)},
      {"cold_start", path.cold ? cold_json(*path.cold) : Json(nullptr)},
      {"egress_gbit_s", number(need.egress_gbit_s)},
      {"egress_hourly", need.egress_gbit_s ? number(r.cost.egress_hourly()) : Json(nullptr)},
      {"warnings", std::move(warnings)}};
  if (!path.trace.empty()) out["explain"] = explain_json(path.trace);
  return out;
}

Document services_page(const answer::Services& services, const Recommendation& r, const catalog::Catalog& catalog) {
  Document page;
  page.heading(say("services for {}. {} {}", r.rank, printable(r.instance->provider), printable(r.instance->sku)));
  if (services.empty()) page.line(say("  no managed service or service level is known"), 4);
  for (const catalog::Service* service : services.managed) {
    page.line("  " + service_line(*service), 4);
    std::string dated = sources_text(service->sources);
    for (const std::string_view key : service->sources)
      if (const auto* source = catalog.source(key);
          source != nullptr && source->confidence == catalog::Confidence::recalled)
        dated += say("; {} is from memory", printable(key));
    page.line(say("    source: {}", dated), 6);
  }
  for (const std::string_view name : services.unrecorded)
    page.line(say("  {}: whether it runs {} is not known", printable(name), printable(r.instance->family)), 4);
  for (const catalog::ServiceLevel* level : services.promises)
    page.line(say("  promised: {}", promise_line(*level)), 4);
  return page;
}

Json services_json(const answer::Services& services) {
  Json managed = list_json(services.managed, [&](const catalog::Service* service) -> Json {
    return {{"id", service->id},
            {"name", service->name},
            {"kind", to_text(*service->kind)},
            {"surcharge", number(service->surcharge)},
            {"scale_to_zero", service->scale_to_zero ? Json(*service->scale_to_zero) : Json(nullptr)},
            {"lock_in", text_or_null(service->lock_in)},
            {"as_of", text_or_null(service->as_of.text())},
            {"sources", list_json(service->sources)},
            {"note", text_or_null(service->note)}};
  });
  Json promises = list_json(services.promises, [](const catalog::ServiceLevel* level) { return promise_json(*level); });
  return {
      {"managed", std::move(managed)}, {"unrecorded", services.unrecorded}, {"service_levels", std::move(promises)}};
}

}  // namespace gpusel::show
