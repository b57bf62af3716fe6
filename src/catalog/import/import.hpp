// Price lists that others publish, read into a market of our own: instances and offers. What a row says
// is believed as far as it can be understood; the rest is left out, counted and named.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "catalog/catalog.hpp"

namespace gpusel::catalog {

enum class ImportFormat : std::uint8_t {
  skypilot,
  gpuhunt,
  aws_pricing,
  azure_retail,
  vast,
  generic_csv,
  runpod,
  lambda,
  oci_products,
  gcp_billing
};

/// Called while a file is read: bytes so far and in all (0: unknown).
using ImportProgress = std::function<void(std::uint64_t read, std::uint64_t size)>;

struct ImportRequest {
  ImportFormat format = ImportFormat::skypilot;
  std::vector<std::string> files;  // and folders, whose files are read
  std::string cloud;               // of all files; empty: of each file's name or folder
  Date as_of;                      // of all prices; unknown: as the files say, else as they were last committed
  ImportProgress progress;
  bool trust = false;          // prices far below what others ask are taken too
  bool with_gpu_only = false;  // of machines that the catalogue does not have
  /// In place of one source per file; no key: there is none.
  Source source = {};
};

/// One row that was left out.
struct SkippedRow {
  std::uint32_t file = 0;  // index
  std::uint32_t line = 0;
  std::uint32_t reason = 0;  // index into ImportReport::texts
};

/// A remark about one or many rows: what was found, how often, and where first.
struct ImportWarning {
  std::string text;
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  std::uint64_t rows = 0;
};

struct ImportedFile {
  std::string path;
  std::string cloud;  // provider its rows belong to; empty where each row names its own
  Date as_of;
  std::uint64_t rows = 0;
  std::uint64_t imported = 0;
  std::string failure;   // why it could not be read, or not to its end; empty: it was
  bool cut_off = false;  // it seems to end before its end
};

/// rows = imported + skipped, in rows of the input. Rows merged into one offer count as imported.
struct ImportReport {
  std::vector<ImportedFile> files;
  std::vector<SkippedRow> skipped;
  std::vector<std::string> texts;                             // each reason once
  std::vector<std::uint32_t> doubts;                          // of these, the ones for which a price is kept out
  std::map<std::string, std::uint64_t, std::less<>> doubted;  // rows kept out for these, by provider
  std::vector<ImportWarning> warnings;

  std::uint64_t rows() const;
  std::uint64_t imported() const;
  /// Rows that were understood and are kept out for their price.
  std::uint64_t kept_out() const;
};

/// How many prices of a list are what to those of the catalogue. An own price stays, whatever is listed later.
struct PriceChanges {
  std::uint64_t fresh = 0;    // of offers that it does not have
  std::uint64_t younger = 0;  // than what it has
  std::uint64_t moved = 0;    // of the younger, those that differ
  std::uint64_t older = 0;    // than what it has: to their history
  std::uint64_t same = 0;     // it has them, of that day

  PriceChanges& operator+=(const PriceChanges& other);
};

/// Provider, SKU, region, term and currency: what one price is compared by with another of other tables.
using OfferName = std::tuple<std::string_view, std::string_view, std::string_view, Term, std::string_view>;
OfferName name_of(const Catalog& catalog, const Offer& offer);
using OffersByName = std::map<OfferName, const Offer*>;
OffersByName offers_by_name(const Catalog& catalog);
/// By provider. Older prices of the list itself count, too.
using ProviderChanges = std::map<std::string_view, PriceChanges>;
ProviderChanges provider_changes(const Catalog& market, const OffersByName& known);
/// Of all providers.
PriceChanges price_changes(const Catalog& market, const OffersByName& known);

struct Import {
  Catalog market;  // providers, regions, instances, offers and their sources; no GPUs and no models
  ImportReport report;
};

/// Reads `request.files`. GPUs, providers and known SKUs are those of `known`. An error means that the
/// request cannot be met at all (no file's cloud is known); what is wrong with a file stands in the report.
std::expected<Import, Errors> import_market(const ImportRequest& request, const Catalog& known);

/// One file of YAML, without its folder.
struct YamlFile {
  std::string name;
  std::string text;
};

struct MarketText {
  bool listed = false;             // as an overlay: a younger price of another list stands
  const Catalog* known = nullptr;  // what it has of providers, regions and sizes is left out
};
/// A text as YAML, whatever is in it.
std::string quoted_yaml(std::string_view text);

/// A market as YAML that the loader reads as a catalogue or as an overlay.
std::vector<YamlFile> market_yaml(const Catalog& market, const MarketText& as = {});

/// Writes them into `directory`, all or none, and removes what an earlier import left there. Refuses a folder that
/// another run is reading or writing and, without `force`, one whose imported files were edited.
Status write_market_yaml(const std::string& directory, const std::vector<YamlFile>& files, bool force = false);

/// Checks the dialects of data/import: names that only price lists use.
Errors check_dialects(const Catalog& catalog);

}  // namespace gpusel::catalog

namespace gpusel {

template <>
inline constexpr auto enum_names<catalog::ImportFormat> =
    std::to_array<std::string_view>({"skypilot", "gpuhunt", "aws-pricing", "azure-retail", "vast", "generic-csv",
                                     "runpod", "lambda", "oci-products", "gcp-billing"});

}  // namespace gpusel
