#include "show/json/records.hpp"

#include <algorithm>

namespace gpusel::show {

namespace {

Cell cell_of(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string list;
  for (const Json& item : value) list += (list.empty() ? "" : "; ") + cell_of(item).text;
  return list;
}

bool is_flat(const Json& value) {
  return !value.is_object() && (!value.is_array() || std::none_of(value.begin(), value.end(),
                                                                  [](const Json& i) { return i.is_structured(); }));
}

}  // namespace

Table records_table(const Json& records, std::span<const RecordColumn> columns) {
  std::vector<Column> titles;
  for (const RecordColumn& column : columns) titles.push_back({std::string(column.key)});
  Table table(std::move(titles));
  for (const Json& record : records) {
    std::vector<Cell> cells;
    for (const RecordColumn& column : columns) {
      const Json::json_pointer at{std::string(column.pointer)};
      cells.push_back(record.contains(at) ? cell_of(record[at]) : Cell(""));
    }
    table.add(std::move(cells));
  }
  return table;
}

Table records_table(const Json& records) {
  std::vector<std::string> keys;
  for (const Json& record : records)
    for (const auto& [key, value] : record.items())
      if (is_flat(value) && std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  std::vector<std::string> pointers;
  pointers.reserve(keys.size());
  for (const std::string& key : keys) pointers.push_back("/" + key);
  std::vector<RecordColumn> columns;
  for (std::size_t i = 0; i < keys.size(); ++i) columns.push_back({keys[i], pointers[i]});
  return records_table(records, columns);
}

}  // namespace gpusel::show
