// Conditions as text, for whoever asks why a rule spoke.
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "rules/pattern.hpp"
#include "rules/rule.hpp"

namespace gpusel::rules {

namespace {

std::string_view sign_of(Operator op) {
  switch (op) {
    case Operator::is: return "=";
    case Operator::is_not: return "≠";
    case Operator::in: return "in";
    case Operator::not_in: return "not in";
    case Operator::below: return "<";
    case Operator::at_most: return "≤";
    case Operator::above: return ">";
    case Operator::at_least: return "≥";
    case Operator::matches: return "~";
    case Operator::known: break;
  }
  return {};
}

std::string right_side(const Condition& c) {
  if (c.operand.fact) {
    const std::string_view name = info(*c.operand.fact).name;
    return c.operand.times == 1 ? std::string(name) : format("{:g} × {}", c.operand.times, name);
  }
  if (info(c.fact).type == FactType::boolean) return c.operand.number != 0 ? "true" : "false";
  if (info(c.fact).type == FactType::number) return format("{:g}", c.operand.number);
  std::string list = join_texts(c.operand.texts, ", ");
  const bool one_of = c.op == Operator::in || c.op == Operator::not_in;
  return one_of ? format("({})", list) : list;
}

std::string comparison(const Condition& c) {
  const std::string_view name = info(c.fact).name;
  if (c.op == Operator::known) return format("{}known({})", c.operand.number != 0 ? "" : "!", name);
  if (c.op == Operator::matches && c.pattern) return format("{} ~ /{}/", name, c.pattern->text());
  return format("{} {} {}", name, sign_of(c.op), right_side(c));
}

}  // namespace

std::string condition_text(const Condition& condition) {
  using Kind = Condition::Kind;
  if (condition.kind == Kind::comparison) return comparison(condition);
  if (condition.kind == Kind::negation) return format("!({})", condition_text(condition.parts.front()));
  std::string text;
  for (const Condition& part : condition.parts) {
    if (!text.empty()) text += condition.kind == Kind::all ? " && " : " || ";
    const bool nested = part.parts.size() > 1 && part.kind != condition.kind;
    text += nested ? format("({})", condition_text(part)) : condition_text(part);
  }
  return text;
}

std::string substituted(const Condition& condition, const Facts& facts) {
  std::string text;
  facts_in(condition).for_each(
      [&](Fact fact) { text += format("{}{} = {}", text.empty() ? "" : ", ", info(fact).name, facts.shown(fact)); });
  return text;
}

}  // namespace gpusel::rules
