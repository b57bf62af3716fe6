#include "show/job/explain.hpp"

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "show/job/candidate.hpp"
#include "show/job/estimate.hpp"

namespace gpusel::show {

namespace {

using answer::Branch;

Json change_json(const answer::Change& change) {
  return {{"flag", change.flag},
          {"value", text_or_null(change.value)},
          {"also", change.also},
          {"rule", change.rule},
          {"message", change.message}};
}

Json changes_json(const std::vector<answer::Change>& changes) {
  Json out = Json::array();
  for (const answer::Change& change : changes) out.push_back(change_json(change));
  return out;
}

Json admitted_json(const answer::Admission& admission, Currency currency) {
  if (!admission.as) return nullptr;
  const answer::Recommendation& as = *admission.as;
  return {{"rank", as.rank},
          {"of", admission.among},
          {"score", number(as.score)},
          {"region", as.region->id},
          {"term", to_text(as.offer->term)},
          {"nodes", as.machine().nodes},
          {"currency", currency.code()},
          {"hourly", number(as.cost.hourly)},
          {"hours", number(as.cost.hours)},
          {"total", number(as.cost.total)}};
}

Json rejection_json(const ExplainView& view) {
  if (view.admission == nullptr) return nullptr;
  const answer::Admission& admission = *view.admission;
  return {{"provider", admission.instance->provider},
          {"sku", admission.instance->sku},
          {"rule", admission.rule},
          {"message", admission.message},
          {"changes", changes_json(admission.changes)},
          {"never", text_or_null(admission.never)},
          {"admitted", admitted_json(admission, view.advice.currency)},
          {"others", changes_json(admission.others)}};
}

void add_steps(Derivation& out, const Branch& branch, std::size_t depth) {
  const physics::TraceLine& line = branch.line;
  out.steps.push_back({depth, printable(line.quantity), printable(line.value.text),
                       line.value.number ? format("{}", *line.value.number) : std::string(), printable(line.value.unit),
                       printable(line.formula), printable(line.substituted), printable(line.source)});
  for (const Branch& child : branch.children) add_steps(out, child, depth + 1);
}

/// The first line: what it is about, and how it stands.
std::string head_line(const ExplainView& view) {
  const std::string name = printable(view.name);
  if (view.kind == "rank") return say("{}: rank {}", name, view.tree.line.value.text);
  if (view.kind != "rejection") return say("{} of this answer", name);
  const answer::Admission& admission = *view.admission;
  if (!admission.as) return say("{}: rejected ({}); no change admits it: {}", name, admission.rule, admission.never);
  std::string changes;
  for (const answer::Change& change : admission.changes) changes += (changes.empty() ? "" : " ") + change_text(change);
  return say("{}: rejected ({}); ranked {} of {} with {}", name, admission.rule, admission.as->rank, admission.among,
             changes);
}

}  // namespace

Json tree_json(const Branch& branch) {
  const physics::TraceLine& line = branch.line;
  Json children = Json::array();
  for (const Branch& child : branch.children) children.push_back(tree_json(child));
  return {{"quantity", line.quantity},
          {"formula", text_or_null(line.formula)},
          {"substituted", text_or_null(line.substituted)},
          {"value", text_or_null(line.value.text)},
          {"number", number(line.value.number)},
          {"unit", text_or_null(line.value.unit)},
          {"source", text_or_null(line.source)},
          {"children", std::move(children)}};
}

Json explanation_json(const ExplainView& view) {
  return {{"schema", "gpusel.explain/1"},
          {"subject", {{"kind", view.kind}, {"name", view.name}}},
          {"workload", workload_json(view.advice)},
          {"assumed", assumptions(view.advice.assumed)},
          {"catalog",
           {{"as_of", text_or_null(view.advice.newest_price.text())},
            {"instances", view.catalog.instances().size()},
            {"offers", view.catalog.offers().size()},
            {"source", view.catalog.origin_text()}}},
          {"ranked", view.advice.recommendations.size()},
          {"rejection", rejection_json(view)},
          {"tree", tree_json(view.tree)}};
}

Derivation derivation_of(const Branch& branch) {
  Derivation out;
  out.tree = true;
  add_steps(out, branch, 0);
  return out;
}

Document explanation_page(const ExplainView& view) {
  Document page;
  page.title(job_line(view.advice.work)).line(say("assumed: {}", assumed_line(view.advice.assumed)));
  add_use(page, view.advice);
  return page.line(head_line(view)).derivation(derivation_of(view.tree));
}

Json about_rule_json(const answer::AboutRule& rule) {
  return {{"schema", "gpusel.rule/1"}, {"id", rule.id},
          {"kind", rule.kind},         {"effect", rule.effect},
          {"message", rule.message},   {"condition", text_or_null(rule.condition)},
          {"decided", rule.decided},   {"source", text_or_null(rule.source)},
          {"advice", rule.advice}};
}

Document about_rule_page(const answer::AboutRule& rule) {
  Document page;
  page.page_title(rule.id);
  page.line(say("{} ({}): {}", rule.id, say_name(rule.effect), printable(rule.message)));
  if (!rule.condition.empty()) page.line(say("when: {}", printable(rule.condition)));
  page.line(say("decided: {}", rule.decided));
  if (!rule.source.empty()) page.line(say("source: {}", printable(rule.source)));
  page.section(say("What to do"), rule.advice);
  return page;
}

}  // namespace gpusel::show
