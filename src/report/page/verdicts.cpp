// What rules say: warnings, rejections, other ways to ask, and the steps to the answer.
#include <algorithm>

#include "gpusel/base/message.hpp"
#include "gpusel/base/text.hpp"
#include "report/render/html.hpp"
#include "report/page/parts.hpp"

namespace gpusel::report {

namespace {

/// One rule, with all the ranks that it speaks of.
struct Verdict {
  const advise::Remark* first = nullptr;
  std::vector<int> ranks;
};

std::vector<Verdict> verdicts_of(const advise::Advice& advice) {
  std::vector<Verdict> all;
  for (const advise::Recommendation& r : advice.recommendations)
    for (const advise::Remark& remark : r.remarks) {
      auto found = std::find_if(all.begin(), all.end(), [&](const Verdict& v) { return v.first->rule == remark.rule; });
      if (found == all.end()) found = all.insert(all.end(), Verdict{&remark, {}});
      if (found->ranks.empty() || found->ranks.back() != r.rank) found->ranks.push_back(r.rank);
    }
  std::stable_sort(all.begin(), all.end(),
                   [](const Verdict& a, const Verdict& b) { return a.first->severity < b.first->severity; });
  return all;
}

/// Rejections by one rule.
struct VerdictGroup {
  std::string rule;
  int count = 0;
  std::vector<const advise::Rejection*> rejections;
};

std::vector<VerdictGroup> groups_of(const advise::Advice& advice) {
  std::vector<VerdictGroup> groups;
  for (const advise::Rejection& one : advice.rejected) {
    auto found = std::find_if(groups.begin(), groups.end(), [&](const VerdictGroup& g) { return g.rule == one.rule; });
    if (found == groups.end()) found = groups.insert(groups.end(), VerdictGroup{one.rule, 0, {}});
    found->count += one.count;
    found->rejections.push_back(&one);
  }
  std::stable_sort(groups.begin(), groups.end(), [](const VerdictGroup& a, const VerdictGroup& b) { return a.count > b.count; });
  return groups;
}

std::string group_html(const VerdictGroup& group) {
  std::string rows;
  for (const advise::Rejection* one : group.rejections)
    rows +=
        format("<tr><td>{} {}</td><td class=\"num\">{}</td><td class=\"text\">{}</td></tr>\n",
               html_text(one->instance->provider), html_text(one->instance->sku), one->count, html_text(one->message));
  return format(
      "<details class=\"reason\" data-rule=\"{0}\" data-count=\"{1}\"><summary><span "
      "class=\"count\">{1}</span><code>{0}</code> "
      "<span class=\"soft small\">{2}</span></summary>\n<div class=\"wide\"><table "
      "class=\"full\"><thead><tr><th>{3}</th><th "
      "class=\"num\">{4}</th><th>{5}</th></tr></thead><tbody>\n{6}</tbody></table></div></details>\n",
      html_text(group.rule), group.count, html_text(group.rejections.front()->message), html_text(say("Instance")),
      html_text(say("Sizes")), html_text(say("Reason")), rows);
}

}  // namespace

std::string warnings_html(const ReportView& view) {
  const std::vector<Verdict> all = verdicts_of(view.advice);
  if (all.empty()) return {};
  std::string rows;
  for (const Verdict& one : all) {
    const std::string source = one.first->source.empty() ? "" : " · " + html_text(one.first->source);
    rows += format(
        "<tr data-rule=\"{0}\"><td class=\"text\"><span class=\"level {1}\">{1}</span> {2}<span "
        "class=\"where\"><code>{0}</code>{3}</span></td><td class=\"text\">{4}</td></tr>\n",
        html_text(one.first->rule), to_text(one.first->severity), html_text(one.first->message), source,
        html_text(ranks_text(one.ranks)));
  }
  return html_section(
      say("Warnings and notes"),
      format("<p class=\"soft small\">{}</p>\n<div class=\"wide\"><table class=\"full\"><thead><tr><th>{}</th>"
             "<th>{}</th></tr></thead><tbody>\n{}</tbody></table></div>\n",
             html_text(say("In the words said of the first rank concerned; the rule and its source stand below.")),
             html_text(say("What")), html_text(say("Ranks")), rows),
      "warnings");
}

std::string alternatives_html(const ReportView& view) {
  std::string list;
  for (const advise::Alternative& one : view.advice.alternatives)
    list += format("<li>{}</li>\n", html_text(one.message));
  return list.empty() ? list : html_section(say("Alternatives"), "<ul>\n" + list + "</ul>\n", "alternatives");
}

std::string rejected_html(const ReportView& view) {
  const std::vector<VerdictGroup> groups = groups_of(view.advice);
  if (groups.empty()) return {};
  int total = 0;
  std::string list;
  for (const VerdictGroup& group : groups) {
    total += group.count;
    list += group_html(group);
  }
  return html_section(say("Rejected"),
                      html_paragraph(say("{} instances, each for the first rule that it fails; the sizes of a family "
                                         "that fail alike stand in one row.",
                                         total)) +
                          list,
                      "rejected");
}

std::string decision_html(const ReportView& view) {
  std::string steps;
  for (const std::string& step : view.advice.decision) steps += format("<li>{}</li>\n", html_text(step));
  return steps.empty()
             ? steps
             : html_section(say("How the answer came about"), "<ol class=\"steps\">\n" + steps + "</ol>\n", "decision");
}

}  // namespace gpusel::report
