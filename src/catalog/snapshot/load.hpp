// Ways to a Catalog: embedded, from files, and back into a snapshot file.
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/values/error.hpp"
#include "catalog/catalog.hpp"
#include "catalog/read/own_prices.hpp"

namespace gpusel::catalog {

struct LoadOptions {
  /// A directory of YAML, or a snapshot, that replaces the embedded instances and offers.
  std::string replacement;
  /// YAML files laid on top, in order: each adds records or changes single facts.
  std::vector<std::string> overlays;
  /// What the user pays, over all of these.
  OwnPrices own = {};
};

/// The embedded catalogue with `options` applied. Nothing is parsed when there are none.
/// Errors: every problem of every file, with file:line:column; ErrorKind::bad_catalogue.
std::expected<Catalog, Errors> load(const LoadOptions& options);

/// The YAML files at `path` as trees, in the order of their names: a file, or a directory with all below it.
std::expected<std::vector<Document>, Errors> read_documents(const std::string& path);

/// The YAML files of a folder and below it, each an overlay of its own; not those of the folder `without`. Nothing
/// where it is not read: read_documents() says why.
std::optional<std::vector<std::string>> overlays_below(const std::string& folder, const std::string& without);

/// Reads `data/` of the project alone: what the build turns into the embedded snapshot.
std::expected<Catalog, Errors> load_directory(const std::string& directory);

/// The whole catalogue as one snapshot (FlatBuffers, then a checksum of 8 bytes).
std::string write_snapshot(const Catalog& catalog);

/// Opens what write_snapshot wrote. Refused unless checksum, verifier and every index agree.
std::expected<Catalog, Errors> open_snapshot(const std::string& path);

}  // namespace gpusel::catalog
