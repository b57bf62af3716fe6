// Tables of prices, a line per price: what was asked for an offer on a day. Private to this room.
#pragma once

#include <string>
#include <string_view>

#include "base/io/document.hpp"

namespace gpusel::catalog {

/// The rows of a CSV as the section "prices" of a YAML file, each as a sheet of one price, at its place in the table:
/// columns are the keys of a sheet, and `sku`. Errors: no CSV, or a row without a SKU.
Result<Document> price_rows(std::string_view text, const std::string& name);

}  // namespace gpusel::catalog
