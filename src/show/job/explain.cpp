#include "show/job/explain.hpp"

#include <algorithm>

#include "answer/facts/fit.hpp"
#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/job/candidate.hpp"
#include "show/job/estimate.hpp"
#include "show/job/question.hpp"

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

/// "0.0 points": nothing to tell.
bool is_zero(std::string_view points) { return points.find_first_of("123456789") == std::string_view::npos; }

Json changes_json(const std::vector<answer::Change>& changes) { return list_json(changes, change_json); }

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

std::string changes_text(const std::vector<answer::Change>& changes) {
  std::string text;
  for (const answer::Change& change : changes) text += (text.empty() ? "" : " ") + change_text(change);
  return text;
}

/// What a recommendation costs, how long it takes and how likely it is to fit.
std::string ranked_words(const answer::Recommendation& r, const ExplainView& view) {
  const Currency currency = view.advice.currency;
  std::string words = r.gpu != nullptr ? spoken_machine(r.machine()) : gpus_text(r);
  add_item(words, say("{}/h", spoken_money(r.cost.hourly, currency)));
  if (view.advice.work.ends())
    words += say(", {} for the job in {}", spoken_money(r.cost.total, currency),
                 human_duration(seconds(r.cost.elapsed * 3600)));
  else if (const std::string speed = speed_text(view.advice.work, r); !speed.empty())
    add_item(words, speed);
  if (r.plan().need.is_known()) words += say(", fits {}", answer::chance_words(r.plan().need.chance()));
  return words;
}

/// The part of the lead that decides, in the words of its branch.
void add_rank(Document& page, const ExplainView& view) {
  const auto& ranks = view.advice.recommendations;
  const auto at = std::ranges::find_if(ranks, [&](const answer::Recommendation& r) {
    return format("{}/{}", r.instance->provider, r.instance->sku) == view.name;
  });
  if (at == ranks.end()) return;
  page.line(Text(say("{}: rank {} of {}", printable(view.name), at->rank, ranks.size()), Meaning::best));
  page.line("  " + ranked_words(*at, view));
  for (const std::string& reason : at->reasons) page.line("  " + printable(reason), 4);
  for (const std::string_view part : {"score", "lead"}) {
    const Branch* branch = answer::find_branch(view.tree, part);
    if (branch == nullptr) continue;
    std::string list;
    const bool last = at + 1 == ranks.end();
    // What the last lacks is said to be behind.
    const auto points = [&](const std::string& text) {
      return last && part == "lead" && text.starts_with('-') ? printable(text.substr(1)) : printable(text);
    };
    for (const Branch& child : branch->children) {
      const auto dot = child.line.quantity.rfind('.');
      const std::string name =
          printable(dot == std::string::npos ? child.line.quantity : child.line.quantity.substr(dot + 1));
      if (name != "decides" && !is_zero(child.line.value.text))
        list += format("{}{} {}", list.empty() ? "" : ", ", name, points(child.line.value.text));
    }
    if (part == "lead" && is_zero(branch->line.value.text)) continue;
    // Of one part alone the sum says it all.
    const bool single = std::ranges::count_if(branch->children, [](const Branch& child) {
                          return !child.line.quantity.ends_with("decides");
                        }) < 2;
    if (single && part == "score") continue;
    const std::string of = single ? std::string() : say(" ({})", list);
    page.line(part == "score" ? say("  Score: {}{}", printable(branch->line.value.text), of)
              : last          ? say("  Behind rank {}: {}{}", at->rank - 1, points(branch->line.value.text), of)
                              : say("  Lead over the next: {}{}", printable(branch->line.value.text), of),
              4);
  }
  if (at != ranks.begin()) {
    const double ratio =
        answer::printed_cost(*at, view.advice.work) / answer::printed_cost(ranks.front(), view.advice.work);
    page.line(
        say("  Cost against rank 1, {}: {} at published prices", instance_name(ranks.front()), difference_words(ratio)),
        4);
  }
  for (const answer::Remark& remark : at->remarks)
    if (remark.severity == rules::Effect::warn)
      page.line(Text(say("  Warning: {} [{}]", printable(remark.message), remark.rule), Meaning::warn), 11);
}

void add_rejection(Document& page, const ExplainView& view) {
  const answer::Admission& admission = *view.admission;
  // The plan that it was tried with stands among the figures.
  const std::string why = admission.message.substr(0, admission.message.find(';'));
  page.line(
      Text(say("{} is not ranked: {} [{}]", printable(view.name), printable(why), admission.rule), Meaning::warn));
  if (!admission.as) {
    page.line(say("No single change makes it qualify: {}", printable(admission.never)));
    return;
  }
  const auto told = [&](const std::vector<answer::Change>& changes, const answer::Recommendation& as) {
    return say("{}: rank {} of {}, {}", changes_text(changes), as.rank, admission.among, ranked_words(as, view));
  };
  page.line(say("Least change: {}", told(admission.changes, *admission.as)), 14);
  if (admission.cheaper_as) page.line(say("Cheaper: {}", told(admission.cheaper, *admission.cheaper_as)), 9);
  if (admission.others.empty()) return;
  std::string others;
  for (const answer::Change& change : admission.others) others += (others.empty() ? "" : " · ") + change_text(change);
  page.line(say("Or one of: {}", others), 11);
}

}  // namespace

Json tree_json(const Branch& branch) {
  const physics::TraceLine& line = branch.line;
  Json children = list_json(branch.children, [](const Branch& child) { return tree_json(child); });
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

Document explanation_page(const ExplainView& view, bool all) {
  Document page;
  const std::string ends =
      view.limits != nullptr ? end_words(view.advice.work, *view.limits, view.advice.currency) : std::string();
  page.title(spoken_question(view.advice.work) + ends).gap();
  if (view.kind == "rank")
    add_rank(page, view);
  else if (view.kind == "rejection")
    add_rejection(page, view);
  else
    page.line(say("{} in this answer", printable(view.name)));
  const bool of_tree = view.kind != "rank" && view.kind != "rejection";
  if (!all && !of_tree) return page.line(secondary(say("Every figure and its source: --explain")));
  page.gap().line(say("assumed: {}", assumed_line(view.advice.assumed)));
  add_use(page, view.advice);
  return page.derivation(derivation_of(view.tree));
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
