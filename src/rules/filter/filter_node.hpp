// A filter as it is kept: a tree of comparisons.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rules/filter/filter.hpp"

namespace re2 {
class RE2;
}

namespace gpusel::rules {

enum class FilterOp : std::uint8_t { is, is_not, below, at_most, above, at_least, matches, in, known, holds };

/// What a column is compared with. "4+" and "8..64" are ranges, and so is a month; one figure is both ends.
struct FilterLiteral {
  double low = 0;
  double high = 0;
  std::string text;
};

struct Filter::Node {
  enum class Kind : std::uint8_t { all, any, negation, comparison } kind = Kind::all;
  std::vector<Node> parts;

  std::size_t column = 0;
  ColumnType type = ColumnType::text;
  FilterOp op = FilterOp::is;
  std::vector<FilterLiteral> literals;
  std::shared_ptr<const re2::RE2> pattern;
};

inline bool is_text(ColumnType type) { return type == ColumnType::text || type == ColumnType::version; }

}  // namespace gpusel::rules
