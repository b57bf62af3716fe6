// Price lists that others publish, read into a market of our own: instances and offers. What a row says
// is believed as far as it can be understood; the rest is left out, counted and named.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"

namespace gpusel::catalog {

enum class ImportFormat : std::uint8_t { skypilot, gpuhunt, aws_pricing, azure_retail, vast, generic_csv };

/// Called while a file is read: bytes so far and in all (0: unknown).
using ImportProgress = std::function<void(std::uint64_t read, std::uint64_t size)>;

struct ImportRequest {
  ImportFormat format = ImportFormat::skypilot;
  std::vector<std::string> files;  // and folders, whose files are read
  std::string cloud;               // of all files; empty: of each file's name or folder
  Date as_of;                      // of all prices; unknown: as the files say, else as they were last committed
  ImportProgress progress;
  bool trust = false;  // prices far below what others ask are taken too
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
  std::string failure;  // why it could not be read, or not to its end; empty: it was
};

/// rows = imported + skipped, in rows of the input. Rows merged into one offer count as imported.
struct ImportReport {
  std::vector<ImportedFile> files;
  std::vector<SkippedRow> skipped;
  std::vector<std::string> texts;  // each reason once
  std::vector<ImportWarning> warnings;

  std::uint64_t rows() const;
  std::uint64_t imported() const;
};

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

/// A market as YAML that the loader reads as a catalogue or as an overlay.
std::vector<YamlFile> market_yaml(const Catalog& market);

/// Writes them into `directory`, all or none, and removes what an earlier import left there. Refuses a folder that
/// another run is reading or writing and, without `force`, one whose imported files were edited.
Status write_market_yaml(const std::string& directory, const std::vector<YamlFile>& files, bool force = false);

/// Checks the dialects of data/import: names that only price lists use.
Errors check_dialects(const Catalog& catalog);

}  // namespace gpusel::catalog

namespace gpusel {

template <>
inline constexpr auto enum_names<catalog::ImportFormat> =
    std::to_array<std::string_view>({"skypilot", "gpuhunt", "aws-pricing", "azure-retail", "vast", "generic-csv"});

}  // namespace gpusel
