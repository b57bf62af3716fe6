// Catalogues with facts in memory laid on top of all files, and fingerprints: for who asks a question again.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/io/own_file.hpp"
#include "catalog/snapshot/load.hpp"

namespace gpusel::catalog {

/// As load(); the documents are laid on top of the files, one by one, and below own prices.
std::expected<Catalog, Errors> load(const LoadOptions& options, std::span<const Document> documents);

/// Whether the bytes of a file are those of a snapshot, and as they were written.
Author snapshot_author(std::string_view bytes);

}  // namespace gpusel::catalog
