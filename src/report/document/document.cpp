#include "report/document/document.hpp"

#include <algorithm>
#include <numeric>

#include "gpusel/base/message.hpp"
#include "gpusel/base/text.hpp"

namespace gpusel::report {

Cell figure_cell(std::string shown, const catalog::Number& value) {
  // The shortest text that reads as the same double.
  return {std::move(shown), value ? format("{}", *value) : std::string()};
}

Table for_page(Table table) {
  std::vector<std::size_t> order(table.columns.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return table.columns[i].place; });
  if (std::ranges::is_sorted(order)) return table;
  const auto arranged = [&](auto& all) {
    auto out = all;
    for (std::size_t i = 0; i < order.size(); ++i) out[i] = std::move(all[order[i]]);
    all = std::move(out);
  };
  arranged(table.columns);
  for (Row& row : table.rows) arranged(row.cells);
  return table;
}

bool SideRow::all_equal() const {
  return std::ranges::all_of(cells, [&](const SideCell& cell) { return cell.text == cells.front().text; });
}

Table SideBySide::table() const {
  std::vector<Column> columns{{"", Align::left, 0}};
  for (const std::string& name : names) columns.push_back({name, Align::right, 0});
  Table table(std::move(columns));
  for (const SideRow& row : rows) {
    if (row.cells.empty()) continue;
    std::vector<Cell> cells{row.title};
    for (const SideCell& cell : row.cells)
      cells.emplace_back(cell.text + (cell.best ? "*" : "") + (cell.ratio.empty() ? "" : " (" + cell.ratio + ")"));
    table.add(std::move(cells));
  }
  return table;
}

Table Derivation::table() const {
  if (!tree) {
    Table table({{say("figure")}, {say("value")}, {say("formula")}, {say("with numbers")}, {say("source")}});
    for (const Step& step : steps) table.add({step.quantity, step.value, step.formula, step.substituted, step.source});
    return table;
  }
  Table table({{say("quantity"), Align::left, 0, 0, "quantity"},
               {say("level"), Align::right, 0, 0, "level"},
               {say("result"), Align::left, 0, 0, "value"},
               {say("number"), Align::right, 0, 0, "number"},
               {say("unit"), Align::left, 0, 0, "unit"},
               {say("formula"), Align::left, 0, 0, "formula"},
               {say("substituted"), Align::left, 0, 0, "substituted"},
               {say("source"), Align::left, 0, 0, "source"}});
  for (const Step& step : steps)
    table.add({step.quantity, format("{}", step.depth), step.value, step.number, step.unit, step.formula,
               step.substituted, step.source});
  return table;
}

Document& Document::section(std::string title, const std::vector<std::string>& lines, int level) {
  if (lines.empty()) return *this;
  heading(std::move(title), level);
  for (const std::string& one : lines) line("  " + one, 4);
  return *this;
}

Document& Document::derivation(Derivation derivation) {
  if (derivation.steps.empty()) return *this;
  return page_heading(say("where each figure comes from")).add(std::move(derivation));
}

}  // namespace gpusel::report
