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
#include "report/table.hpp"

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
  int in_document;  // its place on a page, where a narrow window shows the first ones
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
  std::vector<RankColumn> columns{
      {{"#", Align::right, 0}, 0, [](One r) { return format("{}", r.rank); }},
      {{say("score"), Align::right, 2}, 10, [](One r) { return format("{:.1f}", r.score); }},
      {{say("instance"), Align::left, 0, 18}, 1, [](One r) { return printable(instance_name(r)); }},
      {{say("region"), Align::left, 3, 9}, 6, [](One r) { return printable(r.region->id); }}};
  const auto add = [&](bool has, RankColumn column) {
    if (has) columns.push_back(std::move(column));
  };
  add(mixes_terms(advice, view),
      {{say("term"), Align::left, 0}, 7, [](One r) { return std::string(to_text(r.offer->term)); }});
  add(true, {{say("GPUs"), Align::left, 0}, 5, [](One r) { return gpus_text(r); }});
  add(has_plan(advice.work),
      {{say("plan"), Align::left, 4, 24}, 12, [&advice](One r) { return plan_text(advice.work, r); }});
  add(true, {{say("GiB/GPU"), Align::right, 2}, 9, [](One r) {
               return format("{:.0f}/{:.0f}", in_gib(r.memory().total()), in_gib(r.machine().memory()));
             }});
  add(true, {{whole_job ? say("time") : say("speed"), Align::right, 0}, 4, [&advice](One r) {
               return speed_text(advice.work, r);
             }});
  add(true, {{currency + "/h", Align::right, 0}, 2, [](One r) { return human_price(r.cost.hourly); }});
  add(whole_job, {{say("{} total", currency), Align::right, 0}, 3, [](One r) { return human_price(r.cost.total); }});
  add(!whole_job, {{per, Align::right, 0}, 3, price_each});
  add(true, {{say("price of"), Align::left, 1}, 8, [](One r) { return price_date(r); }});
  add(view.wide && whole_job, {{per, Align::right, 0}, 8, price_each});
  add(view.wide, {{say("pareto"), Align::left, 0}, 11, [](One r) { return r.pareto ? say("yes") : std::string(); }});
  add(view.wide, {{say("warnings"), Align::left, 0}, 13, [](One r) { return warned_rules(r); }});
  return columns;
}

