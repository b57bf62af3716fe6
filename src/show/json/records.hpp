// A list of JSON records as a table for programs: numbers in full, empty cells for the unknown.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "show/document/table.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

/// A column and where in each record its value is.
struct RecordColumn {
  std::string_view key;
  std::string_view pointer;  // RFC 6901, as in "/cost/hourly"
};

Table records_table(const Json& records, std::span<const RecordColumn> columns);
/// A column for every key of the records whose value is no map and no list of maps.
Table records_table(const Json& records);

}  // namespace gpusel::show
