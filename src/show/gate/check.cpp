#include "show/gate/check.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::show {

namespace {

using answer::PolicyOutcome;
using answer::PolicyResult;

/// What is read at a glance: how bad a finding is, or that there is none.
std::string outcome_text(const PolicyResult& result) {
  const bool allowed = result.verdict.outcome == PolicyOutcome::unknown && !result.is_finding();
  if (allowed) return say("unknown, allowed");
  if (!result.is_finding()) return say("pass");
  const std::string_view severity = to_text(result.policy->severity);
  const bool is_unknown = result.verdict.outcome == PolicyOutcome::unknown;
  if (result.policy->mode == answer::PolicyMode::audit)
    return is_unknown ? say("audit, {}: unknown", severity) : say("audit, {}", severity);
  return is_unknown ? say("{}: unknown", severity) : std::string(severity);
}

std::string place_of(const answer::Policy& policy) {
  return format("{}:{}:{}", policy.file, policy.line, policy.column);
}

bool is_closed(const CheckView& view) {
  return view.subjects.empty() || check_counts(view.results).blocking > 0 || !view.too_old.empty();
}

/// The verdict, and what it comes from.
std::string summary(const CheckView& view) {
  if (view.subjects.empty()) return say("no instance meets the job: there is nothing to judge");
  const CheckCounts counts = check_counts(view.results);
  std::string text = say("{}: passed {}, failed {}, unknown {}", is_closed(view) ? say("FAILED") : say("PASSED"),
                         counts.passed, counts.failed, counts.unknown);
  if (counts.blocking == 1) return text + say("; 1 finding blocks");
  if (counts.blocking > 1) return text + say("; {} findings block", counts.blocking);
  if (!view.too_old.empty()) return text + "; " + view.too_old;
  const auto audited = std::ranges::count_if(view.results, [](const PolicyResult& result) {
    return result.is_finding() && result.policy->severity == answer::PolicySeverity::error;
  });
  if (audited > 0) return text + say("; errors in files that only audit: {}", audited);
  return text + (counts.findings > 0 ? say("; no finding blocks") : std::string());
}

/// One finding down to its facts.
Document explanation(const PolicyResult& result, const CheckView& view) {
  const answer::Policy& policy = *result.policy;
  const answer::PolicySubject& subject = *result.subject;
  const std::pair<std::string, std::string> facts[] = {
      {say("instance"), say("rank {}, {}/{} in {}", subject.rank, subject.provider, subject.sku,
                            subject.region.empty() ? "?" : subject.region)},
      {say("finding"), result.verdict.message},
      {say("demand"),
       policy.kind == "rule" ? say("rule: {}", policy.limit) : format("{}: {}", policy.kind, policy.limit)},
      {say("violated where"), result.verdict.condition},
      {say("found"), result.verdict.facts},
      {say("facts of"), view.saved ? say("{}, and the catalog", view.answer) : say("this answer")},
      {say("price date"),
       format("{} {}", subject.priced.known() ? subject.priced.text() : say("unknown"), subject.price_source)},
      {say("reason"), policy.reason},
      {say("place"), place_of(policy)}};
  Document out;
  out.heading(format("{} ({})", printable(policy.id), outcome_text(result)));
  for (const auto& [label, text] : facts)
    if (!text.empty()) out.line(format("  {}: {}", label, printable(text)), 4);
  return out;
}

Json policy_json(const answer::Policy& policy) {
  return {{"id", policy.id},
          {"kind", policy.kind},
          {"limit", policy.limit},
          {"severity", to_text(policy.severity)},
          {"mode", to_text(policy.mode)},
          {"unknown", to_text(policy.unknown)},
          {"reason", text_or_null(policy.reason)},
          {"url", text_or_null(policy.url)},
          {"file", policy.file},
          {"line", policy.line},
          {"column", policy.column}};
}

}  // namespace

