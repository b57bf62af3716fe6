// Reading a filter against the columns there are.
#include <re2/re2.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "base/text/text.hpp"
#include "base/values/date.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "rules/filter/filter_node.hpp"
#include "rules/filter/filter_words.hpp"

namespace gpusel::rules {

namespace {

using FilterNode = Filter::Node;
using Op = FilterOp;
using Literal = FilterLiteral;

/// Of what "1/8" may be.
constexpr Range kAnyShare{.low = 0, .high = 1e9};

std::optional<bool> truth_value(std::string_view text) {
  const std::string word = lower(text);
  if (word == "true" || word == "yes" || word == "1") return true;
  if (word == "false" || word == "no" || word == "0") return false;
  return std::nullopt;
}

/// or := and (|| and)*; and := not (&& not)*; not := ! not | ( or ) | known(column) | comparison.
class Parser {
 public:
  Parser(std::vector<FilterWord> words, std::span<const ColumnInfo> columns, std::span<const ColumnAlias> aliases,
         const Names* names)
      : words_(std::move(words)), columns_(columns), aliases_(aliases), names_(names) {}

  Result<FilterNode> whole() {
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
    return fail(here(), say("{} was expected, found '{}'", wanted, shorten(printable(here().text), 40)),
                say("write it like 'vram>=48 && price<3'"));
  }

  /// Parts joined by || (`any`) or by &&.
  Result<FilterNode> either(bool any, int depth) {
    FilterNode joint;
    joint.kind = any ? FilterNode::Kind::any : FilterNode::Kind::all;
    do {
      auto part = any ? either(false, depth) : negatable(depth);
      if (!part) return part;
      joint.parts.push_back(std::move(*part));
    } while (any ? take("||") || take_word("or") : take("&&") || take_word("and"));
    if (joint.parts.size() > 1) return joint;
    FilterNode only = std::move(joint.parts.front());
    return only;
  }

  Result<FilterNode> negatable(int depth) {
    constexpr int kDeepest = 64;
    if (depth > kDeepest) return fail(here(), say("nested more than {} deep", kDeepest));
    if (take("!") || take_word("not")) {
      auto inner = negatable(depth + 1);
      return inner ? Result<FilterNode>(negation(std::move(*inner))) : inner;
    }
    if (take("(")) {
      auto inner = either(true, depth + 1);
      if (inner && !take(")")) return unexpected_word(say("')'"));
      return inner;
    }
    return comparison();
  }

  static FilterNode negation(FilterNode inner) {
    FilterNode node;
    node.kind = FilterNode::Kind::negation;
    node.parts.push_back(std::move(inner));
    return node;
  }

  Result<FilterNode> comparison() {
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
    auto node = column();
    if (!node) return node;
    if (take_word("in")) return among(std::move(*node), false);
    if (here().says("not") && words_[at_ + 1].says("in")) {
      at_ += 2;
      return among(std::move(*node), true);
    }
    if (here().kind == FilterWord::Kind::sign && !here().is(")") && !here().is("&&") && !here().is("||"))
      return compared(std::move(*node));
    if (node->type == ColumnType::number) {  // "fp8": some of it
      node->op = Op::above;
      node->literals.push_back({});
    } else {
      node->op = node->type == ColumnType::boolean ? Op::holds : Op::known;
    }
    return node;
  }

  Result<FilterNode> column() {
    const FilterWord& word = here();
    if (word.kind != FilterWord::Kind::word) return unexpected_word(say("a column"));
    const auto found = find_column(word.text, columns_, aliases_);
    if (!found) return fail(word, found.error().message, found.error().hint);
    ++at_;
    FilterNode node;
    node.kind = FilterNode::Kind::comparison;
    node.column = *found;
    node.type = columns_[*found].type;
    return node;
  }

  Result<FilterNode> compared(FilterNode node) {
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

  Result<FilterNode> among(FilterNode node, bool negated) {
    node.op = Op::in;
    if (!take("(")) return unexpected_word(say("'('"));
    do {
      if (Status read = literal(node); !read) return std::unexpected(read.error());
    } while (take(","));
    if (!take(")")) return unexpected_word(say("')' or ','"));
    return negated ? negation(std::move(node)) : std::move(node);
  }

  /// "64 GiB" is two words and one amount; "3 4" is not.
  std::string amount(std::string_view unit) {
    std::string text = here().text;
    const FilterWord& next = words_[at_ + 1];
    ++at_;
    const bool has_digits = next.text.find_first_of("0123456789") != std::string::npos;
    if (next.kind != FilterWord::Kind::word || has_digits || !plain_number(text) ||
        !parse_measure(text + next.text, unit))
      return text;
    ++at_;
    return text + next.text;
  }

  Status literal(FilterNode& node) {
    const FilterWord word = here();
    if (word.kind != FilterWord::Kind::word && word.kind != FilterWord::Kind::quoted)
      return unexpected_word(say("a value"));
    const bool by_name = node.op == Op::is || node.op == Op::is_not || node.op == Op::in;
    if (node.type == ColumnType::text && by_name && names_ != nullptr) return names_meant(word, node);
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
    } else if (Status read = range(word, amount(columns_[node.column].unit), node, out); !read) {
      return read;
    }
    node.literals.push_back(std::move(out));
    return {};
  }

  Status names_meant(const FilterWord& word, FilterNode& node) {
    const auto texts = names_->meant(node.column, word.text);
    if (!texts) return fail(word, texts.error().message, texts.error().hint);
    for (const std::string& text : *texts) node.literals.push_back({.text = text});
    ++at_;
    return {};
  }

  Status range(const FilterWord& word, const std::string& text, const FilterNode& node, Literal& out) const {
    const ColumnInfo& column = columns_[node.column];
    const bool may_be_range = node.op == Op::is || node.op == Op::is_not || node.op == Op::in;
    const BoundTexts ends = may_be_range ? split_bounds(text) : BoundTexts{text, text};
    out.low = -std::numeric_limits<double>::infinity();
    out.high = std::numeric_limits<double>::infinity();
    if (ends.low.empty() && ends.high.empty()) return fail(word, say("an empty range says nothing"));
    for (const auto& [end, place] : {std::pair(ends.low, &out.low), std::pair(ends.high, &out.high)}) {
      if (end.empty()) continue;
      const auto share = column.unit.empty() && end.find('/') != std::string_view::npos;
      const auto value = share ? parse_fraction(end, kAnyShare) : parse_measure(end, column.unit);
      if (!value) return fail(word, say("{}: {}", column.name, value.error().message), value.error().hint);
      *place = *value;
    }
    return {};
  }

  Status pattern(FilterNode& node) {
    const FilterWord word = here();
    const std::string_view name = columns_[node.column].name;
    if (!is_text(node.type)) return fail(word, say("'{}' is not text, so it matches nothing", name));
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
  const Names* names_;
  std::size_t at_ = 0;
};

}  // namespace

Result<Filter> Filter::read(std::string_view text, std::span<const ColumnInfo> columns,
                            std::span<const ColumnAlias> aliases, const Names* names) {
  constexpr std::size_t kLongest = 16384;
  if (text.size() > kLongest) return usage_error(say("a filter of more than {} characters", kLongest));
  auto words = filter_words(text);
  if (!words) return std::unexpected(words.error());
  auto root = Parser(std::move(*words), columns, aliases, names).whole();
  if (!root) return std::unexpected(root.error());
  Filter filter;
  filter.root_ = std::make_shared<const FilterNode>(std::move(*root));
  return filter;
}

}  // namespace gpusel::rules
