// Price lists read with the shipped catalogue, and what became of their rows.
#pragma once

#include <catch2/catch.hpp>

#include "catalog/import/import.hpp"
#include "listing.hpp"

namespace gpusel::test {

using catalog::Import;
using catalog::ImportFormat;

inline const std::string kFixtures = kSource + "/tests/catalog/import/";

inline Import imported(ImportFormat format, const std::vector<std::string>& files, const std::string& cloud = {}) {
  static const catalog::Catalog known = embedded();
  catalog::ImportRequest request{format, files, cloud, Date{2026, 5, 20}, {}};
  request.trust = true;  // what is kept out is import_dates_test's
  auto done = catalog::import_market(request, known);
  if (!done) throw std::runtime_error(done.error().front().message);
  return std::move(*done);
}

inline Import skypilot(const std::string& name) {
  return imported(ImportFormat::skypilot, {kFixtures + "sky/" + name});
}
inline Import other(ImportFormat format, const std::string& name) {
  return imported(format, {kFixtures + "other/" + name});
}

/// An own list in the given format, read from a scratch file.
inline Import import_text(ImportFormat format, const std::string& name, const std::string& text) {
  return imported(format, {scratch_file(name, text)});
}

/// "on-demand 3.67339 USD us-central1" of every offer of a SKU.
inline Lines prices_of(const catalog::Catalog& market, std::string_view sku) {
  Lines lines;
  for (const catalog::Instance& instance : market.instances())
    if (instance.sku == sku)
      for (const catalog::Offer& offer : market.offers_of(instance))
        lines.push_back(format("{} {:.6g} {} {}", to_text(offer.term), offer.per_hour(),
                               market.currency_of(offer).code(), market.region_of(offer).id));
  std::sort(lines.begin(), lines.end());
  return lines;
}

/// "8 a100-sxm-40gb", or "none".
inline std::string gpus_of(const catalog::Catalog& market, std::string_view sku) {
  for (const catalog::Instance& instance : market.instances())
    if (instance.sku == sku)
      return format("{} {}", instance.gpu_count ? format("{}", *instance.gpu_count) : "?",
                    instance.gpu.empty() ? "none" : instance.gpu);
  return "no such SKU";
}

inline std::string reason_on(const Import& result, std::uint32_t line) {
  for (const catalog::SkippedRow& row : result.report.skipped)
    if (row.line == line) return result.report.texts[row.reason];
  return {};
}

inline bool warns(const Import& result, std::uint32_t line, const std::string& words) {
  return std::any_of(result.report.warnings.begin(), result.report.warnings.end(), [&](const auto& warning) {
    return warning.line == line && warning.text.find(words) != std::string::npos;
  });
}

inline void check_accounts(const Import& result) {
  CHECK(result.report.rows() == result.report.imported() + result.report.skipped.size());
  for (const catalog::SkippedRow& row : result.report.skipped) {
    CHECK(row.line > 0);
    CHECK(!result.report.texts[row.reason].empty());
  }
}

}  // namespace gpusel::test
