// A table as data: what its columns need, and its cells for people and for programs.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catalog/records/field.hpp"
#include "show/document/chart.hpp"
#include "show/document/text.hpp"

namespace gpusel::show {

enum class Align { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
  int keep = 1;           // where there is no room, higher numbers are dropped first; 0: never
  std::size_t least = 0;  // may be shortened down to this; 0: not before all that may be dropped has been
  std::string key = {};   // what programs call it, where that is not the title
  int place = 0;          // on a page, where a narrow window shows the first ones
  std::string link = {};  // the part of the page that its cells lead to
  /// A column below whose cells its own stand as second lines, where a page has rows of several lines.
  std::optional<std::size_t> below = {};
};

inline Column left(std::string title, int keep = 0, std::size_t least = 0, std::string key = {}) {
  return {std::move(title), Align::left, keep, least, std::move(key)};
}
inline Column right(std::string title, int keep = 0, std::size_t least = 0, std::string key = {}) {
  return {std::move(title), Align::right, keep, least, std::move(key)};
}

/// A text for people and, where programs want it otherwise, the value behind it.
struct Cell {
  Cell(std::string shown) : text(std::move(shown)) {}
  Cell(const char* shown) : text(shown) {}
  Cell(std::string shown, std::string behind) : text(std::move(shown)), raw(std::move(behind)) {}

  std::string text;
  std::optional<std::string> raw;  // in CSV, and for sorting: a number in full, nothing for the unknown
  std::string tip = {};            // for whoever points at it, on a page
};

/// A figure: `shown` to people, in full or empty to programs.
Cell figure_cell(std::string shown, const catalog::Number& value);

struct Row {
  Row(std::vector<Cell> all) : cells(std::move(all)) {}

  std::vector<Cell> cells;                                      // one per column
  Meaning meaning = Meaning::plain;                             // of the whole: the best, a warning
  std::vector<std::pair<std::string, std::string>> facts = {};  // names and values that filters and scripts ask for
};

/// What a page's script does with a table.
struct Sorting {
  std::string label;                                         // of the whole, for whoever cannot see it
  std::vector<std::pair<std::string, std::string>> filters;  // names of rows' facts, and what people call them
};

struct Table {
  Table(std::vector<Column> all) : columns(std::move(all)) {}
  Row& add(std::vector<Cell> cells) { return rows.emplace_back(std::move(cells)); }
  bool empty() const { return rows.empty(); }

  std::vector<Column> columns;
  std::vector<Row> rows;
  std::vector<Table> narrower = {};     // what takes its place on a terminal that is too narrow for it
  std::optional<Bars> bars = {};        // of its rows: in the column without a title, or a picture on a page
  std::optional<Sorting> sorting = {};  // by a page's reader
  /// A column, and the one below which it stands on a phone, which has no room for it.
  std::optional<std::pair<std::size_t, std::size_t>> folded = {};
};

/// Of its columns on a page.
std::vector<std::size_t> page_order(const Table& table);

}  // namespace gpusel::show