CheckCounts check_counts(std::span<const PolicyResult> results) {
  CheckCounts counts;
  for (const PolicyResult& result : results) {
    counts.passed += result.verdict.outcome == PolicyOutcome::pass ? 1 : 0;
    counts.failed += result.verdict.outcome == PolicyOutcome::fail ? 1 : 0;
    counts.unknown += result.verdict.outcome == PolicyOutcome::unknown ? 1 : 0;
    counts.findings += result.is_finding() ? 1 : 0;
    counts.blocking += result.blocks() ? 1 : 0;
  }
  return counts;
}

Json check_json(const CheckView& view) {
  Json results = list_json(view.results, [](const PolicyResult& result) -> Json {
    return {{"policy", result.policy->id},
            {"rank", result.subject->rank},
            {"provider", result.subject->provider},
            {"sku", result.subject->sku},
            {"region", text_or_null(result.subject->region)},
            {"outcome", to_text(result.verdict.outcome)},
            {"severity", to_text(result.policy->severity)},
            {"message", text_or_null(result.verdict.message)},
            {"condition", text_or_null(result.verdict.condition)},
            {"facts", text_or_null(result.verdict.facts)},
            {"finding", result.is_finding()},
            {"blocks", result.blocks()}};
  });
  const CheckCounts counts = check_counts(view.results);
  return {{"schema", "gpusel.check/1"},
          {"answer", {{"origin", view.saved ? "saved" : "asked"}, {"name", view.answer}}},
          {"assumed", {{"today", view.today.text()}}},
          {"judged", view.subjects.size()},
          {"policies", list_json(view.policies, policy_json)},
          {"results", std::move(results)},
          {"counts",
           {{"passed", counts.passed},
            {"failed", counts.failed},
            {"unknown", counts.unknown},
            {"findings", counts.findings},
            {"blocking", counts.blocking}}},
          {"too_old", text_or_null(view.too_old)},
          {"status", view.status}};
}

Table check_results(const CheckView& view, bool all_columns) {
  const bool one = view.subjects.size() == 1 && !all_columns;  // then the heading names it
  std::vector<Column> columns{left(say("policy"), 0, 12, "policy"), left(say("outcome"), 0, 0, "outcome"),
                              left(say("finding"), 0, 24, "message")};
  if (!one) columns.insert(columns.begin(), {right("#", 0, 0, "rank"), left(say("instance"), 1, 18, "instance")});
  if (all_columns)
    for (const auto& [title, key] :
         {std::pair(say("demand"), "kind"), std::pair(say("limit"), "limit"), std::pair(say("mode"), "mode"),
          std::pair(say("reason"), "reason"), std::pair(say("place"), "place")})
      columns.push_back(left(title, 0, 0, key));
  Table table(std::move(columns));
  for (const PolicyResult& result : view.results) {
    const answer::Policy& policy = *result.policy;
    std::vector<Cell> cells{printable(policy.id), outcome_text(result), printable(result.verdict.message)};
    if (!one)
      cells.insert(cells.begin(), {Cell(format("{}", result.subject->rank)),
                                   Cell(printable(result.subject->provider + "/" + result.subject->sku))});
    if (all_columns)
      for (const std::string& text : {policy.kind, printable(policy.limit), std::string(to_text(policy.mode)),
                                      printable(policy.reason), printable(place_of(policy))})
        cells.emplace_back(text);
    table.add(std::move(cells));
  }
  return table;
}

Document check_page(const CheckView& view, bool all) {
  Document page;
  page.page_title(say("Check of {}", view.answer));
  page.line(Text(summary(view), is_closed(view) ? Meaning::warn : Meaning::best))
      .add(Code{view.answer}, Where::terminal);
  if (!all && view.subjects.size() == 1) {
    const answer::PolicySubject& subject = view.subjects.front();
    page.line(say("rank {}: {}/{} in {}", subject.rank, printable(subject.provider), printable(subject.sku),
                  subject.region.empty() ? "?" : printable(subject.region)));
  }
  if (Table table = check_results(view, all); !table.empty()) page.add(std::move(table));
  for (const PolicyResult& result : view.results)
    if (view.explains && result.is_finding()) page.append(explanation(result, view));
  return page;
}

}  // namespace gpusel::show
