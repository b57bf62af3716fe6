// Prices over time: the history of an offer, how prices of a kind have moved, and how near the expected price comes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "money/expected.hpp"
#include "money/expected_check.hpp"
#include "show/document/document.hpp"
#include "show/document/table.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

/// The prices as a line of blocks, from the lowest to the highest of them; where they are all the same, a flat one.
std::string sparkline(std::span<const double> values);

/// A published price with the digits that it has, two to four decimals: "0.526", "1.20".
std::string listed_price(double amount);

/// A row for each offer that has a history, with its prices as a sparkline and what is expected today.
Table history_table(const catalog::Instance& instance, const catalog::Catalog& catalog, Date today);
/// Older prices of an offer, the oldest first.
Json history_json(const catalog::Offer& offer, const catalog::Catalog& catalog);

Document drift_page(std::span<const catalog::PriceMoves> moves);
Json drift_json(std::span<const catalog::PriceMoves> moves, const catalog::Catalog& catalog);

Table outlook_table(std::span<const money::OutlookCheck> checks);
Json outlook_json(std::span<const money::OutlookCheck> checks);

}  // namespace gpusel::show
