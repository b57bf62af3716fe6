#include "report/recommend.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "gpusel/base/joined.hpp"
#include "gpusel/base/message.hpp"
#include "gpusel/base/name.hpp"
#include "gpusel/base/number.hpp"
#include "gpusel/base/text.hpp"
#include "gpusel/catalog/own_prices.hpp"
#include "report/candidate.hpp"
#include "report/estimate.hpp"

namespace gpusel::report {

namespace {

using advise::Advice;
using advise::Recommendation;

std::string egress_text(const Advice& advice, const Recommendation& r) {
  const double mbps = advice.work.counted->egress_mbps;
  if (!r.cost.egress_hourly())
    return say("   traffic to the internet at {:.3g} Mbit/s each: its price at {} is not known", mbps,
               printable(r.instance->provider));
  return say("   traffic to the internet at {:.3g} Mbit/s each: {} {} of a mean hour, in the total", mbps,
             human_price(*r.cost.egress_hourly()), advice.currency.code());
}

std::string warned_rules(const Recommendation& r) {
  std::string text;
  for (const auto& remark : r.remarks)
    if (remark.severity == rules::Effect::warn) text += (text.empty() ? "" : ", ") + remark.rule;
  return text;
}

bool is_shown(const Recommendation& r, const RecommendView& view) {
  return view.limit == 0 || static_cast<std::size_t>(r.rank) <= view.limit;
}

/// Whether the rows shown are on more than one term.
bool mixes_terms(const Advice& advice, const RecommendView& view) {
  const auto& all = advice.recommendations;
  return std::any_of(all.begin(), all.end(), [&](const Recommendation& r) {
    return is_shown(r, view) && r.offer->term != all.front().offer->term;
  });
}

/// One column of the ranking.
struct RankColumn {
  Column column;
  std::function<Cell(const Recommendation&)> cell;
};

std::vector<RankColumn> rank_columns(const Advice& advice, const RecommendView& view) {
  const auto& counted = advice.work.counted;
  const bool whole_job = advice.work.ends();
  const std::string currency(advice.currency.code());
  const std::string per =
      counted ? format("{}/{}", currency, say_name(counted->unit.column)) : say("{}/M tok", currency);
  const auto price_each = [&advice](const Recommendation& r) -> Cell {
    const auto& each = advice.work.counted ? r.cost.per_unit : r.cost.per_million_tokens;
    return each ? human_price(*each) : "-";
  };
  using One = const Recommendation&;
  std::vector<RankColumn> columns;
  // The last of a column is its place on a page.
  const auto add = [&](bool has, Column column, std::function<Cell(One)> cell) {
    if (has) columns.push_back({std::move(column), std::move(cell)});
  };
  add(true, {"#", Align::right, 0, 0, {}, 0}, [](One r) { return format("{}", r.rank); });
  add(true, {say("score"), Align::right, 2, 0, {}, 10}, [](One r) { return format("{:.1f}", r.score); });
  add(true, {say("instance"), Align::left, 0, 18, {}, 1}, [](One r) { return printable(instance_name(r)); });
  add(true, {say("region"), Align::left, 3, 9, {}, 6}, [](One r) { return printable(r.region->id); });
  add(mixes_terms(advice, view), {say("term"), Align::left, 0, 0, {}, 7},
      [](One r) { return std::string(to_text(r.offer->term)); });
  add(true, {say("GPUs"), Align::left, 0, 0, {}, 5}, [](One r) { return gpus_text(r); });
  add(has_plan(advice.work), {say("plan"), Align::left, 4, 24, {}, 12},
      [&advice](One r) { return plan_text(advice.work, r); });
  add(true, {say("GiB/GPU"), Align::right, 2, 0, {}, 9},
      [](One r) { return format("{:.0f}/{:.0f}", in_gib(r.memory().total()), in_gib(r.machine().memory())); });
  add(true, {whole_job ? say("time") : say("speed"), Align::right, 0, 0, {}, 4},
      [&advice](One r) { return speed_text(advice.work, r); });
  add(true, {currency + "/h", Align::right, 0, 0, {}, 2}, [](One r) { return human_price(r.cost.hourly); });
  add(whole_job, {say("{} total", currency), Align::right, 0, 0, {}, 3},
      [](One r) { return human_price(r.cost.total); });
  add(!whole_job, {per, Align::right, 0, 0, {}, 3}, price_each);
  add(true, {say("price of"), Align::left, 1, 0, {}, 8}, [](One r) { return price_date(r); });
  add(view.wide && whole_job, {per, Align::right, 0, 0, {}, 8}, price_each);
  add(view.wide, {say("pareto"), Align::left, 0, 0, {}, 11},
      [](One r) { return r.pareto ? say("yes") : std::string(); });
  add(view.wide, {say("warnings"), Align::left, 0, 0, {}, 13}, [](One r) { return warned_rules(r); });
  return columns;
}

Table ranking(const Advice& advice, const RecommendView& view) {
  const std::vector<RankColumn> columns = rank_columns(advice, view);
  std::vector<Column> titles;
  for (const RankColumn& one : columns) titles.push_back(one.column);
  Table table(std::move(titles));
  for (const Recommendation& r : advice.recommendations) {
    if (!is_shown(r, view)) break;
    std::vector<Cell> cells;
    for (const RankColumn& one : columns) cells.push_back(one.cell(r));
    table.add(std::move(cells));
  }
  return table;
}

Document header(const Advice& advice, const catalog::Catalog& catalog) {
  std::vector<Currency> converted;
  for (const Recommendation& r : advice.recommendations)
    if (r.cost.exchange) converted.push_back(r.cost.published.currency);
  Document page;
  page.title(job_line(advice.work)).line(say("assumed: {}", assumed_line(advice.assumed)));
  return page.line(prices_line(advice, catalog, converted)).gap();
}

/// What 80 of 100 measurements of this plan should show.
std::string range_text(const Advice& advice, const Recommendation& r) {
  if (const auto& counted = advice.work.counted)
    return say("80 of 100 runs {} to {} {}", human_number(r.intervals.throughput.low),
               human_number(r.intervals.throughput.high), say_name(counted->unit.rate));
  const bool in_tokens = workload::is_training(advice.work.task) || advice.work.model->is_generator();
  const auto& range = in_tokens ? r.intervals.tokens_per_s : r.intervals.sequences_per_s;
  return say("80 of 100 runs {} to {} {}", human_number(range.low), human_number(range.high),
             in_tokens ? say("tokens/s") : say("sequences/s"));
}

/// One answer in words, with every warning.
void add_in_words(Document& page, const Recommendation& r, const Advice& advice, const catalog::Catalog& catalog,
                  bool explain) {
  page.line(say("{}. {}: {}", r.rank, printable(instance_name(r)), clauses(r.reasons)), 3);
  const std::string plan = plan_text(advice.work, r), range = range_text(advice, r);
  page.line(plan.empty() ? format("   {}", range) : say("   plan: {}; {}", plan, range), 5);
  if (advice.work.counted && advice.work.counted->sends_traffic()) page.line(egress_text(advice, r), 5);
  if (!r.instance->caution.empty()) page.line(say("   note: {}", printable(r.instance->caution)), 5);
  if (explain) {
    std::string score;
    for (const auto& part : r.parts)
      score += (score.empty() ? "" : " + ") +
               say("{} {:.1f} ({:.2f} × {:.3f})", say_name(part.name), part.points, part.weight, part.value);
    page.line(say("   score {:.1f} = {}", r.score, score), 5);
  }
  const catalog::Origin& origin = catalog.origin_of(*r.offer);
  if (explain || catalog::is_own(origin))
    page.line(say("   price: {} {} per hour, {}, {} ({})", human_price(r.cost.published.amount),
                  r.cost.published.currency.code(), price_date(r),
                  origin.source.empty() ? say("no source") : printable(origin.source), said(origin.confidence)),
              5);
  for (const auto& remark : r.remarks) {
    page.line(say("   {}: {} [{}]", said(remark.severity), printable(remark.message), remark.rule), 5);
    if (explain) page.line(say("     source: {}", printable(remark.source)), 7);
  }
}

/// Which of the rows below the best are warned of what; --explain says it in full.
void add_warned_rows(Document& page, const Advice& advice, const RecommendView& view) {
  std::map<std::string, std::string> rows;
  for (const Recommendation& r : advice.recommendations)
    for (const auto& remark : r.remarks)
      if (is_shown(r, view) && remark.severity == rules::Effect::warn && r.rank > 1)
        rows[remark.rule] += format(" #{}", r.rank);
  std::string list;
  for (const auto& [rule, ranks] : rows) list += format("{}{}{}", list.empty() ? "" : ", ", rule, ranks);
  if (!list.empty()) page.line(say("warnings: {}; --explain says more", list));
}

Table every_rejection(const Advice& advice) {
  Table table({{say("provider"), Align::left, 0},
               {say("instance"), Align::left, 0, 16},
               {say("rule"), Align::left, 0},
               {say("reason"), Align::left, 0, 20}});
  for (const auto& rejection : advice.rejected)
    table.add({std::string(rejection.instance->provider), printable(rejection.instance->sku), rejection.rule,
               printable(rejection.message)});
  return table;
}

Table rules_and_examples(const std::vector<RejectedGroup>& groups) {
  Table table({{say("instances"), Align::right, 0},
               {say("rule"), Align::left, 0},
               {say("for example"), Align::left, 0},
               {say("reason"), Align::left, 0}});
  for (const RejectedGroup& one : groups) {
    const advise::Rejection& first = *one.rejections.front();
    table.add({format("{}", one.instances), one.rule,
               format("{} {}", first.instance->provider, printable(first.instance->sku)), printable(first.message)});
  }
  return table;
}

Document rejected(const Advice& advice, const RecommendView& view) {
  Document page;
  if (advice.rejected.empty()) return page;
  const std::vector<RejectedGroup> groups = rejected_by_rule(advice);
  int total = 0;
  for (const RejectedGroup& one : groups) total += one.instances;
  const std::string head = say("rejected: {} instances", total);
  page.page_heading(say("rejected"));
  if (view.show_rejected) return page.line(head).add(every_rejection(advice));
  page.line(head, 2, Where::page).add(rules_and_examples(groups), Where::page);
  std::string list;
  for (const RejectedGroup& one : groups) list += (list.empty() ? "" : ", ") + format("{} {}", one.rule, one.instances);
  return page.line(say("rejected: {} instances ({}); --show-rejected tells why", total, list), 2, Where::terminal);
}

/// "offline rendering → … → spot".
std::string decision_line(const Advice& advice) {
  std::string line;
  for (const std::string& step : advice.decision) line += (line.empty() ? "" : " → ") + step;
  return line.empty() ? line : say("decision: {}", printable(line));
}

void add_reasons(Document& page, const Advice& advice, const catalog::Catalog& catalog, const RecommendView& view) {
  page.page_heading(say("reasons and warnings"));
  const std::size_t shown = view.explain ? (view.limit > 0 ? view.limit : advice.recommendations.size()) : 1;
  for (const Recommendation& r : advice.recommendations)
    if (static_cast<std::size_t>(r.rank) <= shown) add_in_words(page, r, advice, catalog, view.explain);
  if (!view.explain) add_warned_rows(page, advice, view);
}

}  // namespace

std::vector<RejectedGroup> rejected_by_rule(const Advice& advice) {
  std::map<std::string, RejectedGroup> rules;
  for (const advise::Rejection& one : advice.rejected) {
    RejectedGroup& group = rules[one.rule];
    group.rule = one.rule;
    group.instances += one.count;
    group.rejections.push_back(&one);
  }
  std::vector<RejectedGroup> groups;
  for (auto& [rule, group] : rules) groups.push_back(std::move(group));
  std::ranges::stable_sort(groups, std::greater{}, &RejectedGroup::instances);
  return groups;
}

Document recommend_page(const Advice& advice, const catalog::Catalog& catalog, const RecommendView& view) {
  Document page = header(advice, catalog);
  if (advice.recommendations.empty()) {
    page.line(say("no instance meets this"));
  } else {
    page.add(ranking(advice, view));
    if (view.limit > 0 && advice.recommendations.size() > view.limit)
      page.line(secondary(say("{} more, --limit {} shows all", advice.recommendations.size() - view.limit,
                              advice.recommendations.size())));
    add_reasons(page.gap(), advice, catalog, view);
  }
  page.gap();
  if (!advice.alternatives.empty()) page.page_heading(say("alternatives"));
  for (const auto& alternative : advice.alternatives) page.line(say("alternative: {}", alternative.message));
  if (!advice.notes.empty()) page.page_heading(say("notes"));
  for (const std::string& note : advice.notes) page.line(say("note: {}", note));
  // On a page the decision does not belong to the table of what was rejected.
  const std::string decision = decision_line(advice);
  if (!decision.empty()) page.line(decision, 2, Where::page);
  page.append(rejected(advice, view));
  return decision.empty() ? page : page.line(decision, 2, Where::terminal);
}

}  // namespace gpusel::report
