// A table for a terminal: columns align, fit the width, and what had to be left out is said.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpusel/catalog/field.hpp"
#include "report/terminal.hpp"

namespace gpusel::report {

enum class Align { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
  int keep = 1;           // columns with a higher number are dropped first; 0: never
  std::size_t least = 0;  // may be shortened down to this; 0: not before all that may be dropped has been
  std::string key = {};   // what programs call it, where that is not the title
};

/// A text for people and, where programs want it otherwise, the value behind it.
struct Cell {
  Cell(std::string shown) : text(std::move(shown)) {}
  Cell(const char* shown) : text(shown) {}
  Cell(std::string shown, std::string behind) : text(std::move(shown)), raw(std::move(behind)) {}

  std::string text;
  std::optional<std::string> raw;  // in CSV: a number in full, nothing for the unknown
};

/// A figure: `shown` to people, in full or empty to programs.
Cell figure_cell(std::string shown, const catalog::Number& value);

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// One cell per column.
  void add(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }

  /// Where the width is Markdown's, markdown() between empty lines.
  std::string text(const Terminal& terminal) const;
  std::string csv() const;
  std::string markdown() const;
  std::string html() const;

  /// By name: "csv"; anything else is text.
  std::string as(std::string_view format, const Terminal& terminal) const;

 private:
  std::size_t widest_cell(std::size_t column) const;
  std::vector<std::size_t> widths() const;
  std::vector<std::size_t> least_widths() const;
  std::vector<std::vector<Cell>> title_lines(const std::vector<std::size_t>& width) const;
  /// Shrinks `width` to fit `room`; returns the columns left out.
  std::vector<std::size_t> fit(std::vector<std::size_t>& width, std::size_t room) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

/// Breaks `text` into lines of at most `width` columns, later ones indented; only a word that is longer sticks out.
/// In Markdown a paragraph, or a point of a list where the text is indented.
std::string wrap(std::string_view text, Width width, std::size_t indent);

/// What the answer is about, on a line of its own; in Markdown its first heading.
std::string title(std::string_view text, const Terminal& terminal);
/// A title that only a document needs: on a terminal the command stands above it.
std::string document_title(std::string_view text, const Terminal& terminal);
/// A section's, below an empty line; `level` is Markdown's.
std::string heading(std::string_view text, const Terminal& terminal, std::size_t level = 2);
/// A section's that only a document needs: on a terminal the place says it.
std::string document_heading(std::string_view text, const Terminal& terminal);
/// Lines that are to be copied; control characters are made visible.
std::string verbatim(std::string_view lines, std::size_t indent, const Terminal& terminal);

std::string bold(std::string_view text, const Terminal& terminal);
std::string dim(std::string_view text, const Terminal& terminal);

}  // namespace gpusel::report