Table make_table(const Advice& advice, const RecommendView& view, const Terminal& terminal) {
  std::vector<RankColumn> columns = rank_columns(advice, view);
  if (terminal.width.is_markdown()) std::ranges::stable_sort(columns, {}, &RankColumn::in_document);
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

std::string header(const Advice& advice, const catalog::Catalog& catalog, const Terminal& terminal) {
  std::string out = title(job_line(advice.work), terminal);
  out += wrap(say("assumed: {}", assumed_line(advice.assumed)), terminal.width, 2);
  std::vector<Currency> converted;
  for (const Recommendation& r : advice.recommendations)
    if (r.cost.exchange) converted.push_back(r.cost.published.currency);
  return out + wrap(prices_line(advice, catalog, converted), terminal.width, 2);
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

/// The best answer in words, with every warning.
std::string best_in_words(const Advice& advice, const catalog::Catalog& catalog, const RecommendView& view,
                          const Terminal& terminal) {
  std::string out;
  const std::size_t shown = view.explain ? (view.limit > 0 ? view.limit : advice.recommendations.size()) : 1;
  for (const Recommendation& r : advice.recommendations) {
    if (static_cast<std::size_t>(r.rank) > shown) break;
    out += wrap(say("{}. {}: {}", r.rank, printable(instance_name(r)), clauses(r.reasons)), terminal.width, 3);
    const std::string plan = plan_text(advice.work, r);
    out += wrap(
        plan.empty() ? format("   {}", range_text(advice, r)) : say("   plan: {}; {}", plan, range_text(advice, r)),
        terminal.width, 5);
    if (advice.work.counted && advice.work.counted->sends_traffic())
      out += wrap(egress_text(advice, r), terminal.width, 5);
    if (!r.instance->caution.empty())
      out += wrap(say("   note: {}", printable(r.instance->caution)), terminal.width, 5);
    if (view.explain) {
      std::string score;
      for (const auto& part : r.parts)
        score += (score.empty() ? "" : " + ") +
                 say("{} {:.1f} ({:.2f} × {:.3f})", say_name(part.name), part.points, part.weight, part.value);
      out += wrap(say("   score {:.1f} = {}", r.score, score), terminal.width, 5);
    }
    const catalog::Origin& origin = catalog.origin_of(*r.offer);
    if (view.explain || catalog::is_own(origin))
      out += wrap(say("   price: {} {} per hour, {}, {} ({})", human_price(r.cost.published.amount),
                      r.cost.published.currency.code(), price_date(r),
                      origin.source.empty() ? say("no source") : printable(origin.source), said(origin.confidence)),
                  terminal.width, 5);
    for (const auto& remark : r.remarks) {
      out +=
          wrap(say("   {}: {} [{}]", said(remark.severity), printable(remark.message), remark.rule), terminal.width, 5);
      if (view.explain) out += wrap(say("     source: {}", printable(remark.source)), terminal.width, 7);
    }
  }
  return out;
}

/// Which of the rows below the best are warned of what; --explain says it in full.
std::string warned_rows(const Advice& advice, const RecommendView& view, const Terminal& terminal) {
  std::map<std::string, std::string> rows;
  for (const Recommendation& r : advice.recommendations) {
    if (view.limit > 0 && static_cast<std::size_t>(r.rank) > view.limit) break;
    for (const auto& remark : r.remarks)
      if (remark.severity == rules::Effect::warn && r.rank > 1) rows[remark.rule] += format(" #{}", r.rank);
  }
  std::string list;
  for (const auto& [rule, ranks] : rows) list += format("{}{}{}", list.empty() ? "" : ", ", rule, ranks);
  return list.empty() ? list : wrap(say("warnings: {}; --explain says more", list), terminal.width, 2);
}

struct Fallen {
  int instances = 0;
  const advise::Rejection* first = nullptr;
};

/// By the rule that they fell to.
using FallenByRule = std::map<std::string, Fallen>;

std::vector<std::pair<std::string, Fallen>> most_first(const FallenByRule& fallen) {
  std::vector<std::pair<std::string, Fallen>> order(fallen.begin(), fallen.end());
  std::ranges::stable_sort(order, std::greater{}, [](const auto& one) { return one.second.instances; });
  return order;
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

Table rules_and_examples(const FallenByRule& fallen) {
  Table table({{say("instances"), Align::right, 0},
               {say("rule"), Align::left, 0},
               {say("for example"), Align::left, 0},
               {say("reason"), Align::left, 0}});
  for (const auto& [rule, one] : most_first(fallen))
    table.add({format("{}", one.instances), rule,
               format("{} {}", one.first->instance->provider, printable(one.first->instance->sku)),
               printable(one.first->message)});
  return table;
}

std::string rejected_text(const Advice& advice, const RecommendView& view, const Terminal& terminal) {
  if (advice.rejected.empty()) return {};
  FallenByRule fallen;
  int total = 0;
  for (const auto& rejection : advice.rejected) {
    Fallen& one = fallen[rejection.rule];
    one.instances += rejection.count;
    if (one.first == nullptr) one.first = &rejection;
    total += rejection.count;
  }
  const bool document = terminal.width.is_markdown();
  if (view.show_rejected || document)
    return document_heading(say("rejected"), terminal) + wrap(say("rejected: {} instances", total), terminal.width, 2) +
           (view.show_rejected ? every_rejection(advice) : rules_and_examples(fallen)).text(terminal);
  std::string list;
  for (const auto& [rule, one] : most_first(fallen))
    list += (list.empty() ? "" : ", ") + format("{} {}", rule, one.instances);
  return wrap(say("rejected: {} instances ({}); --show-rejected tells why", total, list), terminal.width, 2);
}

/// "offline rendering → … → spot".
std::string decision_text(const Advice& advice, const Terminal& terminal) {
  std::string line;
  for (const std::string& step : advice.decision) line += (line.empty() ? "" : " → ") + step;
  return line.empty() ? line : wrap(say("decision: {}", printable(line)), terminal.width, 2);
}

}  // namespace

std::string recommend_text(const Advice& advice, const catalog::Catalog& catalog, const RecommendView& view,
                           const Terminal& terminal) {
  const Table table = make_table(advice, view, terminal);
  std::string out = header(advice, catalog, terminal) + "\n";
  if (advice.recommendations.empty()) {
    out += wrap(say("no instance meets this"), terminal.width, 2) + "\n";
  } else {
    out += table.text(terminal);
    if (view.limit > 0 && advice.recommendations.size() > view.limit)
      out += dim(say("{} more, --limit {} shows all", advice.recommendations.size() - view.limit,
                     advice.recommendations.size()),
                 terminal) +
             "\n";
    out +=
        "\n" + document_heading(say("reasons and warnings"), terminal) + best_in_words(advice, catalog, view, terminal);
    if (!view.explain) out += warned_rows(advice, view, terminal);
    out += "\n";
  }
  if (!advice.alternatives.empty()) out += document_heading(say("alternatives"), terminal);
  for (const auto& alternative : advice.alternatives)
    out += wrap(say("alternative: {}", alternative.message), terminal.width, 2);
  if (!advice.notes.empty()) out += document_heading(say("notes"), terminal);
  for (const std::string& note : advice.notes) out += wrap(say("note: {}", note), terminal.width, 2);
  const bool document = terminal.width.is_markdown();  // where the decision does not belong to the table above it
  return document ? out + decision_text(advice, terminal) + rejected_text(advice, view, terminal)
                  : out + rejected_text(advice, view, terminal) + decision_text(advice, terminal);
}

}  // namespace gpusel::report
