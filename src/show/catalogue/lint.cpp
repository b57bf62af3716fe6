#include "show/catalogue/lint.hpp"

#include <algorithm>

#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::show {

namespace {

using catalog::CheckInfo;
using catalog::Finding;
using catalog::LintReport;

std::string line_of(const Finding& finding) {
  std::string line;
  const bool in_a_file = finding.subject.find(finding.place) == std::string::npos;
  if (in_a_file) line += printable(finding.place) + ": ";
  // What the reader refuses is about a file, which the place has named.
  if (!finding.place.starts_with(finding.subject)) line += printable(finding.subject) + ": ";
  line += printable(finding.message);
  add_clause(line, printable(finding.hint));
  return line;
}

bool shows(const Finding& finding, bool all) { return all || finding.accepted.empty(); }

}  // namespace

Document lint_page(const LintReport& report, bool all, bool counted) {
  Document page;
  page.page_title(say("Checks of the catalog")).line(lint_counts(report), 2, Where::page);
  if (!report.findings.empty()) page.add(lint_table(report, all), Where::page);
  for (const CheckInfo& check : catalog::lint_checks()) {
    Document found;
    for (const Finding& finding : report.findings) {
      if (finding.check != check.id || !shows(finding, all)) continue;
      found.line("  " + line_of(finding), 4);
      if (!finding.accepted.empty()) found.line("    " + say("accepted: {}", printable(finding.accepted)), 6);
    }
    if (found.empty()) continue;
    page.line(strong(say("{} ({}): {}", check.id, said(check.severity), say_text(check.what))), 4, Where::terminal);
    page.append(found.gap(), Where::terminal);
  }
  if (report.left_out > 0) page.line(say("{} more, counted but not listed", report.left_out));
  return counted ? page.line(lint_counts(report), 2, Where::terminal) : page;
}

std::string lint_counts(const LintReport& report) {
  std::string out = report.errors + report.warnings + report.infos == 0
                        ? say("nothing found")
                        : (report.errors == 1 ? say("1 error") : say("{} errors", report.errors)) + ", " +
                              (report.warnings == 1 ? say("1 warning") : say("{} warnings", report.warnings)) + ", " +
                              (report.infos == 1 ? say("1 info") : say("{} infos", report.infos));
  if (report.accepted > 0) add_clause(out, say("{} accepted", report.accepted));
  return out;
}

Table lint_table(const LintReport& report, bool all) {
  std::vector<Column> columns;
  for (const std::string_view title : {"id", "severity", "subject", "place", "message", "hint", "accepted"})
    columns.push_back({std::string(title)});
  Table table(std::move(columns));
  for (const Finding& finding : report.findings)
    if (shows(finding, all))
      table.add({std::string(finding.check), std::string(to_text(finding.severity)), printable(finding.subject),
                 printable(finding.place), printable(finding.message), printable(finding.hint),
                 printable(finding.accepted)});
  return table;
}

Json lint_json(const LintReport& report, bool all) {
  Json findings = Json::array();
  for (const Finding& finding : report.findings)
    if (shows(finding, all))
      findings.push_back({{"id", finding.check},
                          {"severity", to_text(finding.severity)},
                          {"subject", finding.subject},
                          {"place", text_or_null(finding.place)},
                          {"message", finding.message},
                          {"hint", text_or_null(finding.hint)},
                          {"accepted", text_or_null(finding.accepted)}});
  return {{"schema", "gpusel.lint/1"},
          {"findings", std::move(findings)},
          {"counts",
           {{"error", report.errors},
            {"warning", report.warnings},
            {"info", report.infos},
            {"accepted", report.accepted},
            {"left_out", report.left_out}}}};
}

Table check_table() {
  Table table({left(say("check")), left(say("severity"), 1), left(say("finds"), 0, 30)});
  for (const CheckInfo& check : catalog::lint_checks())
    table.add({std::string(check.id), said(check.severity), say_text(check.what)});
  return table;
}

Json check_json() {
  Json checks = list_json(catalog::lint_checks(), [](const CheckInfo& check) -> Json {
    return {{"id", check.id}, {"severity", to_text(check.severity)}, {"finds", check.what}};
  });
  return {{"schema", "gpusel.lint-checks/1"}, {"checks", std::move(checks)}};
}

}  // namespace gpusel::show
