// One reader per format: a file to rows of the market. What it cannot turn into a row it counts itself.
#pragma once

#include <string>

#include "catalog/import/csv.hpp"
#include "catalog/import/dialects/json_items.hpp"
#include "catalog/import/market.hpp"
#include "catalog/import/source_file.hpp"

namespace gpusel::catalog::import {

/// Reads the whole file. An error means that it is none of this format, or broke off; rows read before count.
using Importer = Status (*)(SourceFile& file, MarketBuilder& market);

Status read_skypilot(SourceFile& file, MarketBuilder& market);
Status read_gpuhunt(SourceFile& file, MarketBuilder& market);
Status read_aws_pricing(SourceFile& file, MarketBuilder& market);
Status read_azure_retail(SourceFile& file, MarketBuilder& market);
Status read_vast(SourceFile& file, MarketBuilder& market);
Status read_generic_csv(SourceFile& file, MarketBuilder& market);
Status read_runpod(SourceFile& file, MarketBuilder& market);
Status read_lambda(SourceFile& file, MarketBuilder& market);
Status read_oci_products(SourceFile& file, MarketBuilder& market);
Status read_gcp_billing(SourceFile& file, MarketBuilder& market);

struct Format {
  ImportFormat format;
  Importer read;
  Publisher publisher;
  std::string_view cloud;  // whose prices they always are; empty: the file's name or --cloud tells
};
const Format& format_of(ImportFormat format);

/// A number that a column may leave empty; `reason` is set where it is no number.
Number optional_number(std::string_view text, std::string_view column, std::string& reason);

/// The elements of the list under `key` of a JSON object, or of a list that is all there is.
Status each_item(SourceFile& file, MarketBuilder& market, std::string_view key,
                 const std::function<void(const Node& item, std::uint32_t line)>& take);
/// A text or number of a JSON object; empty where it has none.
std::string_view member_text(const Node& map, std::string_view key);
/// Reads wanted values of a JSON file; where it breaks off is counted as a row that was left out.
Status read_json(SourceFile& file, MarketBuilder& market, const JsonItems& items, const bool& found,
                 const std::string& lacks);

/// Says where a file that was read may have been cut off.
Status read_to_end(const CsvTable& table, const SourceFile& file, MarketBuilder& market);

/// Rows of a table until its end: broken ones are counted, `row` gets the others.
template <class Action>
Status each_row(CsvTable& table, SourceFile& file, MarketBuilder& market, Action row) {
  while (true) {
    const auto outcome = table.next();
    if (outcome == CsvReader::Outcome::end) break;
    if (outcome == CsvReader::Outcome::broken)
      market.ledger().skipped(table.line(), table.reason());
    else
      row();
  }
  return read_to_end(table, file, market);
}

}  // namespace gpusel::catalog::import
