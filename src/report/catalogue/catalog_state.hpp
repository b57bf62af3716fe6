// What a catalogue holds and what changed in it, as tables and JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpusel/catalog/diff.hpp"
#include "gpusel/catalog/statistics.hpp"
#include "report/document/document.hpp"
#include "report/json/json.hpp"

namespace gpusel::report {

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

}  // namespace gpusel::report
