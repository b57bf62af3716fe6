#include "catalog/records/layers.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/io/document.hpp"
#include "catalog/read/own_table.hpp"
#include "catalog/snapshot/lay.hpp"

namespace gpusel::catalog {

namespace {

void forget_market(Tables& tables) {
  tables.instances.clear();
  tables.offers = {};
  tables.history = {};
  tables.states.clear();
  tables.market_is_own = false;
}

/// What is published, as the user's files have it.
std::expected<std::unique_ptr<Tables>, Errors> published(const LoadOptions& options,
                                                         std::span<const Document> documents) {
  auto tables = std::make_unique<Tables>();
  if (Errors errors = read_snapshot(*tables, embedded_block()); !errors.empty())
    return std::unexpected(std::move(errors));
  if (options.replacement.empty() && options.overlays.empty() && documents.empty()) return tables;

  bool changed = !options.overlays.empty() || !documents.empty();
  if (!options.replacement.empty()) {
    tables->origin_text = options.replacement;
    std::error_code failed;
    if (std::filesystem::is_directory(options.replacement, failed)) {
      forget_market(*tables);
      std::vector<Drift> shipped = std::exchange(tables->drift, {});
      if (Errors errors = lay_on_top(*tables, options.replacement); !errors.empty())
        return std::unexpected(std::move(errors));
      if (tables->drift.empty()) tables->drift = std::move(shipped);  // it says nothing of its own
      changed = true;
    } else {
      auto block = read_snapshot_file(options.replacement);
      if (!block) return std::unexpected(std::move(block.error()));
      if (Errors errors = read_snapshot(*tables, *block); !errors.empty()) return std::unexpected(std::move(errors));
    }
  }
  for (const std::string& overlay : options.overlays) {
    if (is_own_table(overlay)) continue;
    tables->origin_text += "+" + overlay;
    if (Errors errors = lay_on_top(*tables, overlay); !errors.empty()) return std::unexpected(std::move(errors));
  }
  // One by one: each may change what one before it has changed.
  for (const Document& document : documents) {
    if (Errors errors = lay_on_top(*tables, std::span(&document, 1)); !errors.empty())
      return std::unexpected(std::move(errors));
  }
  if (changed) relink(*tables);
  return tables;
}

}  // namespace

std::expected<Catalog, Errors> load(const LoadOptions& options) { return load(options, {}); }

std::expected<Catalog, Errors> load(const LoadOptions& options, std::span<const Document> documents) {
  auto tables = published(options, documents);
  if (!tables) return std::unexpected(std::move(tables.error()));
  Catalog catalog(std::move(*tables));
  for (const std::string& overlay : options.overlays) {
    if (!is_own_table(overlay)) continue;
    auto own = read_own_table(overlay, options.own.as_of);
    if (!own) return std::unexpected(std::move(own.error()));
    if (own->empty()) continue;
    Errors errors = catalog.lay(*own);
    for (Error& error : errors) error.where = overlay;
    if (!errors.empty()) return std::unexpected(std::move(errors));
  }
  if (options.own.empty()) return catalog;
  if (Errors errors = catalog.lay(options.own); !errors.empty()) return std::unexpected(std::move(errors));
  return catalog;
}

}  // namespace gpusel::catalog
