#include <algorithm>

#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "base/words/spacing.hpp"
#include "rules/fitness.hpp"
#include "rules/pattern.hpp"
#include "rules/rule_set.hpp"
#include "rules/truth.hpp"

namespace gpusel::rules {

namespace {

bool is_among(const std::vector<std::string>& texts, std::string_view text) {
  return std::any_of(texts.begin(), texts.end(), [&](const std::string& one) { return one == text; });
}

Truth compare_text(const Condition& c, std::string_view text) {
  switch (c.op) {
    case Operator::is:
    case Operator::in: return truth(is_among(c.operand.texts, text));
    case Operator::is_not:
    case Operator::not_in: return truth(!is_among(c.operand.texts, text));
    case Operator::matches: return truth(c.pattern->is_in(text));
    default: return Truth::no;
  }
}

Truth compare(const Condition& c, const Facts& facts) {
  if (c.op == Operator::known) return truth(facts.known(c.fact) == (c.operand.number != 0));
  const bool other_known = !c.operand.fact || facts.known(*c.operand.fact);
  if (!facts.known(c.fact) || !other_known) return c.or_unknown ? Truth::yes : Truth::unknown;
  if (info(c.fact).type == FactType::text) return compare_text(c, facts.text(c.fact));
  const double right = c.operand.fact ? facts.number(*c.operand.fact) * c.operand.times : c.operand.number;
  return ordered(c.op, facts.number(c.fact), right);
}

/// Kleene logic: a condition is true only if it is true whatever the unknown facts are.
template <class Judge>
Truth evaluate(const Condition& c, const Judge& judge) {
  switch (c.kind) {
    case Condition::Kind::comparison: return judge(c);
    case Condition::Kind::negation: return negated(evaluate(c.parts.front(), judge));
    case Condition::Kind::all:
    case Condition::Kind::any:
      return joined(c.kind == Condition::Kind::all, c.parts,
                    [&](const Condition& part) { return evaluate(part, judge); });
  }
  return Truth::no;
}

Truth evaluate(const Condition& c, const Facts& facts) {
  return evaluate(c, [&](const Condition& comparison) { return compare(comparison, facts); });
}

/// A message piece by piece: words, and facts in braces.
void read_message(std::string_view message, const auto& words, const auto& shown) {
  while (!message.empty()) {
    const auto open = message.find('{');
    words(message.substr(0, open));
    if (open == std::string_view::npos) return;
    const auto close = message.find('}', open);
    if (const auto fact = find_fact(message.substr(open + 1, close - open - 1))) shown(*fact);
    message = close == std::string_view::npos ? std::string_view{} : message.substr(close + 1);
  }
}

/// What can be said while only the facts of the stages up to `known` are settled.
Truth evaluate(const Condition& condition, const Facts& facts, Stage known) {
  const auto settled = [&](Fact fact) { return info(fact).stage <= known; };
  return evaluate(condition, [&](const Condition& c) {
    const bool all = settled(c.fact) && (!c.operand.fact || settled(*c.operand.fact));
    return all ? compare(c, facts) : Truth::unknown;
  });
}

}  // namespace

bool fires(const Rule& rule, const Facts& facts) { return evaluate(rule.when, facts) == Truth::yes; }

std::optional<bool> holds(const Condition& condition, const Facts& facts) {
  const Truth result = evaluate(condition, facts);
  return result == Truth::unknown ? std::nullopt : std::optional(result == Truth::yes);
}

bool may_fire(const Rule& rule, const Facts& facts, Stage known) {
  return evaluate(rule.when, facts, known) != Truth::no;
}

Condition left_open(const Condition& condition, const Facts& facts, Stage known) {
  const bool all = condition.kind == Condition::Kind::all;
  if (!all && condition.kind != Condition::Kind::any) return condition;
  Condition out;
  out.kind = condition.kind;
  for (const Condition& part : condition.parts)
    if (evaluate(part, facts, known) != truth(all)) out.parts.push_back(left_open(part, facts, known));
  if (out.parts.size() != 1) return out;
  Condition only = std::move(out.parts.front());
  return only;
}

void RuleSet::add(const Rule& rule, const Facts& job) {
  rules_.push_back(&rule);
  open_.push_back(left_open(rule.when, job, Stage::job));
  facts_ |= facts_in(open_.back());
}

const Rule* RuleSet::first_to_fire(const Facts& known) const {
  for (std::size_t i = 0; i < rules_.size(); ++i)
    if (evaluate(open_[i], known) == Truth::yes) return rules_[i];
  return nullptr;
}

namespace {

/// From 0 to 1 as a fact, in percent in a sentence.
bool is_chance(Fact fact) {
  return fact == Fact::fit_probability || fact == Fact::fit_asked || fact == Fact::targets_probability ||
         fact == Fact::budget_probability;
}

}  // namespace

Verdict verdict(const Rule& rule, const Facts& facts) {
  Verdict out{&rule, {}};
  read_message(
      open_spaces(say_text(rule.message)), [&](std::string_view words) { out.message += words; },
      [&](Fact fact) {
        const std::string shown =
            is_chance(fact) && facts.known(fact) ? format("{:.3g} %", 100 * facts.number(fact)) : facts.shown(fact);
        out.message += fact == Fact::price_note ? say_text(shown) : say_name(shown);
      });
  out.message = settle_spaces(std::move(out.message));
  return out;
}

FactSet facts_shown(const Rule& rule) {
  FactSet facts;
  read_message(say_text(rule.message), [](std::string_view) {}, [&](Fact fact) { facts.set(fact); });
  return facts;
}

FitnessVerdict judge(const Purpose& purpose, const Facts& facts) {
  FitnessVerdict out;
  Fitness possible = Fitness::good;  // the worst that what is not known may still mean
  for (const FitnessRule& one : purpose.rules) {
    const Truth holds = evaluate(one.rule.when, facts);
    if (holds == Truth::unknown) possible = std::max(possible, one.fitness);
    if (holds != Truth::yes) continue;
    const bool first = out.because.empty();
    if (!first && one.fitness < out.fitness) continue;
    if (!first && one.fitness > out.fitness) out = {};
    out.fitness = one.fitness;
    out.because.push_back(&one);
    add_clause(out.reason, verdict(one.rule, facts).message);
  }
  // A bad verdict stands whatever else is found out; a good one only if nothing speaks against it.
  const bool certain = out.fitness >= Fitness::poor || possible <= out.fitness;
  if (!out.because.empty() && certain) return out;
  return {Fitness::unknown, say("too little is published"), {}};
}

Result<const Purpose*> find_purpose(std::string_view name, const std::vector<Purpose>& purposes) {
  const std::string folded = fold_name(name);
  std::vector<std::string_view> known;
  for (const Purpose& purpose : purposes) {
    if (fold_name(purpose.id) == folded) return &purpose;
    known.push_back(purpose.id);
    for (const std::string& alias : purpose.aliases) {
      if (fold_name(alias) == folded) return &purpose;
      known.push_back(alias);
    }
  }
  std::string all = join_texts(purposes, ", ", &Purpose::id);
  const Hint near = did_you_mean(folded, known);
  return usage_error(say("no verdicts on '{}'", shorten(printable(name), 40)), {}, near.or_else(say("known: {}", all)));
}

FactSet facts_in(const Condition& condition) {
  FactSet facts;
  if (condition.kind == Condition::Kind::comparison) {
    facts.set(condition.fact);
    if (condition.operand.fact) facts.set(*condition.operand.fact);
  }
  for (const Condition& part : condition.parts) facts |= facts_in(part);
  return facts;
}

Stage stage_of(const Condition& condition) {
  Stage latest = Stage::job;
  if (condition.kind == Condition::Kind::comparison) {
    latest = info(condition.fact).stage;
    if (condition.operand.fact) latest = std::max(latest, info(*condition.operand.fact).stage);
  }
  for (const Condition& part : condition.parts) latest = std::max(latest, stage_of(part));
  return latest;
}

Condition compare(Fact fact, Operator op, double number, bool or_unknown) {
  Condition c;
  c.kind = Condition::Kind::comparison;
  c.fact = fact;
  c.op = op;
  c.operand.number = number;
  c.or_unknown = or_unknown;
  return c;
}

Condition compare(Fact fact, Operator op, std::vector<std::string> texts, bool or_unknown) {
  Condition c = compare(fact, op, 0.0, or_unknown);
  c.operand.texts = std::move(texts);
  return c;
}

Result<Condition> match(Fact fact, const std::string& pattern) {
  auto compiled = Pattern::compiled(pattern);
  if (!compiled) return std::unexpected(compiled.error());
  Condition c = compare(fact, Operator::matches, 0.0, false);
  c.pattern = *std::move(compiled);
  return c;
}

Condition negate(Condition condition) {
  Condition c;
  c.kind = Condition::Kind::negation;
  c.parts.push_back(std::move(condition));
  return c;
}

Condition any_of(std::vector<Condition> parts) {
  Condition c;
  c.kind = Condition::Kind::any;
  c.parts = std::move(parts);
  return c;
}

Condition all_of(std::vector<Condition> parts) {
  Condition c = any_of(std::move(parts));
  c.kind = Condition::Kind::all;
  return c;
}

Rule reject_when(std::string id, Condition when, std::string message) {
  Rule rule;
  rule.id = std::move(id);
  rule.effect = Effect::reject;
  rule.stage = stage_of(when);
  rule.when = std::move(when);
  rule.message = std::move(message);
  rule.source = "command line";
  return rule;
}

}  // namespace gpusel::rules
