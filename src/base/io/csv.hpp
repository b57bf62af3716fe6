// Comma-separated values (RFC 4180) as a document: each row a map from column to text, every cell
// with its line and column, so that what is wrong with it can be said as for YAML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/io/document.hpp"

namespace gpusel {

struct Csv {
  std::string name;          // what messages call it
  std::vector<Node> header;  // the columns' names
  std::vector<Node> rows;    // maps; empty cells are left out
};

/// The first line names the columns; a line that begins with '#' is a remark. Errors: a quote that is
/// not closed, a column named twice or not at all, a row of more cells than there are columns.
Result<Csv> parse_csv(std::string_view text, std::string name);

/// Rows further down in the file that `head` begins, the first on line `line`: for files that are read piece by piece.
Result<std::vector<Node>> parse_csv_rows(std::string_view text, const Csv& head, std::uint32_t line);

}  // namespace gpusel
