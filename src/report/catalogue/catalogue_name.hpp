// What the catalogue was read from, in words.
#pragma once

#include <string>

#include "gpusel/catalog/catalog.hpp"

namespace gpusel::report {

/// "embedded+/home/me/prices.yaml": what the program carries or --catalog names, and the files laid over it.
std::string catalogue_name(const catalog::Catalog& catalog);

}  // namespace gpusel::report
