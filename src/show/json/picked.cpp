#include "show/json/picked.hpp"

#include <algorithm>

#include "answer/lists/columns.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"

namespace gpusel::show {

namespace {

constexpr std::string_view kMoney[] = {"hourly", "total", "price", "price_per_hour", "price_per_gpu_hour"};

/// A figure as tables show it, a text without what a terminal would obey, "?" for the unknown.
Cell rounded(const Cell& cell, bool money) {
  const auto number = plain_number(cell.text);
  if (number) return {money ? human_price(*number) : human_number(*number), cell.text};
  return {cell.text.empty() ? "?" : printable(cell.text), cell.text};
}

bool is_money(std::string_view key) { return std::ranges::find(kMoney, key) != std::end(kMoney); }

}  // namespace

Result<Table> picked_columns(const Table& table, std::span<const std::string> names, bool for_people) {
  std::vector<rules::ColumnInfo> known;
  for (const Column& column : table.columns) known.push_back({column.title});
  std::vector<std::size_t> picked;
  std::vector<Column> columns;
  for (const std::string& name : names) {
    const auto found = rules::find_column(name, known, answer::column_aliases());
    if (!found) {
      Error error = found.error();
      error.where = "--columns";
      return std::unexpected(std::move(error));
    }
    const bool numbers = std::ranges::any_of(
        table.rows, [&](const Row& row) { return plain_number(row.cells[*found].text).has_value(); });
    picked.push_back(*found);
    columns.push_back(for_people && numbers ? right(table.columns[*found].title) : table.columns[*found]);
  }
  Table out(std::move(columns));
  for (const Row& row : table.rows) {
    std::vector<Cell> cells;
    for (const std::size_t column : picked)
      cells.push_back(for_people ? rounded(row.cells[column], is_money(table.columns[column].title))
                                 : row.cells[column]);
    out.add(std::move(cells)).meaning = row.meaning;
  }
  return out;
}

}  // namespace gpusel::show
