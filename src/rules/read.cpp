// Rules out of YAML, checked so strictly that a rule that reads is a rule that works.
#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "base/io/document.hpp"
#include "base/io/fields.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/catalog.hpp"
#include "rules/fitness.hpp"
#include "rules/rule.hpp"

namespace gpusel::rules {

namespace {

bool takes_text(Operator op) {
  return op == Operator::is || op == Operator::is_not || op == Operator::in || op == Operator::not_in ||
         op == Operator::matches;
}
bool takes_number(Operator op) { return op != Operator::in && op != Operator::not_in && op != Operator::matches; }

constexpr std::array<std::pair<std::string_view, Condition::Kind>, 3> kGroups{
    {{"all", Condition::Kind::all}, {"any", Condition::Kind::any}, {"not", Condition::Kind::negation}}};

class RuleReader {
 public:
  RuleReader(Problems& problems, std::set<std::string>& ids) : problems_(problems), ids_(ids) {}

  std::optional<Rule> read(const Node& node) {
    const std::size_t before = problems_.errors.size();
    Fields fields(node, problems_);
    fields.require("effect");
    const Effect effect = fields.one_of<Effect>("effect").value_or(Effect::note);
    const auto points = fields.number("points", {-100, 100});
    if ((effect == Effect::adjust) != fields.has("points"))
      fields.fail(node, effect == Effect::adjust ? say("an 'adjust' rule needs 'points'")
                                                 : say("only an 'adjust' rule has 'points'"));
    Rule rule = read_common(fields);
    rule.effect = effect;
    rule.points = points.value_or(0);
    rule.fit = fields.one_of<FitVerdict>("fit").value_or(FitVerdict::fits);
    if (rule.fit != FitVerdict::fits && facts_in(rule.when).test(Fact::fit))
      fields.fail(*fields.find("fit"), say("a rule that says how a plan fits cannot ask for it"));
    fields.finish();
    return problems_.errors.size() == before ? std::optional(std::move(rule)) : std::nullopt;
  }

  std::optional<FitnessRule> read_fitness(const Node& node) {
    const std::size_t before = problems_.errors.size();
    Fields fields(node, problems_);
    FitnessRule out;
    out.rule = read_common(fields);
    fields.require("verdict");
    out.fitness = fields.one_of<Fitness>("verdict").value_or(Fitness::good);
    fields.finish();
    if (out.rule.stage > Stage::instance) fields.fail(node, say("a verdict is about the GPU alone"));
    return problems_.errors.size() == before ? std::optional(std::move(out)) : std::nullopt;
  }

  std::optional<Fact> fact_named(const Node& node) {
    const auto fact = find_fact(node.text);
    if (fact) return fact;
    std::vector<std::string_view> names;
    for (const FactInfo& known : fact_table()) names.push_back(known.name);
    const Hint near = did_you_mean(node.text, names);
    problems_.add(node, say("unknown fact {}", node.describe()),
                  near.or_else(say("all facts are listed in docs/rules.md")));
    return std::nullopt;
  }

 private:
  /// What rules of every kind have.
  Rule read_common(Fields& fields) {
    Rule rule;
    rule.id = fields.text("id");
    for (const std::string_view key : {"id", "when", "message", "source"}) fields.require(key);
    if (!rule.id.empty() && !ids_.insert(rule.id).second)
      fields.fail(fields.node(), say("rule '{}' is defined twice", rule.id));
    rule.message = fields.text("message");
    rule.source = fields.text("source");
    rule.advice = fields.text("advice");
    rule.in_brief = fields.text("in_brief");
    if (const Node* when = fields.find("when")) rule.when = condition(*when);
    rule.stage = stage_of(rule.when);
    if (const Node* message = fields.find("message")) read_placeholders(*message, rule);
    return rule;
  }

  /// A rule is judged when all that it says is known.
  void read_placeholders(const Node& at, Rule& rule) {
    const std::string_view message = rule.message;
    for (auto open = message.find('{'); open != std::string_view::npos; open = message.find('{', open + 1)) {
      const auto close = message.find('}', open);
      const auto name = message.substr(open + 1, close == std::string_view::npos ? 40 : close - open - 1);
      if (const auto fact = find_fact(name)) {
        rule.stage = std::max(rule.stage, info(*fact).stage);
        continue;
      }
      Node unknown = at;
      unknown.text = name;
      fact_named(unknown);  // complains
    }
  }

