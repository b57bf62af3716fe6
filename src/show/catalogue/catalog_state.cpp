#include "show/catalogue/catalog_state.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/catalogue/catalogue_name.hpp"
#include "show/money/price_history.hpp"

namespace gpusel::show {

namespace {

using catalog::ChangeKind;
using catalog::Statistics;

Json value_json(const catalog::Value& value) {
  if (const auto* figure = std::get_if<double>(&value)) return number(*figure);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return nullptr;
}

std::string fact_text(const catalog::Value& value) {
  if (const auto* figure = std::get_if<double>(&value)) return format("{:.6g}", *figure);
  if (const auto* text = std::get_if<std::string>(&value)) return printable(*text);
  return "?";
}

/// "+12.3 %" between two figures; empty where it says nothing.
std::string growth(const catalog::Change& change) {
  const auto* then = std::get_if<double>(&change.before);
  const auto* now = std::get_if<double>(&change.after);
  if (then == nullptr || now == nullptr || *then == 0) return {};
  return format("{:+.1f} %", (*now / *then - 1) * 100);
}

std::string share(std::size_t part, std::size_t whole) {
  return whole == 0 ? "-" : format("{:.0f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string bucket_title(const Statistics& statistics, std::size_t i) {
  const auto& bucket = statistics.ages[i];
  const int before = i == 0 ? 0 : *statistics.ages[i - 1].days;
  return bucket.days ? say("{} to {} days", i == 0 ? 0 : before + 1, *bucket.days) : say("over {} days", before);
}

Table age_table(const Statistics& statistics, std::size_t offers) {
  constexpr std::size_t kBar = 30;
  Table table({left(say("price age")), right(say("offers")), right(say("share")), left(say("chart"), 1)});
  const auto row = [&](const std::string& title, std::size_t count) {
    const std::size_t length = offers == 0 ? 0 : (count * kBar + offers - 1) / offers;
    table.add({title, format("{}", count), share(count, offers), std::string(length, '#')});
  };
  for (std::size_t i = 0; i < statistics.ages.size(); ++i) row(bucket_title(statistics, i), statistics.ages[i].offers);
  row(say("undated"), statistics.undated);
  return table;
}

/// "on-demand 2,012, spot 304 …" of an enum's counts.
template <NamedEnum E, std::size_t N>
std::string counts_line(const std::array<std::size_t, N>& counts) {
  constexpr bool kTyped = std::is_same_v<E, catalog::Term>;  // ids that people give to --term
  std::string line;
  for (std::size_t i = 0; i < N; ++i) {
    const std::string name = kTyped ? std::string(enum_names<E>[i]) : say_name(enum_names<E>[i]);
    if (counts[i] > 0) line += format("{}{} {}", line.empty() ? "" : ", ", name, counts[i]);
  }
  return line;
}

std::array<std::size_t, enum_names<catalog::Term>.size()> term_totals(const Statistics& statistics) {
  std::array<std::size_t, enum_names<catalog::Term>.size()> totals{};
  for (const auto& provider : statistics.providers)
    for (std::size_t i = 0; i < totals.size(); ++i) totals[i] += provider.by_term[i];
  return totals;
}

/// Fields that are not known of every record, the least known last.
std::string coverage_line(const Statistics& statistics, std::string_view section) {
  std::vector<catalog::FieldCoverage> fields;
  for (const auto& field : statistics.coverage)
    if (field.section == section && field.known > 0 && field.known < field.of) fields.push_back(field);
  std::ranges::stable_sort(fields, std::greater{}, &catalog::FieldCoverage::known);
  std::string line = say("known about {}:", section);
  for (const auto& field : fields) line += format(" {} {},", field.field, share(field.known, field.of));
  if (!fields.empty()) line.pop_back();
  return line;
}

std::string dates_of(Date oldest, Date newest) {
  if (!oldest.known()) return say("undated");
  return oldest == newest ? oldest.text() : say("{} to {}", oldest.text(), newest.text());
}

/// All of them, or those with most offers.
Table provider_table(const Statistics& statistics, bool all) {
  constexpr std::size_t kLargest = 8;
  auto shown = statistics.providers;
  if (!all) {
    std::ranges::stable_sort(shown, std::greater{}, [](const auto& one) { return one.offers; });
    shown.resize(std::min(shown.size(), kLargest));
  }
  Table table({left(say("provider")), right(say("SKUs")), right(say("with GPU"), 1), right(say("priced")),
               right(say("regions"), 1), right(say("offers"), 1), left(say("price date")), left(say("terms"), 2, 24)});
  for (const auto& p : shown)
    table.add({std::string(p.provider), format("{}", p.instances), format("{}", p.with_gpu), format("{}", p.priced),
               format("{}", p.regions), format("{}", p.offers), p.offers == 0 ? "-" : dates_of(p.oldest, p.newest),
               counts_line<catalog::Term>(p.by_term)});
  return table;
}

}  // namespace

Document statistics_page(const CatalogState& state, const catalog::Catalog& catalog, Date today, bool all) {
  const Statistics& statistics = state.statistics;
  const std::size_t offers = catalog.offers().size();
  Document page;
  page.title(say("{} prices of {} instances at {} providers, {} GPUs, {} models: {} catalog",
                 human_number(static_cast<double>(offers)),
                 human_number(static_cast<double>(catalog.instances().size())), catalog.providers().size(),
                 catalog.gpus().size(), catalog.models().size(), catalogue_name(catalog)));
  if (statistics.median_age_days)
    page.line(say("median price age: {} days, as of {}", *statistics.median_age_days, today.text()));
  for (const LayerChanges& layer : state.layers)
    page.line(say("{}: {}", printable(layer.path), changes_summary(layer.changes)));
  page.gap().add(age_table(statistics, offers)).gap().add(provider_table(statistics, all));
  if (!all) return page.line(secondary(say("All providers, terms, sources and how complete records are: -o wide")));
  page.gap().line(say("terms: {}", counts_line<catalog::Term>(term_totals(statistics))));
  page.line(say("confidence: {}", counts_line<catalog::Confidence>(statistics.by_confidence)));
  page.line(say("renderer scores: {}, sources: {}", catalog.render_scores().size(), catalog.sources().size()));
  page.line(say("exchange rates: {}, the oldest from {}", catalog.exchange_rates().size(),
                statistics.oldest_rate.known() ? statistics.oldest_rate.text() : say("no date")));
  if (!state.outlook.empty())
    page.gap()
        .add(outlook_table(state.outlook))
        .line(say("each offer's first price as a forecast of its last, as is and as expected from the prices of other "
                  "GPUs and providers"));
  page.gap();
  for (const std::string_view section : {"gpus", "instances"}) page.line(coverage_line(statistics, section));
  return page;
}

Json statistics_json(const CatalogState& state, const catalog::Catalog& catalog, Date today) {
  const Statistics& statistics = state.statistics;
  Json out{{"schema", "gpusel.catalog-stats/1"}, {"catalogue", catalog.origin_text()}};
  out["counts"] = {{"gpus", catalog.gpus().size()},           {"models", catalog.models().size()},
                   {"providers", catalog.providers().size()}, {"regions", catalog.regions().size()},
                   {"instances", catalog.instances().size()}, {"offers", catalog.offers().size()},
                   {"sources", catalog.sources().size()},     {"render_scores", catalog.render_scores().size()},
                   {"states", catalog.offer_states().size()}, {"older_prices", catalog.history().size()}};
  out["providers"] = list_json(statistics.providers, [&](const auto& p) -> Json {
    Json terms = Json::object();
    for (std::size_t i = 0; i < p.by_term.size(); ++i)
      if (p.by_term[i] > 0) terms[std::string(enum_names<catalog::Term>[i])] = p.by_term[i];
    return {{"provider", p.provider},
            {"instances", p.instances},
            {"with_gpu", p.with_gpu},
            {"priced", p.priced},
            {"regions", p.regions},
            {"offers", p.offers},
            {"offers_by_term", std::move(terms)},
            {"oldest_price", text_or_null(p.oldest.text())},
            {"newest_price", text_or_null(p.newest.text())}};
  });
  Json ages = list_json(statistics.ages, [](const auto& bucket) -> Json {
    return {{"up_to_days", bucket.days ? Json(*bucket.days) : Json(nullptr)}, {"offers", bucket.offers}};
  });
  out["price_age"] = {{"today", today.text()},
                      {"buckets", std::move(ages)},
                      {"undated", statistics.undated},
                      {"median_days", statistics.median_age_days ? Json(*statistics.median_age_days) : Json(nullptr)}};
  Json confidence = Json::object();
  for (std::size_t i = 0; i < statistics.by_confidence.size(); ++i)
    confidence[std::string(enum_names<catalog::Confidence>[i])] = statistics.by_confidence[i];
  out["offers_by_confidence"] = std::move(confidence);
  Json coverage = Json::object();
  for (const auto& field : statistics.coverage)
    coverage[std::string(field.section)][std::string(field.field)] = {{"known", field.known}, {"of", field.of}};
  out["coverage"] = std::move(coverage);
  out["exchange_rates"] = list_json(catalog.exchange_rates(), [](const auto& rate) -> Json {
    return {{"currency", rate.currency.code()},
            {"per_usd", number(rate.per_usd)},
            {"as_of", text_or_null(rate.as_of.text())},
            {"source", text_or_null(rate.source)}};
  });
  out["layers"] = list_json(state.layers, [](const LayerChanges& layer) -> Json {
    return {{"path", layer.path}, {"changes", changes_json(layer.changes)}};
  });
  out["expected_prices"] = outlook_json(state.outlook);
  return out;
}

std::string changes_summary(std::span<const catalog::Change> changes) {
  std::string line;
  for (auto at = changes.begin(); at != changes.end();) {
    std::array<std::size_t, enum_names<ChangeKind>.size()> counts{};
    const auto section = at->section;
    std::string last;  // a record with three new figures is one changed record
    for (; at != changes.end() && at->section == section; ++at) {
      if (at->subject != last) ++counts[static_cast<std::size_t>(at->kind)];
      last = at->subject;
    }
    line += format("{}{} {}", line.empty() ? "" : "; ", section, counts_line<ChangeKind>(counts));
  }
  return line.empty() ? say("no difference") : line;
}

Json changes_json(std::span<const catalog::Change> changes) {
  return list_json(changes, [](const catalog::Change& change) -> Json {
    return {{"section", change.section},           {"subject", change.subject},
            {"change", to_text(change.kind)},      {"field", text_or_null(change.field)},
            {"before", value_json(change.before)}, {"after", value_json(change.after)}};
  });
}

Table changes_table(std::span<const catalog::Change> changes) {
  Table table({left(say("section")), left(say("what"), 0, 20), left(say("change")), left(say("figure"), 1),
               right(say("before"), 0, 12), right(say("after"), 0, 12), right("", 1, 0, "growth")});
  for (const catalog::Change& change : changes)
    table.add({std::string(change.section), printable(change.subject), said(change.kind), std::string(change.field),
               change.field.empty() ? "" : fact_text(change.before),
               change.field.empty() ? "" : fact_text(change.after), growth(change)});
  return table;
}

}  // namespace gpusel::show
