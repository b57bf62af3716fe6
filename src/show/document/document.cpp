#include "show/document/document.hpp"

#include <algorithm>
#include <numeric>

#include "base/words/message.hpp"

namespace gpusel::show {

Cell figure_cell(std::string shown, const catalog::Number& value) {
  // The shortest text that reads as the same double.
  return {std::move(shown), value ? format("{}", *value) : std::string()};
}

std::vector<std::size_t> page_order(const Table& table) {
  std::vector<std::size_t> order(table.columns.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return table.columns[i].place; });
  return order;
}

bool SideRow::all_equal() const {
  return std::ranges::all_of(cells, [&](const SideCell& cell) { return cell.text == cells.front().text; });
}

Table SideBySide::table() const {
  std::vector<Column> columns{left("")};
  for (const std::string& name : names) columns.push_back(right(name));
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

Table Facts::table() const {
  Table table({left(say("fact")), left(say("value"), 0, 20), left(say("source"))});
  for (const Fact& fact : facts) table.add({fact.label, fact.value, fact.aside});
  return table;
}

Table Derivation::table() const {
  if (!tree) {
    Table table({left(say("figure")), left(say("value")), left(say("formula"), 0, 20), left(say("with numbers"), 0, 20),
                 left(say("source"), 0, 20)});
    table.columns[3].below = 2;
    for (const Step& step : steps) table.add({step.quantity, step.value, step.formula, step.substituted, step.source});
    return table;
  }
  Table table({left(say("quantity"), 0, 0, "quantity"), right(say("level"), 0, 0, "level"),
               left(say("result"), 0, 0, "value"), right(say("number"), 0, 0, "number"),
               left(say("unit"), 0, 0, "unit"), left(say("formula"), 0, 0, "formula"),
               left(say("substituted"), 0, 0, "substituted"), left(say("source"), 0, 0, "source")});
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

}  // namespace gpusel::show
