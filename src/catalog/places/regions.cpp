#include "catalog/places/regions.hpp"

#include <algorithm>

#include "base/text/text.hpp"

namespace gpusel::catalog {

Result<std::vector<std::string>> regions_called(std::string_view name, const Catalog& catalog) {
  const auto by_id = catalog.region(name);
  std::vector<std::string> ids;
  // Two providers may write one id in different letters, and whoever types it means both.
  for (const Region& region : catalog.regions())
    if (fold_name(region.id) == fold_name(name) && std::find(ids.begin(), ids.end(), region.id) == ids.end())
      ids.emplace_back(region.id);
  if (!ids.empty()) return ids;
  // A place of two words is a part of the folded name between dashes.
  const std::string part = "-" + fold_name(name) + "-";
  for (const Region& region : catalog.regions()) {
    std::string place = "-" + fold_name(region.name) + "-";
    std::replace_if(
        place.begin(), place.end(), [](char c) { return std::string_view("(),.").find(c) != std::string_view::npos; },
        '-');
    if (part.size() > 4 && place.find(part) != std::string::npos) ids.emplace_back(region.id);
  }
  if (ids.empty()) return std::unexpected(by_id.error());
  return ids;
}

}  // namespace gpusel::catalog
