// Judging rows by a filter.
#include "rules/filter/filter.hpp"

#include <re2/re2.h>

#include <algorithm>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "rules/filter/filter_node.hpp"
#include "rules/truth.hpp"

namespace gpusel::rules {

namespace {

using FilterNode = Filter::Node;
using Op = FilterOp;
using Literal = FilterLiteral;

/// As fold_name() would make them, without making them.
bool same_name(std::string_view a, std::string_view b) {
  const auto folded = [](char c) {
    if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
    return c == '_' || c == ' ' || c == '/' || c == ':' ? '-' : c;
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return folded(x) == folded(y); });
}

/// Whether any text of a list, or the one there is, holds.
template <class Holds>
Truth any_text(std::string_view list, Holds holds) {
  while (true) {
    const auto end = list.find('\n');
    if (holds(list.substr(0, end))) return Truth::yes;
    if (end == std::string_view::npos) return Truth::no;
    list.remove_prefix(end + 1);
  }
}

Truth compare_numbers(const FilterNode& node, double value) {
  const Literal& right = node.literals.front();
  if (node.op == Op::in || node.op == Op::is || node.op == Op::is_not) {
    const bool found = std::any_of(node.literals.begin(), node.literals.end(),
                                   [&](const Literal& one) { return value >= one.low && value <= one.high; });
    return truth(found == (node.op != Op::is_not));
  }
  return ordered(node.op, value, node.op == Op::at_most || node.op == Op::above ? right.high : right.low);
}

Truth compare_texts(const FilterNode& node, std::string_view value) {
  switch (node.op) {
    case Op::matches:
      return any_text(value, [&](std::string_view one) {
        return re2::RE2::PartialMatch(re2::StringPiece(one.data(), one.size()), *node.pattern);
      });
    case Op::is:
    case Op::in:
    case Op::is_not: {
      const Truth found = any_text(value, [&](std::string_view one) {
        return std::any_of(node.literals.begin(), node.literals.end(),
                           [&](const Literal& literal) { return same_name(one, literal.text); });
      });
      return node.op == Op::is_not ? negated(found) : found;
    }
    default: break;
  }
  const auto own = plain_number(value);
  return own ? ordered(node.op, *own, node.literals.front().low) : Truth::unknown;
}

Truth evaluate(const FilterNode& node, const Row& row) {
  switch (node.kind) {
    case FilterNode::Kind::negation: return negated(evaluate(node.parts.front(), row));
    case FilterNode::Kind::all:
    case FilterNode::Kind::any:
      return joined(node.kind == FilterNode::Kind::all, node.parts,
                    [&](const FilterNode& part) { return evaluate(part, row); });
    case FilterNode::Kind::comparison: break;
  }
  const Value value = row.value(node.column);
  if (node.op == Op::known) return truth(value.known);
  if (!value.known) return Truth::unknown;
  if (node.op == Op::holds) return truth(value.number != 0);
  return is_text(node.type) ? compare_texts(node, value.text) : compare_numbers(node, value.number);
}

bool speaks_of(const FilterNode& node, std::size_t column) {
  if (node.kind == FilterNode::Kind::comparison) return node.column == column;
  return std::any_of(node.parts.begin(), node.parts.end(),
                     [&](const FilterNode& part) { return speaks_of(part, column); });
}

}  // namespace

Result<std::size_t> find_column(std::string_view name, std::span<const ColumnInfo> columns,
                                std::span<const ColumnAlias> aliases) {
  std::string folded = lower(name);
  std::replace(folded.begin(), folded.end(), '-', '_');
  const auto named = [&](std::string_view wanted) {
    return std::find_if(columns.begin(), columns.end(),
                        [&](const ColumnInfo& column) { return column.name == wanted; });
  };
  if (const auto found = named(folded); found != columns.end())
    return static_cast<std::size_t>(found - columns.begin());
  std::vector<std::string_view> known;
  for (const ColumnInfo& column : columns) known.push_back(column.name);
  for (const ColumnAlias& alias : aliases)
    for (const std::string_view target : split(alias.columns, ' ')) {
      const auto found = named(target);
      if (found == columns.end()) continue;
      if (alias.name == folded) return static_cast<std::size_t>(found - columns.begin());
      known.push_back(alias.name);
      break;
    }
  const Hint near = did_you_mean(folded, known);
  return usage_error(say("there is no column '{}'", shorten(printable(name), 40)), {},
                     near.or_else(say("columns are the keys of the JSON item")));
}

bool Filter::passes(const Row& row) const { return evaluate(*root_, row) == Truth::yes; }

bool Filter::uses(std::size_t column) const { return speaks_of(*root_, column); }

}  // namespace gpusel::rules
