// Catalogues with facts in memory laid on top of all files, and fingerprints: for who asks a question again.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "catalog/snapshot/load.hpp"

namespace gpusel::catalog {

/// As load(); the documents are laid on top of the files, one by one, and below own prices.
std::expected<Catalog, Errors> load(const LoadOptions& options, std::span<const Document> documents);

/// A fingerprint that tells other bytes from these: "xxh3:" and 16 hexadecimal digits.
std::string content_hash(std::string_view bytes);

}  // namespace gpusel::catalog
