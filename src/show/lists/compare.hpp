#pragma once

#include <string>

#include "answer/lists/compare.hpp"
#include "show/document/document.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

/// One column per item and one row per figure that any of them has, each with its ratio to the first
/// item's. Rows in which all are equal come last, in one line, unless the format is "wide"; below stand
/// prices with their origin, plans and what the items are often mistaken for.
Document compare_page(const answer::CompareAnswer& comparison, const catalog::Catalog& catalog, bool all);
Json compare_json(const answer::CompareAnswer& comparison, const catalog::Catalog& catalog);
/// One row per item: names, the price's origin, every figure in full, its ratio to the first item's.
Table compare_table(const answer::CompareAnswer& comparison, const catalog::Catalog& catalog);

/// What stands above an item's column.
std::string compared_name(const answer::Compared& item);

}  // namespace gpusel::show
