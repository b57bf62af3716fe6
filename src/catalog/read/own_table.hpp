// A table of the user's own prices, where other overlays are YAML: a spreadsheet saved as CSV.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "base/values/error.hpp"
#include "catalog/read/own_prices.hpp"

namespace gpusel::catalog {

inline bool is_own_table(std::string_view path) { return path.ends_with(".csv"); }

/// Columns instance and price, in any order and by any of their usual names; besides provider, term, currency and date.
/// Of one subject the youngest price counts. `today` (unknown: not judged) is the date of prices without one.
/// Errors, with file:line:column: another column, what is no price or date, a date to come, two prices of one date.
std::expected<OwnPrices, Errors> read_own_table(const std::string& path, Date today);

}  // namespace gpusel::catalog
