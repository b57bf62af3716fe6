#include "show/json/picked.hpp"

#include <algorithm>

#include "answer/lists/columns.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"

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

namespace {

/// What people mean by an instance: whose, and how many.
std::string whole_name(const Table& table, const Row& row) {
  std::string name;
  for (const std::string_view key : {"nodes", "provider", "sku"}) {
    const auto at = std::ranges::find(table.columns, key, &Column::title);
    if (at == table.columns.end()) continue;
    const std::string& text = row.cells[static_cast<std::size_t>(at - table.columns.begin())].text;
    if (key == "nodes")
      name += text == "1" || text.empty() ? std::string() : text + " × ";
    else
      name += printable(text) + (key == "provider" ? " " : "");
  }
  return name;
}

/// In which all of a table's money is.
std::string currency_of(const Table& table) {
  const auto at = std::ranges::find(table.columns, "currency", &Column::title);
  if (at == table.columns.end() || table.rows.empty()) return {};
  const auto column = static_cast<std::size_t>(at - table.columns.begin());
  for (const Row& row : table.rows)
    if (row.cells[column].text != table.rows.front().cells[column].text) return {};
  return printable(table.rows.front().cells[column].text);
}

}  // namespace

Result<Table> picked_columns(const Table& table, std::span<const std::string> names, bool for_people) {
  std::vector<rules::ColumnInfo> known;
  for (const Column& column : table.columns) known.push_back({column.title});
  std::vector<std::size_t> picked;
  std::vector<Column> columns;
  const std::string currency = for_people ? currency_of(table) : std::string();
  std::vector<bool> whole;  // columns of instances as people call them
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
    whole.push_back(for_people && fold_name(name) == "instance" && table.columns[*found].title == "sku");
    std::string title = whole.back() ? name : table.columns[*found].title;
    if (is_money(table.columns[*found].title) && !currency.empty()) title += format(" ({})", currency);
    columns.push_back(!for_people ? table.columns[*found] : numbers ? right(title) : left(title));
  }
  Table out(std::move(columns));
  for (const Row& row : table.rows) {
    std::vector<Cell> cells;
    for (std::size_t i = 0; i < picked.size(); ++i) {
      const std::size_t column = picked[i];
      cells.push_back(whole[i]     ? Cell(whole_name(table, row))
                      : for_people ? rounded(row.cells[column], is_money(table.columns[column].title))
                                   : row.cells[column]);
    }
    out.add(std::move(cells)).meaning = row.meaning;
  }
  return out;
}

}  // namespace gpusel::show
