#include "show/money/price_history.hpp"

#include <algorithm>
#include <cmath>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/lists/words.hpp"

namespace gpusel::show {

namespace {

constexpr std::size_t kMostBlocks = 24;  // of a sparkline: the latest prices
constexpr std::string_view kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

std::string signed_percent(double share) {
  const double tenths = std::round(1000 * share) + 0.0;  // no minus before a zero
  return tenths == 0 ? std::string("0.0 %") : format("{:+.1f} %", tenths / 10);
}
std::string percent_of_price(double share) { return format("{:.1f} %", 100 * share); }
std::string whole_percent(double share) { return format("{:.0f} %", 100 * share); }
std::string date_text(Date date) { return date.known() ? date.text() : say("undated"); }

/// Why a price counts as dearer than it is.
std::string too_old_words(money::TooOld too_old) {
  switch (too_old) {
    case money::TooOld::no: return {};
    case money::TooOld::undated: return say("no day");
    case money::TooOld::spot: return say("spot, over 30 days old");
    case money::TooOld::marketplace: return say("marketplace, over 30 days old");
    case money::TooOld::cloud: return say("GPU cloud, over 180 days old");
  }
  return {};
}

std::string range_words(const money::PriceToday& price) {
  return format("{} ({}-{})", human_price(price.mid), human_price(price.low), human_price(price.high));
}

std::vector<double> course_of(const catalog::Offer& offer, const catalog::Catalog& catalog) {
  std::vector<double> prices;
  for (const catalog::Offer& old : catalog.history_of(offer)) prices.push_back(old.per_hour());
  prices.push_back(offer.per_hour());
  if (prices.size() > kMostBlocks) prices.erase(prices.begin(), prices.end() - kMostBlocks);
  return prices;
}

}  // namespace

std::string sparkline(std::span<const double> values) {
  if (values.empty()) return {};
  const auto [low, high] = std::ranges::minmax(values);
  std::string line;
  for (const double value : values) {
    const double share = high > low ? (value - low) / (high - low) : 0.5;
    const auto block = static_cast<std::size_t>(std::floor(share * std::size(kBlocks)));
    line += kBlocks[std::min(block, std::size(kBlocks) - 1)];
  }
  return line;
}

std::string listed_price(double amount) {
  if (amount < 0.01 || amount >= 999.995) return human_price(amount);
  constexpr std::size_t kLeast = 3;  // the point and two decimals
  std::string text = format("{:.4f}", amount);
  while (text.ends_with('0') && text.size() - text.find('.') > kLeast) text.pop_back();
  return text;
}

Table history_table(const catalog::Instance& instance, const catalog::Catalog& catalog, Date today) {
  const money::PriceOutlook outlook(catalog, today);
  Table table({left(say("region")), left(say("term")), left(say("since")), right(say("then")), left(say("prices"), 2),
               right(say("now")), left(say("currency"), 1), right(say("change")), left(say("expected today (80 %)"), 1),
               left(say("too old"), 1)});
  for (const catalog::Offer& offer : catalog.offers_of(instance)) {
    const auto history = catalog.history_of(offer);
    if (history.empty()) continue;
    const money::PriceToday price = outlook.expected(offer);
    const catalog::Offer& first = history.front();
    table.add({printable(catalog.region_of(offer).id), term_cell(offer.term), date_text(Date::from_packed(first.as_of)),
               listed_price(first.per_hour()), sparkline(course_of(offer, catalog)), listed_price(offer.per_hour()),
               std::string(catalog.currency_of(offer).code()), signed_percent(offer.per_hour() / first.per_hour() - 1),
               range_words(price), too_old_words(price.too_old)});
  }
  return table;
}

Json history_json(const catalog::Offer& offer, const catalog::Catalog& catalog) {
  return list_json(catalog.history_of(offer), [&](const catalog::Offer& old) -> Json {
    const catalog::Origin& origin = catalog.origin_of(old);
    return {{"as_of", text_or_null(Date::from_packed(old.as_of).text())},
            {"price_per_hour", number(old.per_hour())},
            {"source", text_or_null(origin.source)},
            {"confidence", to_text(origin.confidence)}};
  });
}

Document drift_page(std::span<const catalog::PriceMoves> moves) {
  Table table({left(say("GPU")), left(say("seller")), left(say("term")), right(say("offers"), 1),
               right(say("pairs"), 1), right(say("rose"), 2), right(say("fell"), 2), right(say("months")),
               right(say("change")), right(say("per month")), left(say("from"), 3), left(say("to"), 3)});
  for (const catalog::PriceMoves& one : moves)
    table.add({one.gpu.empty() ? say("none") : printable(one.gpu), said(one.seller), term_cell(one.term),
               format("{}", one.offers), format("{}", one.pairs), format("{}", one.rose), format("{}", one.fell),
               figure_cell(format("{:.1f}", one.months), one.months),
               figure_cell(signed_percent(one.change), one.change),
               figure_cell(signed_percent(one.per_month), one.per_month), one.first.text(), one.last.text()});
  Document page;
  page.title(say("How prices have moved"));
  if (table.empty()) return page.line(say("no offer has two prices with a date"));
  return page.add(std::move(table))
      .gap()
      .line(
          say("months and change: of an offer in the middle, from its first to its last price; per month: mean growth "
              "of all pairs of prices"));
}

Json drift_json(std::span<const catalog::PriceMoves> moves, const catalog::Catalog& catalog) {
  Json out{{"schema", "gpusel.catalog-drift/1"}};
  out["items"] = list_json(moves, [](const catalog::PriceMoves& one) -> Json {
    return {{"gpu", text_or_null(one.gpu)},
            {"seller", to_text(one.seller)},
            {"term", to_text(one.term)},
            {"offers", one.offers},
            {"pairs", one.pairs},
            {"rose", one.rose},
            {"fell", one.fell},
            {"months", number(one.months)},
            {"change", number(one.change)},
            {"change_per_month", number(one.per_month)},
            {"from", text_or_null(one.first.text())},
            {"to", text_or_null(one.last.text())}};
  });
  out["drift"] = list_json(catalog.drift(), [&](const catalog::Drift& one) {
    Json row = Json::object();
    row["id"] = one.id;
    row["seller"] = one.seller ? Json(to_text(*one.seller)) : Json(nullptr);
    row["term"] = one.term ? Json(to_text(*one.term)) : Json(nullptr);
    row["provider"] = text_or_null(one.provider);
    row["gpu"] = text_or_null(one.gpu);
    row["changes_per_month"] = number(one.changes_per_month);
    row["change"] = number(one.change);
    row["spread"] = number(one.spread);
    row["longest_months"] = number(one.longest_months);
    row["pairs"] = number(one.pairs);
    row["offers"] = number(one.offers);
    return row;
  });
  return out;
}

Table outlook_table(std::span<const money::OutlookCheck> checks) {
  Table table({left(say("seller")), left(say("term")), right(say("offers")), right(say("months"), 1),
               right(say("old price off by")), right(say("expected off by")), right(say("mean, old"), 2),
               right(say("mean, expected"), 2), right(say("in range"), 1)});
  for (const money::OutlookCheck& one : checks)
    table.add({said(one.seller), term_cell(one.term), format("{}", one.offers),
               figure_cell(format("{:.1f}", one.months), one.months),
               figure_cell(percent_of_price(one.old_error), one.old_error),
               figure_cell(percent_of_price(one.expected_error), one.expected_error),
               figure_cell(percent_of_price(one.old_mean), one.old_mean),
               figure_cell(percent_of_price(one.expected_mean), one.expected_mean),
               figure_cell(whole_percent(one.covered), one.covered)});
  return table;
}

Json outlook_json(std::span<const money::OutlookCheck> checks) {
  return list_json(checks, [](const money::OutlookCheck& one) -> Json {
    return {{"seller", to_text(one.seller)},
            {"term", to_text(one.term)},
            {"offers", one.offers},
            {"months", number(one.months)},
            {"old_median_error", number(one.old_error)},
            {"expected_median_error", number(one.expected_error)},
            {"old_mean_error", number(one.old_mean)},
            {"expected_mean_error", number(one.expected_mean)},
            {"in_range", number(one.covered)}};
  });
}

}  // namespace gpusel::show
