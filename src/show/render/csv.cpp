#include "show/render/csv.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "base/values/number.hpp"

namespace gpusel::show {

namespace {

/// "-5.0 points", "+3 %": a figure with its unit calls nothing, whatever a spreadsheet takes it for.
bool is_figure(std::string_view text) {
  constexpr std::string_view kOfNumber = "+-0123456789.,";
  constexpr std::string_view kOfUnit = " %/.";
  const std::size_t unit = std::min(text.find_first_not_of(kOfNumber, 1), text.size());
  std::string number(text.substr(text.front() == '+' ? 1 : 0, unit - (text.front() == '+' ? 1 : 0)));
  std::erase(number, ',');
  return plain_number(number) && std::ranges::all_of(text.substr(unit), [&](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || kOfUnit.find(c) != std::string_view::npos;
         });
}

/// What makes a spreadsheet take a cell for a formula; in East Asia also the wide forms.
constexpr std::string_view kFormulas[] = {"=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠"};

/// A cell that starts like a formula must not run as one in a spreadsheet.
std::string csv_cell(const std::string& cell) {
  std::string text = printable(cell);
  if (text.size() > 1 && std::ranges::any_of(kFormulas, [&](auto begin) { return cell.starts_with(begin); }) &&
      !is_figure(text))
    text.insert(0, "'");
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string csv_text(const Table& table) {
  std::string out;
  if (table.columns.empty()) return out;
  const auto line = [&](const auto& cells, auto text_of) {
    bool first = true;
    for (const auto& cell : cells) {
      out += (first ? "" : ",") + csv_cell(text_of(cell));
      first = false;
    }
    out += "\n";
  };
  line(table.columns, [](const Column& column) { return column.key.empty() ? column.title : column.key; });
  for (const Row& row : table.rows) line(row.cells, [](const Cell& cell) { return cell.raw.value_or(cell.text); });
  return out;
}

std::string csv_text(const Document& document) {
  for (const Block& block : document.blocks())
    if (const auto* table = std::get_if<Table>(&block.content)) return csv_text(*table);
  return {};
}

}  // namespace gpusel::show