  Condition condition(const Node& node) {
    Condition out;
    if (!node.is_map()) {
      problems_.add(node, say("a condition is a map, found {}", node.describe()));
      return out;
    }
    if (node.find("fact") != nullptr) return comparison(node);
    Fields fields(node, problems_);
    const Node* group = nullptr;
    for (const auto& [key, kind] : kGroups) {
      const Node* found = fields.find(key);
      if (found == nullptr) continue;
      if (group != nullptr) problems_.add(*found, say("a condition has one of all, any, not and fact"));
      group = found;
      out.kind = kind;
    }
    fields.finish();
    if (group != nullptr) return group_of(out.kind, *group);
    problems_.add(node, say("a condition needs all, any, not or fact"));
    return out;
  }

  Condition group_of(Condition::Kind kind, const Node& group) {
    Condition out;
    out.kind = kind;
    if (kind == Condition::Kind::negation) {
      out.parts.push_back(condition(group));
    } else if (!group.is_list() || group.children.empty()) {
      problems_.add(group, say("'{}' must be a list of conditions", group.key));
    } else {
      out.parts.reserve(group.children.size());
      for (const Node& part : group.children)
        if (!is_enough(problems_.errors)) out.parts.push_back(condition(part));
    }
    return out;
  }

  Condition comparison(const Node& node) {
    Condition out;
    out.kind = Condition::Kind::comparison;
    Fields fields(node, problems_);
    const auto fact = fact_named(*fields.find("fact"));
    out.or_unknown = fields.boolean("or_unknown").value_or(false);
    const Node* operand = nullptr;
    for (std::size_t i = 0; i < enum_names<Operator>.size(); ++i) {
      const Node* found = fields.find(enum_names<Operator>[i]);
      if (found == nullptr) continue;
      if (operand != nullptr) problems_.add(*found, say("a comparison has one operator"));
      operand = found;
      out.op = static_cast<Operator>(i);
    }
    fields.finish();
    if (operand == nullptr) {
      std::string list = join_texts(enum_names<Operator>, say_name(", "));
      problems_.add(node, say("a comparison needs an operator"), say("one of: {}", list));
    } else if (fact) {
      out.fact = *fact;
      read_operand(*operand, out);
    }
    return out;
  }

  void read_operand(const Node& node, Condition& out) {
    const FactType type = info(out.fact).type;
    const std::string_view name = info(out.fact).name;
    if (out.op == Operator::known) {
      read_truth(node, out);
    } else if (type == FactType::text) {
      if (!takes_text(out.op)) problems_.add(node, say("'{}' is text and cannot be {}", name, node.key));
      read_texts(node, out);
    } else if (type == FactType::boolean) {
      if (out.op != Operator::is && out.op != Operator::is_not)
        problems_.add(node, say("'{}' is true or false and cannot be {}", name, node.key));
      read_truth(node, out);
    } else if (!takes_number(out.op)) {
      problems_.add(node, say("'{}' is a number and cannot be {}", name, node.key));
    } else if (node.is_map()) {
      read_fact_operand(node, out);
    } else {
      const auto number = node.is_scalar() && !node.quoted ? plain_number(node.text) : std::nullopt;
      if (!number) problems_.add(node, say("'{}' is compared with a number, found {}", name, node.describe()));
      out.operand.number = number.value_or(0);
    }
  }

  void read_truth(const Node& node, Condition& out) {
    if (!node.is_scalar() || (node.text != "true" && node.text != "false"))
      problems_.add(node, say("'{}' must be true or false, found {}", node.key, node.describe()));
    out.operand.number = node.text == "true" ? 1 : 0;
  }

  void read_texts(const Node& node, Condition& out) {
    if (node.is_scalar()) out.operand.texts.push_back(node.text);
    for (const Node& item : node.children) {
      if (!item.is_scalar()) problems_.add(item, say("a text was expected, found {}", item.describe()));
      out.operand.texts.push_back(item.text);
    }
    const bool wants_list = out.op == Operator::in || out.op == Operator::not_in;
    if (out.operand.texts.empty() || (wants_list && !node.is_list()) || (!wants_list && !node.is_scalar()))
      problems_.add(node,
                    wants_list ? say("'{}' needs a list of texts", node.key) : say("'{}' needs one text", node.key));
    if (out.op != Operator::matches || out.operand.texts.empty()) return;
    auto compiled = match(out.fact, out.operand.texts.front());
    if (!compiled)
      problems_.add(node, compiled.error().message);
    else
      out.pattern = compiled->pattern;
  }

