#include "show/money/token_prices.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "catalog/catalog.hpp"

namespace gpusel::show {

namespace {

using catalog::Number;
using catalog::TokenPrice;

constexpr std::size_t kShownSellers = 12;

/// Of that model, the cheapest to write first; those of encoders, which write nothing, by what is read.
std::vector<const TokenPrice*> prices_of(const catalog::Model& model, const catalog::Catalog& catalog) {
  std::vector<const TokenPrice*> prices;
  for (const TokenPrice& price : catalog.token_prices())
    if (price.model == model.id) prices.push_back(&price);
  const auto amount = [](const TokenPrice* p) {
    return std::pair(p->output_per_million.value_or(0), p->input_per_million.value_or(0));
  };
  std::ranges::stable_sort(prices, {}, amount);
  return prices;
}

std::string amount_of(const Number& amount) { return amount ? human_price(*amount) : std::string("?"); }

}  // namespace

Json token_prices_json(const catalog::Model& model, const catalog::Catalog& catalog) {
  const auto text = [](std::string_view value) { return value.empty() ? Json(nullptr) : Json(std::string(value)); };
  return list_json(prices_of(model, catalog), [&](const TokenPrice* p) -> Json {
    return {{"provider", text(p->provider)},
            {"input_per_million", number(p->input_per_million)},
            {"cached_input_per_million", number(p->cached_input_per_million)},
            {"output_per_million", number(p->output_per_million)},
            {"batch_input_per_million", number(p->batch_input_per_million)},
            {"batch_output_per_million", number(p->batch_output_per_million)},
            {"currency", text(p->currency)},
            {"as_of", text(p->as_of.text())},
            {"source", text(p->source)},
            {"note", text(p->note)}};
  });
}

void add_token_prices(const catalog::Model& model, const catalog::Catalog& catalog, Document& page) {
  const std::vector<const TokenPrice*> prices = prices_of(model, catalog);
  if (prices.empty()) return;
  Table table({left(say("tokens from")), right(say("read")), right(say("read again")), right(say("written")),
               left(say("currency"), 1), left(say("as of"), 1), left(say("source"), 2, 12), left(say("note"), 3, 12)});
  for (const TokenPrice* p : std::span(prices).first(std::min(prices.size(), kShownSellers))) {
    table.add({printable(p->provider), amount_of(p->input_per_million), amount_of(p->cached_input_per_million),
               amount_of(p->output_per_million), printable(p->currency),
               p->as_of.known() ? p->as_of.text() : say("undated"), printable(p->source), printable(p->note)});
  }
  page.gap().line(say("hosted, per million tokens:")).add(std::move(table));
  if (prices.size() > kShownSellers) page.line(say("and {} more: --json, token_prices", prices.size() - kShownSellers));
}

}  // namespace gpusel::show
