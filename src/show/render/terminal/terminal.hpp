// A document as text for a terminal. Renderers never ask the terminal themselves.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "show/document/document.hpp"

namespace gpusel::show {

struct Terminal {
  std::size_t width = 0;  // in columns; 0: no limit
  bool color = false;
};

std::string terminal_text(const Document& document, const Terminal& terminal);

/// Breaks `text` into lines of at most `width` columns, later ones indented; only a word that is longer sticks out.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent);

/// With the signs that show what it means.
std::string styled(std::string_view words, Meaning meaning, const Terminal& terminal);

/// Pieces of a name of at most `width` columns, broken behind a separator where there is one.
std::vector<std::string> name_pieces(std::string_view name, std::size_t width);

/// Columns align and fit the width. Where they do not, the least needed are left out, which is said, and then texts go
/// on in further lines: nothing that is shown is cut.
std::string table_text(const Table& table, const Terminal& terminal);
/// Its bars drawn in their column, as wide as `room` leaves them beside the other cells; 0: no limit.
Table with_bars(Table table, std::size_t room);
/// Columns that do not fit come in a further part, with the first column again; nothing is cut.
std::string side_by_side_text(const SideBySide& table, const Terminal& terminal);
/// `rows` lines high, with axes and a legend; at most `terminal.width` columns, 80 where that is open.
std::string chart_text(const Chart& chart, std::size_t rows, const Terminal& terminal);
/// One bar of `width` columns: '-' from the base to its low end, '+' to its high end, '#' where both lie.
std::string bar_text(const Bars& bars, const Bar& bar, std::size_t width);

}  // namespace gpusel::show
