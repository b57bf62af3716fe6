// Regions by the names that people give them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"

namespace gpusel::catalog {

/// Ids of the regions that a name means: the one of that id, else those at a place of that name.
Result<std::vector<std::string>> regions_called(std::string_view name, const Catalog& catalog);

}  // namespace gpusel::catalog
