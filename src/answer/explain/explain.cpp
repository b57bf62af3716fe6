// Trees of explanations, rejections and rules; one rank is taken apart in explain_rank.cpp.
#include "answer/explain/explain.hpp"

#include <algorithm>

#include "answer/explain/about_rule.hpp"
#include "answer/facts/candidates.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

using physics::TraceLine;

std::string asked_again() { return say("the same question, asked again with the change"); }

/// Where a line belongs: below the longest name that its own begins with.
Branch& place_of(Branch& root, std::string_view quantity) {
  for (Branch& child : root.children) {
    const std::string_view name = child.line.quantity;
    if (quantity.size() > name.size() && quantity.starts_with(name) && quantity[name.size()] == '.')
      return place_of(child, quantity);
  }
  return root;
}

const Branch* named(const Branch& root, std::string_view quantity) {
  if (root.line.quantity == quantity) return &root;
  for (const Branch& child : root.children)
    if (const Branch* found = named(child, quantity)) return found;
  return nullptr;
}

void collect_ending(const Branch& root, std::string_view ending, std::vector<const Branch*>& found) {
  const std::string_view name = root.line.quantity;
  if (name.size() > ending.size() && name.ends_with(ending) && name[name.size() - ending.size() - 1] == '.')
    found.push_back(&root);
  for (const Branch& child : root.children) collect_ending(child, ending, found);
}

void collect(const Branch& root, physics::Trace& lines) {
  lines.push_back(root.line);
  for (const Branch& child : root.children) collect(child, lines);
}

void collect(const Branch& root, std::vector<std::string_view>& names) {
  names.push_back(root.line.quantity);
  for (const Branch& child : root.children) collect(child, names);
}

const rules::Rule* rule_called(const Explained& of, std::string_view id) {
  const auto found = std::ranges::find(of.rules, id, &rules::Rule::id);
  return found == of.rules.end() ? nullptr : &*found;
}

std::string name_of(const catalog::Instance& instance) { return format("{}/{}", instance.provider, instance.sku); }

/// What is known of an instance before any plan was made; nothing where the rule asks for more than that, which its
/// message says.
std::string known_facts(const Explained& of, const rules::Rule& rule, const catalog::Instance& instance) {
  rules::Facts facts;
  job_facts(facts, of.advice.work, of.question.constraints.include_unavailable.value_or(false));
  const auto provider = of.catalog.provider(instance.provider);
  instance_facts(facts, {instance, provider ? *provider : nullptr, of.catalog, of.coefficients});
  const auto comes_later = [](rules::Fact fact) { return rules::info(fact).stage > rules::Stage::instance; };
  if (rules::facts_in(rule.when).any_of(comes_later)) return {};
  return rules::substituted(rule.when, facts);
}

void add_admitted(Branch& root, const Explained& of, const Admission& admission) {
  const Recommendation& as = *admission.as;
  const std::string currency(of.advice.currency.code());
  Branch then{{"admitted", say("its rank in the answer to that question"), {}, {}, asked_again()}, {}};
  then.line.value = {static_cast<double>(as.rank), {}, say("rank {} of {}", as.rank, admission.among)};
  const auto add = [&](std::string quantity, std::string formula, physics::Figure value) {
    then.children.push_back({{std::move(quantity), std::move(formula), {}, std::move(value), asked_again()}, {}});
  };
  add("admitted.score", say("points of the ranking"), physics::shown("{:.1f}", as.score, "points"));
  add("admitted.hourly", say("price of all nodes"), physics::shown("{:.4g}", as.cost.hourly, currency + "/h"));
  add("admitted.hours", say("time of the job, or a month of service"), physics::shown("{:.4g}", as.cost.hours, "h"));
  add("admitted.total", say("price of all nodes × hours paid"), physics::shown("{:.6g}", as.cost.total, currency));
  add("admitted.nodes", say("instances side by side"), physics::shown("{:g}", as.machine().nodes));
  add("admitted.region", say("of the cheapest offer that passes"), physics::Figure::words(std::string(as.region->id)));
  add("admitted.term", say("of the same offer"), physics::Figure::words(std::string(to_text(as.offer->term))));
  root.children.push_back(std::move(then));
}

void add_cheaper(Branch& root, const Explained& of, const Admission& admission) {
  std::string all = join_texts(admission.cheaper, " ", change_text);
  const auto price = [&](const Recommendation& r) {
    return format("{:.4g} {}/h", r.cost.hourly, of.advice.currency.code());
  };
  root.children.push_back({{"cheaper", say("more than needed, but at a lower price for all nodes"),
                            say("{} instead of {}", price(*admission.cheaper_as), price(*admission.as)),
                            physics::Figure::words(std::move(all)), asked_again()},
                           {}});
}

}  // namespace

void hang(Branch& root, physics::Trace trace) {
  for (TraceLine& line : trace) {
    Branch& place = place_of(root, line.quantity);
    place.children.push_back({std::move(line), {}});
  }
}

