// What a catalogue holds and what changed in it, as tables and JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "catalog/diff.hpp"
#include "catalog/records/statistics.hpp"
#include "money/expected_check.hpp"
#include "show/document/document.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

/// What one file laid on top has changed.
struct LayerChanges {
  std::string path;
  std::vector<catalog::Change> changes;
};

/// How much a catalogue knows, what was laid on top of it, and how near its expected prices come.
struct CatalogState {
  catalog::Statistics statistics;
  std::vector<LayerChanges> layers;
  std::vector<money::OutlookCheck> outlook;
};

Json statistics_json(const CatalogState& state, const catalog::Catalog& catalog, Date today);
/// Counts, a table of providers, ages, errors of expected prices, what is known of how much, and what was laid on top.
/// `all`: every provider, what is known of records, and how well old prices foretell.
Document statistics_page(const CatalogState& state, const catalog::Catalog& catalog, Date today, bool all);

/// "12 prices changed, 3 instances added".
std::string changes_summary(std::span<const catalog::Change> changes);
Json changes_json(std::span<const catalog::Change> changes);
Table changes_table(std::span<const catalog::Change> changes);

}  // namespace gpusel::show
