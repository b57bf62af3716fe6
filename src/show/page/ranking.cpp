// Every answer in one table, and what rules say: warnings, rejections, other ways to ask, and the steps to the answer.
#include <algorithm>

#include "base/words/message.hpp"
#include "show/job/recommend.hpp"
#include "show/page/parts.hpp"

namespace gpusel::show {

namespace {

using answer::Recommendation;

/// One rule, with all the ranks that it speaks of.
struct Verdict {
  const answer::Remark* first = nullptr;
  std::vector<int> ranks;
};

std::vector<Verdict> verdicts_of(const answer::Advice& advice) {
  std::vector<Verdict> all;
  for (const Recommendation& r : advice.recommendations)
    for (const answer::Remark& remark : r.remarks) {
      auto found = std::find_if(all.begin(), all.end(), [&](const Verdict& v) { return v.first->rule == remark.rule; });
      if (found == all.end()) found = all.insert(all.end(), Verdict{&remark, {}});
      if (found->ranks.empty() || found->ranks.back() != r.rank) found->ranks.push_back(r.rank);
    }
  std::stable_sort(all.begin(), all.end(),
                   [](const Verdict& a, const Verdict& b) { return a.first->severity < b.first->severity; });
  return all;
}

Fold rejected_fold(const RejectedGroup& group) {
  Table table({left(say("Instance")), right(say("Sizes")), left(say("Reason"), 0, 20)});
  for (const answer::Rejection* one : group.rejections)
    table.add({format("{} {}", one->instance->provider, one->instance->sku), format("{}", one->count), one->message});
  return {"reason",
          Text(group.rule, Meaning::code).add(" ").add(group.rejections.front()->message, Meaning::secondary),
          static_cast<std::size_t>(group.instances),
          group.rule,
          {{std::move(table)}}};
}

}  // namespace

void add_ranking(Document& page, const ReportView& view) {
  const answer::Advice& advice = view.advice;
  if (advice.recommendations.empty()) return;
  page.add(Heading{say("Ranking"), 2, "ranking"});
  page.line(say(
      "{} instances qualify, each at its best price. On the frontier: those that no other beats in both cost and {}.",
      advice.recommendations.size(),
      advice.work.ends()                                           ? say("time")
      : advice.work.inference.request_rate && !advice.work.counted ? say("latency")
                                                                   : say("throughput")));
  page.add(ranking_table(advice, {.limit = 0, .sortable = true}));
}

void add_warnings(Document& page, const ReportView& view) {
  Table table({left(say("What"), 0, 20), left(say("rule")), left(say("source")), left(say("Ranks"), 0, 20)});
  table.columns[1].below = table.columns[2].below = 0;
  for (const Verdict& one : verdicts_of(view.advice)) {
    const answer::Remark& first = *one.first;
    Row& row = table.add(
        {format("{}: {}", said(first.severity), first.message), first.rule, first.source, ranks_text(one.ranks)});
    if (first.severity == rules::Effect::warn) row.meaning = Meaning::warn;
    row.facts = {{"rule", first.rule}};
  }
  if (table.empty()) return;
  page.add(Heading{say("Warnings and notes"), 2, "warnings"});
  page.line(secondary(say("In the words used for the first rank concerned; the rule and its source are below.")));
  page.add(std::move(table));
}

void add_alternatives(Document& page, const ReportView& view) {
  List list;
  for (const answer::Alternative& one : view.advice.alternatives) list.items.emplace_back(one.message);
  if (!list.items.empty()) page.add(Heading{say("Alternatives"), 2, "alternatives"}).add(std::move(list));
}

void add_rejected(Document& page, const ReportView& view) {
  const std::vector<RejectedGroup> groups = rejected_by_rule(view.advice);
  if (groups.empty()) return;
  int total = 0;
  for (const RejectedGroup& group : groups) total += group.instances;
  page.add(Heading{say("Rejected"), 2, "rejected"});
  page.line(
      say("{} instances, each with the first rule that it fails; sizes of a family that fail the same way share a row.",
          total));
  for (const RejectedGroup& group : groups) page.add(rejected_fold(group));
}

void add_decision(Document& page, const ReportView& view) {
  List steps{{}, List::Kind::steps};
  for (const std::string& step : view.advice.decision) steps.items.emplace_back(step);
  if (!steps.items.empty()) page.add(Heading{say("How the answer was computed"), 2, "decision"}).add(std::move(steps));
}

}  // namespace gpusel::show
