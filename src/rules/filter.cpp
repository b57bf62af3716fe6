#include "gpusel/rules/filter.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <optional>

#include "gpusel/base/date.hpp"
#include "gpusel/base/measure.hpp"
#include "gpusel/base/message.hpp"
#include "gpusel/base/number.hpp"
#include "gpusel/base/text.hpp"
#include "rules/filter_words.hpp"
#include "rules/truth.hpp"

namespace gpusel::rules {

namespace {

enum class Op : std::uint8_t { is, is_not, below, at_most, above, at_least, matches, in, known, holds };

/// What a column is compared with. "4+" and "8..64" are ranges, and so is a month; one figure is both ends.
struct Literal {
  double low = 0;
  double high = 0;
  std::string text;
};

}  // namespace

struct Filter::Node {
  enum class Kind : std::uint8_t { all, any, negation, comparison } kind = Kind::all;
  std::vector<Node> parts;

  std::size_t column = 0;
  ColumnType type = ColumnType::text;
  Op op = Op::is;
  std::vector<Literal> literals;
  std::shared_ptr<const re2::RE2> pattern;
};

namespace {

using Node = Filter::Node;

bool is_text(ColumnType type) { return type == ColumnType::text || type == ColumnType::version; }

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

Truth compare_numbers(const Node& node, double value) {
  const Literal& right = node.literals.front();
  if (node.op == Op::in || node.op == Op::is || node.op == Op::is_not) {
    const bool found = std::any_of(node.literals.begin(), node.literals.end(),
                                   [&](const Literal& one) { return value >= one.low && value <= one.high; });
    return truth(found == (node.op != Op::is_not));
  }
  return ordered(node.op, value, node.op == Op::at_most || node.op == Op::above ? right.high : right.low);
}

Truth compare_texts(const Node& node, std::string_view value) {
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

Truth evaluate(const Node& node, const Row& row) {
  switch (node.kind) {
    case Node::Kind::negation: return negated(evaluate(node.parts.front(), row));
    case Node::Kind::all:
    case Node::Kind::any:
      return joined(node.kind == Node::Kind::all, node.parts, [&](const Node& part) { return evaluate(part, row); });
    case Node::Kind::comparison: break;
  }
  const Value value = row.value(node.column);
  if (node.op == Op::known) return truth(value.known);
  if (!value.known) return Truth::unknown;
  if (node.op == Op::holds) return truth(value.number != 0);
  return is_text(node.type) ? compare_texts(node, value.text) : compare_numbers(node, value.number);
}

bool speaks_of(const Node& node, std::size_t column) {
  if (node.kind == Node::Kind::comparison) return node.column == column;
  return std::any_of(node.parts.begin(), node.parts.end(), [&](const Node& part) { return speaks_of(part, column); });
}

std::optional<bool> truth_value(std::string_view text) {
  const std::string word = lower(text);
  if (word == "true" || word == "yes" || word == "1") return true;
  if (word == "false" || word == "no" || word == "0") return false;
  return std::nullopt;
}

/// or := and (|| and)*; and := not (&& not)*; not := ! not | ( or ) | known(column) | comparison.
class Parser {
 public:
  Parser(std::vector<FilterWord> words, std::span<const ColumnInfo> columns, std::span<const ColumnAlias> aliases)
      : words_(std::move(words)), columns_(columns), aliases_(aliases) {}

  Result<Node> whole() {
    auto node = either(true, 0);
    if (node && here().kind != FilterWord::Kind::end) return unexpected_word(say("'&&' or '||'"));
    return node;
  }

 private:
  const FilterWord& here() const { return words_[at_]; }
  bool take(std::string_view sign) {
    if (!here().is(sign)) return false;
    ++at_;
    return true;
  }
  bool take_word(std::string_view word) {
    if (!here().says(word)) return false;
    ++at_;
    return true;
  }
  std::unexpected<Error> fail(const FilterWord& at, const std::string& message, std::string hint = {}) const {
    return usage_error(say("character {}: {}", at.at, message), {}, std::move(hint));
  }
  std::unexpected<Error> unexpected_word(const std::string& wanted) const {
    return fail(here(), say("{} was expected, found '{}'", wanted, shorten(printable(here().text), 40)));
  }

  /// Parts joined by || (`any`) or by &&.
  Result<Node> either(bool any, int depth) {
    Node joint;
    joint.kind = any ? Node::Kind::any : Node::Kind::all;
    do {
      auto part = any ? either(false, depth) : negatable(depth);
      if (!part) return part;
      joint.parts.push_back(std::move(*part));
    } while (any ? take("||") || take_word("or") : take("&&") || take_word("and"));
    if (joint.parts.size() > 1) return joint;
    Node only = std::move(joint.parts.front());
    return only;
  }

  Result<Node> negatable(int depth) {
    constexpr int kDeepest = 64;
    if (depth > kDeepest) return fail(here(), say("nested more than {} deep", kDeepest));
    if (take("!") || take_word("not")) {
      auto inner = negatable(depth + 1);
      return inner ? Result<Node>(negation(std::move(*inner))) : inner;
    }
    if (take("(")) {
      auto inner = either(true, depth + 1);
      if (inner && !take(")")) return unexpected_word(say("')'"));
      return inner;
    }
    return comparison();
  }

  static Node negation(Node inner) {
    Node node;
    node.kind = Node::Kind::negation;
    node.parts.push_back(std::move(inner));
    return node;
  }

  Result<Node> comparison() {
    if (here().kind != FilterWord::Kind::word) return unexpected_word(say("a column"));
    const bool asks_known = here().says("known");
    if ((asks_known || here().says("unknown")) && words_[at_ + 1].is("(")) {
      at_ += 2;
      auto node = column();
      if (!node) return node;
      node->op = Op::known;
      if (!take(")")) return unexpected_word(say("')'"));
      return asks_known ? std::move(*node) : negation(std::move(*node));
    }
    const FilterWord name = here();
    auto node = column();
    if (!node) return node;
    if (take_word("in")) return among(std::move(*node), false);
    if (here().says("not") && words_[at_ + 1].says("in")) {
      at_ += 2;
      return among(std::move(*node), true);
    }
    if (here().kind == FilterWord::Kind::sign && !here().is(")") && !here().is("&&") && !here().is("||"))
      return compared(std::move(*node));
    if (node->type != ColumnType::boolean)
      return fail(name, say("'{}' is compared with nothing", name.text),
                  say("write {}>=1, {}=NAME or known({})", name.text, name.text, name.text));
    node->op = Op::holds;
    return node;
  }

  Result<Node> column() {
    const FilterWord& word = here();
    if (word.kind != FilterWord::Kind::word) return unexpected_word(say("a column"));
    const auto found = find_column(word.text, columns_, aliases_);
    if (!found) return fail(word, found.error().message, found.error().hint);
    ++at_;
    Node node;
    node.kind = Node::Kind::comparison;
    node.column = *found;
    node.type = columns_[*found].type;
    return node;
  }

  Result<Node> compared(Node node) {
    static constexpr std::pair<std::string_view, Op> kOps[] = {
        {"==", Op::is},   {"!=", Op::is_not},   {"<", Op::below},   {"<=", Op::at_most},
        {">", Op::above}, {">=", Op::at_least}, {"~", Op::matches}, {"!~", Op::matches}};
    const FilterWord sign = here();
    const auto* const op =
        std::find_if(std::begin(kOps), std::end(kOps), [&](const auto& one) { return one.first == sign.text; });
    if (op == std::end(kOps)) return unexpected_word(say("a comparison"));
    node.op = op->second;
    ++at_;
    if (here().says("unknown") && (node.op == Op::is || node.op == Op::is_not)) {
      ++at_;
      const bool wants_known = node.op == Op::is_not;
      node.op = Op::known;
      return wants_known ? std::move(node) : negation(std::move(node));
    }
    const std::string_view name = columns_[node.column].name;
    const bool by_size = node.op != Op::is && node.op != Op::is_not && node.op != Op::matches;
    if (by_size && (node.type == ColumnType::text || node.type == ColumnType::boolean))
      return fail(sign,
                  node.type == ColumnType::text ? say("'{}' is text and has no {}", name, sign.text)
                                                : say("'{}' is true or false and has no {}", name, sign.text),
                  say("write {}=VALUE", name));
    if (Status read = node.op == Op::matches ? pattern(node) : literal(node); !read)
      return std::unexpected(read.error());
    return sign.is("!~") ? negation(std::move(node)) : std::move(node);
  }

  Result<Node> among(Node node, bool negated) {
    node.op = Op::in;
    if (!take("(")) return unexpected_word(say("'('"));
    do {
      if (Status read = literal(node); !read) return std::unexpected(read.error());
    } while (take(","));
    if (!take(")")) return unexpected_word(say("')' or ','"));
    return negated ? negation(std::move(node)) : std::move(node);
  }

  /// "64 GiB" is two words and one amount.
  std::string joined_unit() {
    std::string text = here().text;
    const FilterWord& next = words_[at_ + 1];
    const bool amount = here().kind == FilterWord::Kind::word && plain_number(text) &&
                        next.kind == FilterWord::Kind::word && !next.says("and") && !next.says("or");
    if (amount) text += words_[++at_].text;
    ++at_;
    return text;
  }

  Status literal(Node& node) {
    const FilterWord word = here();
    if (word.kind != FilterWord::Kind::word && word.kind != FilterWord::Kind::quoted)
      return unexpected_word(say("a value"));
    Literal out;
    if (is_text(node.type)) {
      out.text = word.text;
      const auto number = plain_number(word.text);
      const bool by_size = node.op != Op::is && node.op != Op::is_not && node.op != Op::in;
      if (by_size && !number) return fail(word, say("'{}' is compared with a number", columns_[node.column].name));
      out.low = number.value_or(0);
      ++at_;
    } else if (node.type == ColumnType::boolean) {
      const auto value = truth_value(word.text);
      if (!value) return fail(word, say("'{}' is true or false", columns_[node.column].name));
      out.low = out.high = *value ? 1 : 0;
      ++at_;
    } else if (node.type == ColumnType::date) {
      const auto date = Date::parse(word.text);
      if (!date)
        return fail(word, say("'{}' is a date", columns_[node.column].name),
                    say("write it like 2026-11-21 or 2026-11"));
      out.low = date->packed();
      out.high = out.low + (date->month() == 0 ? 1299 : date->day() == 0 ? 99 : 0);
      ++at_;
    } else if (Status read = range(word, joined_unit(), node, out); !read) {
      return read;
    }
    node.literals.push_back(std::move(out));
    return {};
  }

  Status range(const FilterWord& word, const std::string& text, const Node& node, Literal& out) const {
    const ColumnInfo& column = columns_[node.column];
    const bool may_be_range = node.op == Op::is || node.op == Op::is_not || node.op == Op::in;
    const BoundTexts ends = may_be_range ? split_bounds(text) : BoundTexts{text, text};
    out.low = -std::numeric_limits<double>::infinity();
    out.high = std::numeric_limits<double>::infinity();
    if (ends.low.empty() && ends.high.empty()) return fail(word, say("an empty range says nothing"));
    for (const auto& [end, place] : {std::pair(ends.low, &out.low), std::pair(ends.high, &out.high)}) {
      if (end.empty()) continue;
      const auto value = parse_measure(end, column.unit);
      if (!value) return fail(word, say("{}: {}", column.name, value.error().message), value.error().hint);
      *place = *value;
    }
    return {};
  }

  Status pattern(Node& node) {
    const FilterWord word = here();
    const std::string_view name = columns_[node.column].name;
    if (!is_text(node.type)) return fail(word, say("'{}' is no text and matches nothing", name));
    if (word.kind != FilterWord::Kind::word && word.kind != FilterWord::Kind::quoted)
      return unexpected_word(say("a pattern"));
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_case_sensitive(false);
    options.set_max_mem(1 << 20);
    auto compiled = std::make_shared<const re2::RE2>(word.text, options);
    if (!compiled->ok())
      return fail(word, say("'{}' is not a regular expression: {}", shorten(printable(word.text), 40),
                            printable(compiled->error())));
    node.pattern = std::move(compiled);
    ++at_;
    return {};
  }

  std::vector<FilterWord> words_;
  std::span<const ColumnInfo> columns_;
  std::span<const ColumnAlias> aliases_;
  std::size_t at_ = 0;
};

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
  const std::string near = did_you_mean(folded, known);
  return usage_error(say("there is no column '{}'", shorten(printable(name), 40)), {},
                     near.empty() ? say("columns are the keys of the JSON item") : near);
}

Result<Filter> Filter::read(std::string_view text, std::span<const ColumnInfo> columns,
                            std::span<const ColumnAlias> aliases) {
  constexpr std::size_t kLongest = 16384;
  if (text.size() > kLongest) return usage_error(say("a filter of more than {} characters", kLongest));
  auto words = filter_words(text);
  if (!words) return std::unexpected(words.error());
  auto root = Parser(std::move(*words), columns, aliases).whole();
  if (!root) return std::unexpected(root.error());
  Filter filter;
  filter.root_ = std::make_shared<const Node>(std::move(*root));
  return filter;
}

bool Filter::passes(const Row& row) const { return evaluate(*root_, row) == Truth::yes; }

bool Filter::uses(std::size_t column) const { return speaks_of(*root_, column); }

}  // namespace gpusel::rules
