// Items in columns, figures in rows, each figure with its ratio to the first column's. Columns that do
// not fit come in a further part, beside the first column again.
#pragma once

#include <string>
#include <vector>

#include "report/table.hpp"

namespace gpusel::report {

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

class SideBySide {
 public:
  explicit SideBySide(std::vector<std::string> names) : names_(std::move(names)) {}
  void add(SideRow row) { rows_.push_back(std::move(row)); }

  std::string text(const Terminal& terminal) const;
  const std::vector<std::string>& names() const { return names_; }
  /// The same as one table, for Markdown.
  Table table() const;

 private:
  /// Widths: of titles, of each column, and within it of numbers with their marks and of ratios.
  struct Layout;
  Layout natural() const;
  Layout layout(std::size_t room) const;
  std::vector<std::vector<std::size_t>> parts(const Layout& layout, std::size_t room, std::size_t others) const;
  std::string part(const std::vector<std::size_t>& columns, const Layout& layout, const Terminal& terminal) const;
  std::string head(const std::vector<std::size_t>& columns, const Layout& layout, const Terminal& terminal) const;

  std::vector<std::string> names_;
  std::vector<SideRow> rows_;
};

}  // namespace gpusel::report
