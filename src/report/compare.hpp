#pragma once

#include <string>

#include "gpusel/advise/compare.hpp"
#include "report/json.hpp"
#include "report/table.hpp"

namespace gpusel::report {

/// One column per item and one row per figure that any of them has, each with its ratio to the first
/// item's. Rows in which all are equal come last, in one line, unless the format is "wide"; below stand
/// prices with their origin, plans and what the items are often mistaken for.
std::string compare_text(const advise::CompareAnswer& comparison, const catalog::Catalog& catalog,
                         std::string_view format, const Terminal& terminal);
Json compare_json(const advise::CompareAnswer& comparison, const catalog::Catalog& catalog);
/// One row per item: names, the price's origin, every figure in full, its ratio to the first item's.
std::string compare_csv(const advise::CompareAnswer& comparison, const catalog::Catalog& catalog);

/// What stands above an item's column.
std::string compared_name(const advise::Compared& item);

}  // namespace gpusel::report
