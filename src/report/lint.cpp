#include "report/lint.hpp"

#include <algorithm>

#include "gpusel/base/joined.hpp"
#include "gpusel/base/message.hpp"
#include "gpusel/base/name.hpp"
#include "gpusel/base/text.hpp"

namespace gpusel::report {

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

std::string heading(const CheckInfo& check, const Terminal& terminal) {
  const std::string text = say("{} ({}): {}", check.id, said(check.severity), say_text(check.what));
  const std::string lines = wrap(text, terminal.width, 4);
  return bold(std::string_view(lines).substr(0, lines.size() - 1), terminal) + "\n";
}

bool shows(const Finding& finding, bool all) { return all || finding.accepted.empty(); }

}  // namespace

std::string lint_text(const LintReport& report, bool all, const Terminal& terminal) {
  if (terminal.width.is_markdown())
    return title(say("Checks of the catalogue"), terminal) + wrap(lint_counts(report), terminal.width, 2) +
           (report.findings.empty() ? std::string() : lint_table(report, all).text(terminal)) +
           (report.left_out > 0 ? wrap(say("{} more are counted and not listed", report.left_out), terminal.width, 2)
                                : std::string());
  std::string out;
  for (const CheckInfo& check : catalog::lint_checks()) {
    bool headed = false;
    for (const Finding& finding : report.findings) {
      if (finding.check != check.id || !shows(finding, all)) continue;
      if (!headed) out += heading(check, terminal);
      headed = true;
      out += wrap("  " + line_of(finding), terminal.width, 4);
      if (!finding.accepted.empty())
        out += wrap("    " + say("accepted: {}", printable(finding.accepted)), terminal.width, 6);
    }
    if (headed) out += "\n";
  }
  if (report.left_out > 0) out += say("{} more are counted and not listed", report.left_out) + "\n";
  return out;
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
  Table table({{say("check"), Align::left, 0}, {say("severity"), Align::left, 1}, {say("finds"), Align::left, 0, 30}});
  for (const CheckInfo& check : catalog::lint_checks())
    table.add({std::string(check.id), said(check.severity), say_text(check.what)});
  return table;
}

Json check_json() {
  Json checks = Json::array();
  for (const CheckInfo& check : catalog::lint_checks())
    checks.push_back({{"id", check.id}, {"severity", to_text(check.severity)}, {"finds", check.what}});
  return {{"schema", "gpusel.lint-checks/1"}, {"checks", std::move(checks)}};
}

}  // namespace gpusel::report
