// Sources: can an outsider find them, may they be used, are they used.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/words/message.hpp"
#include "catalog/lint/checks.hpp"
#include "catalog/records/measurement.hpp"
#include "catalog/snapshot/tables.hpp"

namespace gpusel::catalog {

namespace {

Subject about(const Source& source, std::string_view path = {}) {
  return {.kind = "source", .id = std::string(source.key), .path = path};
}

void unfindable(Lint& lint) {
  for (const Source& source : lint.catalog().sources())
    if (source.url.empty() && !source.date.known() && source.confidence != Confidence::derived)
      lint.found(about(source), say("neither a url nor a date: nobody can look it up"),
                 say("name the page, or the edition by its date"));
}

void share_alike(Lint& lint) {
  static constexpr std::string_view kMarks[] = {"by-sa", "nc-sa", "sharealike", "share-alike",
                                                "odbl",  "gfdl",  "copyleft"};
  for (const Source& source : lint.catalog().sources()) {
    const std::string licence = fold_name(source.licence);
    if (std::any_of(std::begin(kMarks), std::end(kMarks),
                    [&](std::string_view mark) { return licence.find(mark) != std::string::npos; }))
      lint.found(about(source, "licence"), say("'{}' passes its terms on to this catalog", printable(source.licence)),
                 say("cite the vendor's own documentation"));
  }
}

void future_sources(Lint& lint) {
  if (!lint.today().known()) return;
  for (const Source& source : lint.catalog().sources())
    if (source.date > lint.today())
      lint.found(about(source, "date"), say("dated {}, but today is {}", source.date.text(), lint.today().text()));
}

/// Every text under a key "source" or "sources" of a section that another room reads.
void keys_in(const Node& node, std::set<std::string, std::less<>>& keys) {
  for (const Node& child : node.children) {
    if (child.key == "source" || child.key == "sources") {
      keys.insert(child.text);
      for (const Node& one : child.children) keys.insert(one.text);
    }
    keys_in(child, keys);
  }
}

std::set<std::string, std::less<>> used_keys(const Catalog& catalog) {
  std::set<std::string, std::less<>> keys;
  const auto add = [&](const TextList& list) {
    for (const std::string_view key : list) keys.emplace(key.substr(key.find('=') + 1));
  };
  for (const Gpu& gpu : catalog.gpus()) {
    add(gpu.sources);
    add(gpu.figure_sources);
  }
  for (const Model& model : catalog.models()) {
    add(model.sources);
    add(model.params_sources);
  }
  for (const Provider& provider : catalog.providers()) {
    keys.emplace(provider.billing_source);
    keys.emplace(provider.serves_source);
    keys.emplace(provider.unpriced_source);
  }
  for (const ExchangeRate& rate : catalog.exchange_rates()) keys.emplace(rate.source);
  for (const Place& place : catalog.places()) keys.emplace(place.source);
  for (const Region& region : catalog.regions()) keys.emplace(region.source);
  for (const OfferState& state : catalog.offer_states()) keys.emplace(state.source);
  for (const RenderScore& score : catalog.render_scores()) keys.emplace(score.source);
  visit_parts(catalog.tables(), [&]<class Part>(std::string_view, const std::vector<Part>& parts, auto) {
    for (const Part& part : parts) {
      if constexpr (requires { part.source; }) keys.emplace(part.source);
      if constexpr (requires { part.sources; }) add(part.sources);
      if constexpr (requires { part.figure_sources; }) add(part.figure_sources);
    }
  });
  for (const Instance& instance : catalog.instances()) keys.emplace(instance.workstation_source);
  for (const Origin& origin : catalog.tables().origins) keys.emplace(origin.source);
  TextList last;  // sizes of a family share them
  for (const Instance& instance : catalog.instances())
    if (!(instance.sources == last)) add(last = instance.sources);
  for (const Document& document : catalog.documents("")) keys_in(document.root, keys);
  const auto sheets = shipped_measurements(catalog);
  if (!sheets) return keys;
  for (const MeasurementSheet& sheet : *sheets)
    for (const MeasurementRow& row : sheet.rows) keys.emplace(row.facts.source);
  return keys;
}

/// What shipped facts cite stays where a catalogue takes their place.
void unused_sources(Lint& lint) {
  auto used = used_keys(lint.catalog());
  if (lint.shipped() != nullptr) used.merge(used_keys(*lint.shipped()));
  for (const Source& source : lint.catalog().sources())
    if (!used.contains(source.key)) lint.found(about(source), say("no fact cites it"), say("remove it"));
}

void old_rate(Lint& lint) {
  for (const ExchangeRate& rate : lint.catalog().exchange_rates())
    if (const auto age = days_between(rate.as_of, lint.today()); age.value_or(0) > lint.max_age())
      lint.found({.kind = "rate", .id = std::string(rate.currency.code()), .path = "as_of"},
                 say("of {}, {} days old; the limit is {}", rate.as_of.text(), *age, lint.max_age()));
}

/// Rates move by some per cent a year; twice the shipped one is another currency or the reciprocal.
void rate_far_off(Lint& lint) {
  constexpr double kFarOff = 2, kReciprocal = 1.2;
  const Catalog* shipped = lint.shipped();
  if (shipped == nullptr) return;
  for (const ExchangeRate& rate : lint.catalog().exchange_rates()) {
    const ExchangeRate* known = shipped->rate(rate.currency);
    const double own = rate.per_usd.value_or(0), expected = known != nullptr ? known->per_usd.value_or(0) : 0;
    if (own <= 0 || expected <= 0) continue;
    const double times = own / expected, product = own * expected;
    const bool far = times > kFarOff || times < 1 / kFarOff;
    // Of a currency near the dollar the reciprocal is near too; then it must be nearer than the rate itself.
    const bool inverted =
        product < kReciprocal && product > 1 / kReciprocal && std::abs(std::log(product)) < std::abs(std::log(times));
    if (!far && !(inverted && std::abs(std::log(times)) > std::log(kReciprocal))) continue;
    lint.found(
        {.kind = "rate", .id = std::string(rate.currency.code()), .path = "per_usd"},
        say("{} per US dollar; the shipped rate of {} is {}", shown(own), known->as_of.text(), shown(expected)),
        inverted ? say("is it inverted? it counts units of {} for one dollar", rate.currency.code()) : std::string());
  }
}

constexpr Check kSourceChecks[] = {
    {"source.unfindable", Severity::warning, to_say("a source with neither url nor date"), unfindable},
    {"source.share-alike", Severity::warning, to_say("a source with a share-alike license"), share_alike},
    {"source.future", Severity::error, to_say("a source dated in the future"), future_sources},
    {"source.unused", Severity::warning, to_say("a source that no fact cites"), unused_sources},
    {"rate.far-off", Severity::warning,
     to_say("an exchange rate more than 2 times off the shipped one, or its reciprocal"), rate_far_off},
    {"rate.old", Severity::info, to_say("an exchange rate older than 270 days; a warning with --max-age"), old_rate,
     true},
};

}  // namespace

std::span<const Check> source_checks() { return kSourceChecks; }

}  // namespace gpusel::catalog
