// Tables: price lists of others, measurements, requests that were served.
#include <cmath>
#include <filesystem>

#include "answer/truth/calibrate.hpp"
#include "catalog/import/import.hpp"
#include "fuzz/ground.hpp"
#include "fuzz/readers.hpp"
#include "fuzz/same_market.hpp"
#include "job/traffic/traffic.hpp"

namespace gpusel::fuzz {

namespace {

using catalog::ImportFormat;

void check_accounts(const catalog::ImportReport& report) {
  must(report.rows() == report.imported() + report.skipped.size(), "a row is neither imported nor left out");
  for (const catalog::SkippedRow& row : report.skipped)
    must(row.reason < report.texts.size() && !report.texts[row.reason].empty(), "a row is left out without a reason");
  for (const catalog::ImportWarning& warning : report.warnings) must(!warning.text.empty(), "a remark says nothing");
  for (const catalog::ImportedFile& file : report.files) check_shown(file.failure);
}

catalog::Catalog read_back(const std::vector<catalog::YamlFile>& files) {
  const auto folder = std::filesystem::path(file_of("list-market/none", "")).parent_path();
  std::filesystem::remove_all(folder);
  for (const catalog::YamlFile& file : files) file_of("list-market/" + file.name, file.text);
  auto read = catalog::load(in_place(folder.string()));
  must(read.has_value(), "an import cannot be read: " + (read ? "" : read.error().front().message));
  return std::move(*read);
}

/// What is imported is a catalogue: a snapshot has all of it, and its YAML is the same market.
void feed_list(ImportFormat format, const std::string& cloud, std::string_view bytes) {
  const std::string path = file_of("list", bytes);
  const auto import = catalog::import_market({format, {path}, cloud, kToday, {}}, shipped().catalog);
  if (!import) return check(import.error());
  check_accounts(import->report);
  for (const catalog::Offer& offer : import->market.offers())
    must(std::isfinite(offer.amount) && offer.amount >= 0, "an imported price is no price");
  if (import->market.offers().empty()) return;
  const auto kept = catalog::open_snapshot(file_of("list.snapshot", catalog::write_snapshot(import->market)));
  must(kept.has_value() && kept->offers().size() == import->market.offers().size(), "an import is lost in a snapshot");
  const auto written = catalog::market_yaml(import->market);
  const std::string lost = lost_between(written, catalog::market_yaml(read_back(written)));
  must(lost.empty(), "an import does not come back out of YAML: " + lost);
}

}  // namespace

void feed_skypilot(std::string_view bytes) { feed_list(ImportFormat::skypilot, "gcp", bytes); }
void feed_gpuhunt(std::string_view bytes) { feed_list(ImportFormat::gpuhunt, "gcp", bytes); }
void feed_aws_pricing(std::string_view bytes) { feed_list(ImportFormat::aws_pricing, "aws", bytes); }
void feed_azure_retail(std::string_view bytes) { feed_list(ImportFormat::azure_retail, "azure", bytes); }
void feed_vast(std::string_view bytes) { feed_list(ImportFormat::vast, "vast", bytes); }
void feed_generic_csv(std::string_view bytes) { feed_list(ImportFormat::generic_csv, "", bytes); }

void feed_measurements(std::string_view bytes) {
  const LoadedFacts& ground = shipped();
  auto sheet = catalog::read_measurement_file(file_of("runs", bytes), ground.catalog);
  if (!sheet) return check(sheet.error());
  answer::forget_request_keys(*sheet);
  for (const Error& error : sheet->unusable) check(error);
  const answer::CheckedRows rows = answer::check_rows(std::move(*sheet), true, ground.catalog, ground.coefficients);
  for (const Errors* errors : {&rows.unusable, &rows.outliers})
    for (const Error& error : *errors) check(error);
  constexpr std::size_t kFew = 3;
  if (rows.rows.empty() || rows.rows.size() > kFew) return;
  static const std::vector<Document> texts = ground.catalog.documents("calibration");
  const auto fitted = answer::calibrate(rows.rows, kToday, ground.catalog, ground.coefficients, texts);
  for (const answer::CalibratedCoefficient& one : fitted.coefficients)
    must(std::isfinite(one.own.value.value) && one.own.value.value > 0, "a coefficient is fitted to no number");
}

void feed_traffic(std::string_view bytes) {
  const std::string path = file_of("requests", bytes);
  if (const auto day = job::read_day(path); !day) check(day.error());
  for (const bool generates : {true, false}) {
    const auto traffic = job::read_traffic(path, {.generates = generates, .time_unit = {}});
    if (!traffic) {
      check(traffic.error());
      continue;
    }
    double share = 0;
    for (const job::Bucket& bucket : traffic->buckets) {
      must(std::isfinite(bucket.input) && std::isfinite(bucket.output) && bucket.share > 0, "a bucket is none");
      share += bucket.share;
    }
    must(std::abs(share - 1) < 1e-6, "the buckets are not all requests");
    must(!traffic->requests_per_s || std::isfinite(*traffic->requests_per_s), "a rate is no number");
  }
}

}  // namespace gpusel::fuzz
