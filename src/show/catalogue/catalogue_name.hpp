// What the catalogue was read from, in words.
#pragma once

#include <string>

#include "catalog/catalog.hpp"

namespace gpusel::show {

/// "embedded+/home/me/prices.yaml": what the program carries or --catalog names, and the files laid over it.
std::string catalogue_name(const catalog::Catalog& catalog);

}  // namespace gpusel::show
