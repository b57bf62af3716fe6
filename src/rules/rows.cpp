// Rules as rows of the snapshot and back: what the build has checked is only put together here.
#include <algorithm>
#include <string>
#include <tuple>

#include "catalog/catalog.hpp"
#include "rules/pattern.hpp"
#include "rules/rule.hpp"

namespace gpusel::rules {

namespace {

using catalog::ConditionRow;
using catalog::Number;
using catalog::RuleRow;

/// The one of a list whose number that is; nothing if it is none's.
template <class Enum>
std::optional<Enum> nth(const Number& number, std::size_t size) {
  if (!number || *number < 0 || *number >= static_cast<double>(size)) return std::nullopt;
  return static_cast<Enum>(*number);
}
template <NamedEnum Enum>
std::optional<Enum> nth(const Number& number) {
  return nth<Enum>(number, enum_names<Enum>.size());
}

constexpr std::size_t kKinds = static_cast<std::size_t>(Condition::Kind::comparison) + 1;

class ConditionReader {
 public:
  explicit ConditionReader(std::span<const ConditionRow> rows) : rest_(rows) {}

  bool read(Condition& out, int depth = 0) {
    if (rest_.empty() || depth > kMaxDepth) return false;
    const ConditionRow& row = rest_.front();
    rest_ = rest_.subspan(1);
    const auto kind = nth<Condition::Kind>(row.kind, kKinds);
    if (!kind) return false;
    out.kind = *kind;
    return out.kind == Condition::Kind::comparison ? read_comparison(row, out) : read_parts(row, out, depth);
  }
  bool at_end() const { return rest_.empty(); }

 private:
  bool read_parts(const ConditionRow& row, Condition& out, int depth) {
    const double parts = row.parts.value_or(0);
    const bool possible = parts <= static_cast<double>(rest_.size());
    if (!possible || (out.kind == Condition::Kind::negation ? parts != 1 : parts < 1)) return false;
    out.parts.resize(static_cast<std::size_t>(parts));
    return std::ranges::all_of(out.parts, [&](Condition& part) { return read(part, depth + 1); });
  }

  static bool read_comparison(const ConditionRow& row, Condition& out) {
    const auto fact = nth<Fact>(row.fact, kFactCount);
    const auto op = nth<Operator>(row.op);
    if (!fact || !op || (row.other_fact && !nth<Fact>(row.other_fact, kFactCount))) return false;
    out.fact = *fact;
    out.op = *op;
    out.operand.number = row.number.value_or(0);
    out.operand.fact = nth<Fact>(row.other_fact, kFactCount);
    out.operand.times = row.times.value_or(1);
    for (const std::string_view text : row.texts) out.operand.texts.emplace_back(text);
    out.or_unknown = row.or_unknown == 1;
    if (out.op != Operator::matches) return true;
    if (out.operand.texts.empty()) return false;
    out.pattern = std::make_shared<const Pattern>(out.operand.texts.front());
    return true;
  }

  static constexpr int kMaxDepth = 64;
  std::span<const ConditionRow> rest_;
};

void add_rows(const Condition& condition, catalog::BuiltRows& out) {
  ConditionRow row;
  row.kind = static_cast<double>(condition.kind);
  row.parts = static_cast<double>(condition.parts.size());
  if (condition.kind == Condition::Kind::comparison) {
    row.fact = static_cast<double>(condition.fact);
    row.op = static_cast<double>(condition.op);
    row.number = condition.operand.number;
    if (condition.operand.fact) row.other_fact = static_cast<double>(*condition.operand.fact);
    row.times = condition.operand.times;
    row.or_unknown = condition.or_unknown ? 1 : 0;
    row.texts = out.list(condition.operand.texts);
  }
  out.conditions.push_back(row);
  for (const Condition& part : condition.parts) add_rows(part, out);
}

}  // namespace

bool Condition::operator==(const Condition& other) const {
  const auto of = [](const Condition& c) { return std::tie(c.kind, c.parts, c.fact, c.op, c.operand, c.or_unknown); };
  return of(*this) == of(other);
}

void add_rows(std::span<const Rule> rules, catalog::BuiltRows& out) {
  for (const Rule& rule : rules) {
    out.rules.push_back({rule.id, rule.message, rule.source, static_cast<double>(rule.effect), rule.points,
                         static_cast<double>(rule.stage), static_cast<double>(rule.fit)});
    add_rows(rule.when, out);
  }
}

std::optional<std::vector<Rule>> read_rules(std::span<const RuleRow> rows, std::span<const ConditionRow> conditions) {
  std::vector<Rule> rules;
  rules.reserve(rows.size());
  ConditionReader reader(conditions);
  for (const RuleRow& row : rows) {
    const auto effect = nth<Effect>(row.effect);
    const auto stage = nth<Stage>(row.stage);
    const auto fit = nth<FitVerdict>(row.fit);
    Rule& rule = rules.emplace_back();
    if (!effect || !stage || !fit || !row.points || !reader.read(rule.when)) return std::nullopt;
    rule.id = row.id;
    rule.effect = *effect;
    rule.points = *row.points;
    rule.message = row.message;
    rule.source = row.source;
    rule.stage = *stage;
    rule.fit = *fit;
  }
  if (rules.empty() || !reader.at_end()) return std::nullopt;
  return rules;
}

std::expected<std::vector<Rule>, Errors> read_rules(const catalog::Catalog& catalog) {
  const auto [rows, conditions] = catalog.rule_rows();
  if (auto rules = read_rules(rows, conditions)) return *std::move(rules);
  return read_rules(catalog.documents("rules"));
}

}  // namespace gpusel::rules
