#pragma once

#include <string>

#include "answer/lists/compare.hpp"
#include "show/document/document.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

/// What is shown of a comparison beyond the figures that decide.
struct CompareView {
  bool all = false;      // everything, rows in which all are equal among them
  bool specs = false;    // every figure of the hardware, with its ratio to the first item's
  bool sources = false;  // where prices come from, and the plans
};

/// Which one to take, and the figures that decide; on request the rest.
Document compare_page(const answer::CompareAnswer& comparison, const catalog::Catalog& catalog,
                      const CompareView& view);
Json compare_json(const answer::CompareAnswer& comparison, const catalog::Catalog& catalog);
/// One row per item: names, the price's origin, every figure in full, its ratio to the first item's.
Table compare_table(const answer::CompareAnswer& comparison, const catalog::Catalog& catalog);

/// "GPU", "8 × GPU", "3 × 1/2 GPU" of an item whose GPU goes by that name.
std::string counted_gpus(const answer::Compared& item, const std::string& name);
/// What stands above an item's column.
std::string compared_name(const answer::Compared& item);

}  // namespace gpusel::show
