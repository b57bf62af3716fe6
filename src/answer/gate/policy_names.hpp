// Names in policy files: what each of them means in the catalogue. Private to this room.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"

namespace gpusel::answer {

using Names = Result<std::vector<std::string>>;

/// Ids, or the values themselves, that a name means. Errors: nothing goes by that name; with the nearest one.
Names provider_kinds(std::string_view name, const catalog::Catalog& catalog);
Names region_ids(std::string_view name, const catalog::Catalog& catalog);
Names countries_in(std::string_view name, const catalog::Catalog& catalog);
Names gpu_ids(std::string_view name, const catalog::Catalog& catalog);
Names term_names(std::string_view name, const catalog::Catalog& catalog);
Names licence_names(std::string_view name, const catalog::Catalog& catalog);
Names confidence_names(std::string_view name, const catalog::Catalog& catalog);

}  // namespace gpusel::answer
