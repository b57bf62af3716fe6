// Traffic by name, or out of a file.
#pragma once

#include <algorithm>
#include <string_view>

#include "base/text/text.hpp"
#include "catalog/catalog.hpp"
#include "job/traffic/traffic.hpp"

namespace gpusel::answer {

/// Kinds of traffic and of days that the catalogue and its overlays know.
Result<job::TrafficCatalog> traffic_catalog(const catalog::Catalog& catalog);

/// The one that is called so; null: none.
template <class Record>
const Record* named(const std::vector<Record>& records, std::string_view name) {
  const auto found = std::ranges::find_if(records, [&](const Record& one) { return one.id == fold_name(name); });
  return found == records.end() ? nullptr : &*found;
}

bool is_file(const std::string& name);

/// That it is neither a file nor one of those that are known.
std::unexpected<Error> unknown_traffic(std::string_view flag, std::string_view name,
                                       std::span<const std::string_view> known);

template <class Record>
std::unexpected<Error> unknown_traffic(std::string_view flag, std::string_view name,
                                       const std::vector<Record>& records) {
  std::vector<std::string_view> ids;
  for (const Record& one : records) ids.push_back(one.id);
  return unknown_traffic(flag, name, std::span<const std::string_view>(ids));
}

}  // namespace gpusel::answer