  void read_fact_operand(const Node& node, Condition& out) {
    Fields fields(node, problems_);
    fields.require("fact");
    if (const Node* fact = fields.find("fact")) out.operand.fact = fact_named(*fact);
    out.operand.times = fields.number("times", {1e-9, 1e9}).value_or(1);
    fields.finish();
    if (out.operand.fact && info(*out.operand.fact).type != FactType::number)
      problems_.add(node, say("'{}' is not a number", info(*out.operand.fact).name));
  }

  Problems& problems_;
  std::set<std::string>& ids_;
};

void read_list(const Node& list, Problems& problems, std::set<std::string>& ids, std::vector<Rule>& rules) {
  if (!list.is_list()) problems.add(list, say("'rules' must be a list"));
  RuleReader reader(problems, ids);
  for (const Node& node : list.children) {
    if (is_enough(problems.errors)) return;
    if (auto rule = reader.read(node)) rules.push_back(std::move(*rule));
  }
}

std::optional<Purpose> read_purpose(const Node& node, Problems& problems) {
  const std::size_t before = problems.errors.size();
  Fields fields(node, problems);
  std::set<std::string> ids;
  RuleReader reader(problems, ids);
  Purpose purpose;
  purpose.id = fields.text("id");
  purpose.aliases = fields.texts("aliases");
  for (const std::string_view key : {"id", "figure", "rules"}) fields.require(key);
  if (const Node* figure = fields.find("figure"))
    if (const auto fact = reader.fact_named(*figure)) {
      purpose.figure = *fact;
      if (info(*fact).type != FactType::number) problems.add(*figure, say("'{}' is not a number", figure->text));
    }
  if (const Node* list = fields.find("rules")) {
    if (!list->is_list()) problems.add(*list, say("'rules' must be a list"));
    for (const Node& rule : list->children)
      if (auto read = reader.read_fitness(rule)) purpose.rules.push_back(std::move(*read));
  }
  fields.finish();
  return problems.errors.size() == before ? std::optional(std::move(purpose)) : std::nullopt;
}

/// Adds the rules of one file; those of earlier files with the same ids make room.
void add_rules(const Node& list, Problems& problems, std::vector<Rule>& rules) {
  std::vector<Rule> own;
  std::set<std::string> ids;
  read_list(list, problems, ids, own);
  if (!problems.errors.empty()) return;
  std::erase_if(rules, [&](const Rule& rule) { return ids.contains(rule.id); });
  std::move(own.begin(), own.end(), std::back_inserter(rules));
}

}  // namespace

std::expected<std::vector<Rule>, Errors> read_rules(std::span<const Document> documents) {
  std::vector<Rule> rules;
  Errors errors;
  for (const Document& document : documents) {
    Problems problems{document.name, ErrorKind::bad_catalogue, {}};
    if (const Node* list = document.root.find("rules")) add_rules(*list, problems, rules);
    errors.insert(errors.end(), problems.errors.begin(), problems.errors.end());
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return rules;
}

std::expected<std::vector<Rule>, Errors> read_rules(const catalog::Catalog& catalog) {
  return read_rules(catalog.documents("rules"));
}

std::expected<std::vector<Purpose>, Errors> read_purposes(std::span<const Document> documents) {
  std::vector<Purpose> purposes;
  Errors errors;
  for (const Document& document : documents) {
    Problems problems{document.name, ErrorKind::bad_catalogue, {}};
    const Node* list = document.root.find("verdicts");
    if (list == nullptr) continue;
    if (!list->is_list()) problems.add(*list, say("'verdicts' must be a list"));
    for (const Node& node : list->children) {
      auto purpose = read_purpose(node, problems);
      if (!purpose) continue;
      std::erase_if(purposes, [&](const Purpose& known) { return known.id == purpose->id; });
      purposes.push_back(std::move(*purpose));
    }
    errors.insert(errors.end(), problems.errors.begin(), problems.errors.end());
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return purposes;
}

Errors add_rule_file(const Document& file, std::vector<Rule>& rules) {
  Problems problems{file.name, ErrorKind::usage, {}};
  Fields fields(file.root, problems);
  fields.require("rules");
  const Node* list = fields.find("rules");
  fields.finish();
  if (list != nullptr) add_rules(*list, problems, rules);
  return problems.errors;
}

}  // namespace gpusel::rules
