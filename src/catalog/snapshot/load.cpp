#include "catalog/records/layers.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "base/io/csv.hpp"
#include "base/io/document.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
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

/// A table of the user's own prices, where other overlays are YAML.
bool is_table(std::string_view path) { return path.ends_with(".csv"); }

/// A column of such a table, by whatever it is called there.
struct PriceColumn {
  std::string_view key;
  std::string_view names;  // separated by ' '
};
constexpr PriceColumn kPriceColumns[] = {
    {"instance", "instance sku instance_type type name"},
    {"price", "price price_per_hour hourly hourly_price usd_per_hour amount cost"},
    {"provider", "provider cloud"},
    {"term", "term usage_class"},
    {"currency", "currency"},
    {"date", "date as_of"},
};

std::string_view price_column(std::string_view name) {
  std::string folded = fold_name(name);
  std::ranges::replace(folded, '-', '_');
  for (const PriceColumn& column : kPriceColumns)
    for (const std::string_view one : split(column.names, ' '))
      if (one == folded) return column.key;
  return {};
}

Result<OwnPrice> own_price(const Node& row, const std::string& path) {
  std::map<std::string_view, const Node*> cells;
  for (const Node& cell : row.children) cells[price_column(cell.key)] = &cell;
  const auto text = [&](std::string_view key) { return cells.contains(key) ? std::string(cells[key]->text) : ""; };
  if (!cells.contains("instance") || !cells.contains("price"))
    return usage_error(say("'{}' is missing", cells.contains("instance") ? "price" : "instance"), position(path, row));
  std::string subject = text("instance");
  if (const std::string provider = text("provider"); !provider.empty()) subject = provider + "/" + subject;
  if (const std::string term = text("term"); !term.empty()) subject += ":" + term;
  auto price = parse_price(subject + "=" + text("price") + text("currency"));
  if (!price) {
    price.error().where = position(path, *cells["price"]);
    return price;
  }
  if (cells.contains("date")) {
    const auto date = Date::parse(text("date"));
    if (!date)
      return usage_error(say("'{}' is not a date", shorten(text("date"), 20)), position(path, *cells["date"]),
                         say("write it like {}", "2026-11-20"));
    price->as_of = *date;
  }
  return price;
}

std::expected<OwnPrices, Errors> price_table(const std::string& path) {
  const auto bad = [](Error error) {
    error.kind = ErrorKind::bad_catalogue;
    return std::unexpected(Errors{std::move(error)});
  };
  const auto text = read_text_file(path);
  if (!text) return bad(text.error());
  const auto table = parse_csv(*text, path);
  if (!table) return bad(table.error());
  for (const Node& column : table->header)
    if (price_column(column.text).empty())
      return bad(Error{ErrorKind::usage, say("no column '{}' in this table of prices", shorten(column.text, 40)),
                       position(path, column),
                       say("instance and price are needed; also read: provider, term, currency, date")});
  OwnPrices own;
  Errors errors;
  for (const Node& row : table->rows) {
    auto price = own_price(row, path);
    if (price)
      own.prices.push_back(std::move(*price));
    else
      errors.push_back(bad(price.error()).error().front());
  }
  return errors.empty() ? std::expected<OwnPrices, Errors>(std::move(own)) : std::unexpected(std::move(errors));
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
    if (is_table(overlay)) continue;
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
    if (!is_table(overlay)) continue;
    auto own = price_table(overlay);
    if (!own) return std::unexpected(std::move(own.error()));
    own->as_of = options.own.as_of;
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