const Branch* find_branch(const Branch& root, std::string_view quantity) {
  if (const Branch* found = named(root, quantity)) return found;
  std::vector<const Branch*> ending;
  collect_ending(root, quantity, ending);
  return ending.size() == 1 ? ending.front() : nullptr;
}

std::vector<std::string_view> quantities(const Branch& root) {
  std::vector<std::string_view> names;
  collect(root, names);
  return names;
}

physics::Trace lines_of(const Branch& root) {
  physics::Trace lines;
  collect(root, lines);
  return lines;
}

Branch explain_rejection(const Explained& of, const Admission& admission) {
  const rules::Rule* rule = rule_called(of, admission.rule);
  Branch root{{"rejection", {}, {}, physics::Figure::words(admission.message), {}}, {}};
  Branch first{{"rejection." + admission.rule, {}, {}, physics::Figure::words(admission.message), say("the question")},
               {}};
  if (rule != nullptr) {
    first.line.formula = rules::condition_text(rule->when);
    first.line.substituted = known_facts(of, *rule, *admission.instance);
    first.line.source = rule->source;
  } else {
    first.line.formula = say("the first constraint that it does not meet");
  }
  root.line.formula =
      say("{} is not among the {} that qualify", name_of(*admission.instance), of.advice.recommendations.size());
  root.line.source = first.line.source;
  root.children.push_back(std::move(first));
  if (!admission.as) {
    root.children.push_back({{"change",
                              say("no single change makes it qualify"),
                              {},
                              physics::Figure::words(admission.never),
                              asked_again()},
                             {}});
    return root;
  }
  const auto add = [&](Branch& to, std::string quantity, const Change& change) {
    to.children.push_back(
        {{std::move(quantity), change.rule, change.message, physics::Figure::words(change_text(change)), asked_again()},
         {}});
  };
  Branch changes{{"change", say("the smallest change that ranks it"), {}, {}, asked_again()}, {}};
  std::string all;
  for (std::size_t i = 0; i < admission.changes.size(); ++i) {
    all += (i == 0 ? "" : " ") + change_text(admission.changes[i]);
    add(changes, format("change.{}", i + 1), admission.changes[i]);
  }
  changes.line.value.text = all;
  root.children.push_back(std::move(changes));
  add_admitted(root, of, admission);
  if (admission.cheaper_as) add_cheaper(root, of, admission);
  if (admission.others.empty()) return root;
  Branch others{{"other", say("any of these works too"), {}, {}, asked_again()}, {}};
  for (std::size_t i = 0; i < admission.others.size(); ++i) {
    others.line.value.text += (i == 0 ? "" : say(" or ")) + change_text(admission.others[i]);
    add(others, format("other.{}", i + 1), admission.others[i]);
  }
  root.children.push_back(std::move(others));
  return root;
}

bool is_rule(const Explained& of, std::string_view id) {
  return rule_called(of, id) != nullptr ||
         std::ranges::find(of.advice.rejected, id, &Rejection::rule) != of.advice.rejected.end();
}

Branch explain_rule(const Explained& of, std::string_view id) {
  const rules::Rule* rule = rule_called(of, id);
  Branch root{{format("rule.{}", id), say("a limit of the question, or a reason of the planner"), {}, {}, {}}, {}};
  if (rule != nullptr) {
    root.line.formula = rules::condition_text(rule->when);
    root.line.value = physics::Figure::words(template_text(*rule));
    root.line.source = rule->source;
    if (!rule->advice.empty())
      root.children.push_back({{format("rule.{}.advice", id),
                                say("what to do about it"),
                                {},
                                physics::Figure::words(say_text(rule->advice)),
                                rule->source},
                               {}});
    if (rule->effect == rules::Effect::adjust)
      root.children.push_back({{format("rule.{}.points", id),
                                say("added to the score, which stays within 0 and 100"),
                                {},
                                physics::shown("{:+g}", rule->points, "points"),
                                rule->source},
                               {}});
    root.children.push_back({{format("rule.{}.effect", id),
                              say("reject, warn, note or adjust the score"),
                              {},
                              physics::Figure::words(std::string(to_text(rule->effect))),
                              rule->source},
                             {}});
  }
  Branch fired{{format("rule.{}.fired", id),
                say("instances in this answer that it applies to"),
                {},
                {},
                say("the answer to this question")},
               {}};
  const auto add = [&](const catalog::Instance& instance, const std::string& message) {
    fired.children.push_back({{name_of(instance), {}, {}, physics::Figure::words(message), {}}, {}});
  };
  for (const Rejection& rejection : of.advice.rejected)
    if (rejection.rule == id) add(*rejection.instance, rejection.message);
  for (const Recommendation& ranked : of.advice.recommendations)
    for (const Remark& remark : ranked.remarks)
      if (remark.rule == id) add(*ranked.instance, remark.message);
  fired.line.value = physics::shown("{:g}", static_cast<double>(fired.children.size()));
  root.children.push_back(std::move(fired));
  return root;
}

}  // namespace gpusel::answer
