// What a catalogue holds and what changed in it, as tables and JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "catalog/diff.hpp"
#include "catalog/records/statistics.hpp"
#include "show/document/document.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

/// What one file laid on top has changed.
struct LayerChanges {
  std::string path;
  std::vector<catalog::Change> changes;
};

Json statistics_json(const catalog::Statistics& statistics, const catalog::Catalog& catalog, Date today,
                     std::span<const LayerChanges> layers);
/// Counts, a table of providers, ages, what is known of how much, and what was laid on top.
Document statistics_page(const catalog::Statistics& statistics, const catalog::Catalog& catalog, Date today,
                         std::span<const LayerChanges> layers);

/// "12 prices changed, 3 instances added".
std::string changes_summary(std::span<const catalog::Change> changes);
Json changes_json(std::span<const catalog::Change> changes);
Table changes_table(std::span<const catalog::Change> changes);

}  // namespace gpusel::show
