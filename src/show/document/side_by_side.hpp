// Items in columns, figures in rows, each figure with its ratio to the first column's.
#pragma once

#include <string>
#include <vector>

#include "show/document/table.hpp"

namespace gpusel::show {

struct SideCell {
  std::string text;
  std::string ratio;    // empty: none
  bool number = false;  // numbers end below each other, words begin so
  bool best = false;
};

struct SideRow {
  std::string title;  // empty: a line between groups
  std::vector<SideCell> cells;

  bool all_equal() const;
};

struct SideBySide {
  SideBySide(std::vector<std::string> all) : names(std::move(all)) {}
  void add(SideRow row) { rows.push_back(std::move(row)); }
  /// The same as one table, for whoever has room.
  Table table() const;

  std::vector<std::string> names;
  std::vector<SideRow> rows;
  std::vector<Table> as_rows = {};  // what takes its place on a terminal that has no room for all columns
};

}  // namespace gpusel::show
