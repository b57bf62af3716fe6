// Every answer in one table, and what rules say: warnings, rejections, other ways to ask, and the steps to the answer.
#include <algorithm>

#include "gpusel/base/message.hpp"
#include "gpusel/base/name.hpp"
#include "gpusel/base/number.hpp"
#include "gpusel/base/text.hpp"
#include "report/candidate.hpp"
#include "report/page/parts.hpp"
#include "report/recommend.hpp"

namespace gpusel::report {

namespace {

using advise::Recommendation;

std::string gpu_id(const Recommendation& r) { return r.gpu != nullptr ? std::string(r.gpu->id) : say("CPU"); }

Table empty_ranking(const advise::Advice& advice) {
  const std::string currency(advice.currency.code());
  const auto& counted = advice.work.counted;
  const std::string each = counted ? format("{}/{}", currency, counted->unit.column) : say("{}/M tok", currency);
  const bool whole = advice.work.ends();
  Table table({{"#", Align::right, 0},
               {say("Instance"), Align::left, 0, 18},
               {say("GPUs and plan"), Align::left, 1, 24},
               {whole ? say("{} total", currency) : each, Align::right, 0},
               {currency + "/h", Align::right, 0},
               {whole ? say("Time") : say("Speed"), Align::right, 0},
               {say("GiB/GPU"), Align::right, 3},
               {say("Score"), Align::right, 2},
               {say("Price of"), Align::left, 1},
               {say("Frontier"), Align::left, 2},
               {say("Warnings"), Align::right, 1}});
  table.columns.back().link = "warnings";
  table.folded = 2;
  table.sorting = {say("Ranking"), {{"provider", say("Provider")}, {"gpu", say("GPU")}, {"term", say("Term")}}};
  return table;
}

Cell with_below(Cell cell, std::string below) {
  cell.below = std::move(below);
  return cell;
}

Cell warnings_cell(const Recommendation& r) {
  int count = 0;
  std::string rules;
  for (const auto& remark : r.remarks) {
    if (remark.severity != rules::Effect::warn) continue;
    ++count;
    rules += (rules.empty() ? "" : ", ") + remark.rule;
  }
  Cell cell(count > 0 ? format("{}", count) : std::string(), format("{}", count));
  cell.tip = std::move(rules);
  return cell;
}

void add_row(Table& table, const advise::Advice& advice, const Recommendation& r) {
  const bool whole = advice.work.ends();
  const std::optional<double> each = advice.work.counted ? r.cost.per_unit : r.cost.per_million_tokens;
  const std::optional<double> paid = whole ? std::optional(r.cost.total) : each;
  const double need = in_gib(r.memory().total()), have = in_gib(r.machine().memory());
  Row& row = table.add(
      {figure_cell(format("{}", r.rank), r.rank),
       with_below(instance_name(r), format("{} · {}", r.region->id, to_text(r.offer->term))),
       with_below(gpus_text(r), plan_text(advice.work, r)), figure_cell(paid ? human_price(*paid) : "–", paid),
       figure_cell(human_price(r.cost.hourly), r.cost.hourly),
       figure_cell(speed_text(advice.work, r), whole ? r.cost.hours : plan::rate_of(r.choice())),
       figure_cell(format("{:.0f} / {:.0f}", need, have), need), figure_cell(format("{:.1f}", r.score), r.score),
       price_date(r), r.pareto ? say("yes") : std::string(), warnings_cell(r)});
  if (r.rank == 1) row.meaning = Meaning::best;
  row.facts = {{"rank", format("{}", r.rank)},
               {"provider", std::string(r.instance->provider)},
               {"gpu", gpu_id(r)},
               {"term", std::string(to_text(r.offer->term))}};
}

/// One rule, with all the ranks that it speaks of.
struct Verdict {
  const advise::Remark* first = nullptr;
  std::vector<int> ranks;
};

std::vector<Verdict> verdicts_of(const advise::Advice& advice) {
  std::vector<Verdict> all;
  for (const Recommendation& r : advice.recommendations)
    for (const advise::Remark& remark : r.remarks) {
      auto found = std::find_if(all.begin(), all.end(), [&](const Verdict& v) { return v.first->rule == remark.rule; });
      if (found == all.end()) found = all.insert(all.end(), Verdict{&remark, {}});
      if (found->ranks.empty() || found->ranks.back() != r.rank) found->ranks.push_back(r.rank);
    }
  std::stable_sort(all.begin(), all.end(),
                   [](const Verdict& a, const Verdict& b) { return a.first->severity < b.first->severity; });
  return all;
}

Fold rejected_fold(const RejectedGroup& group) {
  Table table(
      {{say("Instance"), Align::left, 0}, {say("Sizes"), Align::right, 0}, {say("Reason"), Align::left, 0, 20}});
  for (const advise::Rejection* one : group.rejections)
    table.add({format("{} {}", one->instance->provider, one->instance->sku), format("{}", one->count), one->message});
  return {"reason",
          Text(group.rule, Meaning::code).add(" ").add(group.rejections.front()->message, Meaning::secondary),
          static_cast<std::size_t>(group.instances),
          group.rule,
          {{std::move(table)}}};
}

}  // namespace

void add_ranking(Document& page, const ReportView& view) {
  const advise::Advice& advice = view.advice;
  if (advice.recommendations.empty()) return;
  page.add(Heading{say("Ranking"), 2, "ranking"});
  page.line(
      say("{} instances meet this, each at its best price. On the frontier is what nothing beats in both cost and {}.",
          advice.recommendations.size(),
          advice.work.ends()                                            ? say("time")
          : advice.work.inference.request_rate && !advice.work.counted ? say("latency")
                                                                       : say("throughput")));
  Table table = empty_ranking(advice);
  for (const Recommendation& r : advice.recommendations) add_row(table, advice, r);
  page.add(std::move(table));
}

void add_warnings(Document& page, const ReportView& view) {
  Table table({{say("What"), Align::left, 0, 20}, {say("Ranks"), Align::left, 0, 20}});
  for (const Verdict& one : verdicts_of(view.advice)) {
    const advise::Remark& first = *one.first;
    Row& row = table.add({with_below(format("{}: {}", said(first.severity), first.message),
                                     first.source.empty() ? first.rule : format("{} · {}", first.rule, first.source)),
                          ranks_text(one.ranks)});
    if (first.severity == rules::Effect::warn) row.meaning = Meaning::warn;
    row.facts = {{"rule", first.rule}};
  }
  if (table.empty()) return;
  page.add(Heading{say("Warnings and notes"), 2, "warnings"});
  page.line(secondary(say("In the words said of the first rank concerned; the rule and its source stand below.")));
  page.add(std::move(table));
}

void add_alternatives(Document& page, const ReportView& view) {
  List list;
  for (const advise::Alternative& one : view.advice.alternatives) list.items.emplace_back(one.message);
  if (!list.items.empty()) page.add(Heading{say("Alternatives"), 2, "alternatives"}).add(std::move(list));
}

void add_rejected(Document& page, const ReportView& view) {
  const std::vector<RejectedGroup> groups = rejected_by_rule(view.advice);
  if (groups.empty()) return;
  int total = 0;
  for (const RejectedGroup& group : groups) total += group.instances;
  page.add(Heading{say("Rejected"), 2, "rejected"});
  page.line(
      say("{} instances, each for the first rule that it fails; the sizes of a family that fail alike stand in one "
          "row.",
          total));
  for (const RejectedGroup& group : groups) page.add(rejected_fold(group));
}

void add_decision(Document& page, const ReportView& view) {
  List steps{{}, List::Kind::steps};
  for (const std::string& step : view.advice.decision) steps.items.emplace_back(step);
  if (!steps.items.empty()) page.add(Heading{say("How the answer came about"), 2, "decision"}).add(std::move(steps));
}

}  // namespace gpusel::report
