#include "show/job/recommend.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <ranges>
#include <set>

#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "catalog/read/own_prices.hpp"
#include "show/job/brief.hpp"
#include "show/job/candidate.hpp"
#include "show/job/estimate.hpp"
#include "show/lists/words.hpp"
#include "show/money/price_history.hpp"

namespace gpusel::show {

namespace {

using answer::Advice;
using answer::Recommendation;

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

/// A row for the best of each provider and GPU, unless all are wanted.
bool folds(const RecommendView& view) { return view.limit > 0 && !view.all_sizes && !view.sortable; }

bool is_shown(const Recommendation& r, const RecommendView& view) {
  const int place = folds(view) ? r.row : r.rank;
  return view.limit == 0 || (place > 0 && static_cast<std::size_t>(place) <= view.limit);
}

/// GPUs in the other sizes that a row stands for: " (also ×2, ×4)".
std::string other_sizes(const Recommendation& head, const Advice& advice) {
  constexpr std::size_t kMostSizes = 4;
  std::set<int> sizes;
  for (const Recommendation& r : advice.recommendations)
    if (r.row == 0 && r.gpu == head.gpu && r.instance->provider == head.instance->provider &&
        r.machine().device.share == head.machine().device.share && r.machine().gpus() != head.machine().gpus())
      sizes.insert(r.machine().gpus());
  const std::string list =
      join_texts(sizes | std::views::take(kMostSizes), ", ", [](int size) { return format("×{}", size); });
  return list.empty() ? list : say(" (also {})", list);
}

/// Whether the rows shown are on more than one term.
bool mixes_terms(const Advice& advice, const RecommendView& view) {
  const auto& all = advice.recommendations;
  return std::any_of(all.begin(), all.end(), [&](const Recommendation& r) {
    return is_shown(r, view) && r.offer->term != all.front().offer->term;
  });
}

struct RankColumn {
  Column column;
  std::function<Cell(const Recommendation&)> cell;
};

Cell warnings_cell(const Recommendation& r) {
  const auto count = std::ranges::count(r.remarks, rules::Effect::warn, &answer::Remark::severity);
  Cell cell(count > 0 ? format("{}", count) : std::string(), format("{}", count));
  cell.tip = warned_rules(r);
  return cell;
}

/// Each with its place on a page.
std::vector<RankColumn> rank_columns(const Advice& advice, const RecommendView& view) {
  const bool whole_job = advice.work.ends();
  const std::string currency(advice.currency.code());
  const std::string per = format("{}/{}", currency, unit_column(advice.work));
  const auto each_of = [&advice](const Recommendation& r) {
    return advice.work.counted ? r.cost.per_unit : r.cost.per_million_tokens;
  };
  // What is written alike under one another.
  std::vector<const Recommendation*> shown;
  std::vector<catalog::Number> all_each;
  for (const Recommendation& r : advice.recommendations)
    if (is_shown(r, view)) shown.push_back(&r);
  for (const Recommendation* r : shown) all_each.push_back(each_of(*r));
  const auto text_of = [shown](std::vector<std::string> texts) {
    return [shown, texts = std::move(texts)](const Recommendation& r) {
      return texts[static_cast<std::size_t>(std::ranges::find(shown, &r) - shown.begin())];
    };
  };
  const auto price_each = [each_of, text = text_of(unit_amounts(all_each))](const Recommendation& r) {
    return figure_cell(text(r), each_of(r));
  };
  using One = const Recommendation&;
  std::vector<RankColumn> columns;
  const auto add = [&](bool has, int place, Column column, std::function<Cell(One)> cell) {
    column.place = place;
    if (has) columns.push_back({std::move(column), std::move(cell)});
  };
  add(true, 0, right("#"), [](One r) { return figure_cell(format("{}", r.rank), r.rank); });
  add(true, 10, right(say("score"), 2), [](One r) { return figure_cell(format("{:.1f}", r.score), r.score); });
  add(true, 1, left(say("instance")), [](One r) { return printable(instance_name(r)); });
  add(true, 6, left(say("region"), 3, 9), [](One r) { return printable(r.region->id); });
  add(view.sortable || mixes_terms(advice, view), 7, left(say("term")), [](One r) { return term_cell(r.offer->term); });
  add(true, 5, left(say("GPUs")), [&advice, folded = folds(view)](One r) {
    return folded && r.gpu != nullptr ? gpus_text(r) + other_sizes(r, advice) : gpus_text(r);
  });
  add(has_plan(advice.work), 12, left(say("plan"), 4, 24), [&advice](One r) { return plan_text(advice.work, r); });
  add(true, 9, right(say("GiB/GPU"), 2), [](One r) {
    const double need = in_gib(r.plan().need.needed);
    return figure_cell(format("{:.0f}/{:.0f}", need, in_gib(r.machine().memory())), need);
  });
  add(true, 11, right(say("fits")), [](One r) {
    const double chance = r.plan().need.is_known() ? r.plan().need.chance() : std::nan("");
    return std::isnan(chance) ? Cell("?") : figure_cell(answer::chance_words(chance), chance);
  });
  add(true, 4, right(speed_title(advice.work)), [whole_job, text = text_of(speed_texts(advice.work, shown))](One r) {
    return figure_cell(text(r), whole_job ? r.cost.hours : r.plan().rate);
  });
  add(true, 2, right(currency + "/h"), [](One r) { return figure_cell(human_price(r.cost.hourly), r.cost.hourly); });
  add(whole_job, 3, right(say("{} total", currency)),
      [](One r) { return figure_cell(human_price(r.cost.total), r.cost.total); });
  add(!whole_job && (advice.duty.is_given() || advice.extras.is_given()), 3, right(say("{} a month", currency)),
      [](One r) { return figure_cell(human_price(r.cost.total), r.cost.total); });
  add(!whole_job, 3, right(per), price_each);
  add(true, 8, left(say("price date"), 1), [](One r) { return price_date(r); });
  add(view.wide && whole_job, 8, right(per), price_each);
  add(view.wide || view.sortable, 11, left(say("pareto"), view.sortable ? 2 : 0),
      [](One r) { return r.pareto ? say("yes") : std::string(); });
  add(view.wide, 13, left(say("warnings")), [](One r) { return warned_rules(r); });
  add(view.sortable, 13, right(say("warnings"), 1), warnings_cell);
  return columns;
}

/// For a page's reader, who sorts and filters it, and has rows of several lines.
void make_sortable(Table& table, const Advice& advice) {
  const auto place_of = [&](const std::string& title) {
    return static_cast<std::size_t>(std::ranges::find(table.columns, title, &Column::title) - table.columns.begin());
  };
  const std::size_t instance = place_of(say("instance")), gpus = place_of(say("GPUs"));
  for (const std::string& title : {say("region"), say("term")}) table.columns[place_of(title)].below = instance;
  if (has_plan(advice.work)) table.columns[place_of(say("plan"))].below = gpus;
  table.columns[gpus].keep = 1;
  table.columns[gpus].least = 24;
  table.columns.back().link = "warnings";
  table.folded = {gpus, instance};
  table.sorting = {say("Ranking"), {{"provider", say("Provider")}, {"gpu", say("GPU")}, {"term", say("Term")}}};
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const Recommendation& r = advice.recommendations[i];
    if (r.rank == 1) table.rows[i].meaning = Meaning::best;
    table.rows[i].facts = {{"rank", format("{}", r.rank)},
                           {"provider", std::string(r.instance->provider)},
                           {"gpu", r.gpu != nullptr ? std::string(r.gpu->id) : say("CPU")},
                           {"term", std::string(to_text(r.offer->term))}};
  }
}

std::vector<Currency> converted_in(const Advice& advice) {
  std::vector<Currency> converted;
  for (const Recommendation& r : advice.recommendations)
    if (r.cost.exchange) converted.push_back(r.cost.published.currency);
  return converted;
}

Document header(const Advice& advice, const catalog::Catalog& catalog) {
  Document page;
  page.title(job_line(advice.work)).line(say("assumed: {}", assumed_line(advice.assumed)));
  add_use(page, advice);
  return page.line(prices_line(advice, catalog, converted_in(advice))).gap();
}

/// What 80 of 100 measurements of this plan should show.
std::string range_text(const Advice& advice, const Recommendation& r) {
  const physics::SpokenRate rate = physics::spoken_rate(advice.work, r.plan(), r.intervals);
  return say("80 % of runs: {} to {} {}", human_number(rate.interval.low), human_number(rate.interval.high),
             say_name(rate.unit));
}

/// What is paid for it, since when, and who says so.
std::string price_words(const Recommendation& r, const catalog::Catalog& catalog) {
  const catalog::Origin& origin = catalog.origin_of(*r.offer);
  return say("price: {} {} per hour, {}, {} ({})", listed_price(r.cost.published.amount),
             r.cost.published.currency.code(), price_date(r),
             origin.source.empty() ? say("no source") : printable(origin.source), said(origin.confidence));
}

/// One answer in words, with every warning.
void add_in_words(Document& page, const Recommendation& r, const Advice& advice, const catalog::Catalog& catalog,
                  bool explain) {
  page.line(say("{}. {}: {}", r.rank, printable(instance_name(r)), clauses(r.reasons)), 3);
  const std::string plan = plan_text(advice.work, r), range = range_text(advice, r);
  page.line(plan.empty() ? format("   {}", range) : say("   plan: {}; {}", plan, range), 5);
  if (const std::string odds = odds_text(r); !odds.empty()) page.line(say("   probability: {}", odds), 5);
  if (advice.work.counted && advice.work.counted->sends_traffic()) page.line(egress_text(advice, r), 5);
  if (!r.instance->caution.empty()) page.line(say("   note: {}", printable(say_text(r.instance->caution))), 5);
  if (explain) {
    std::string score;
    for (const auto& part : r.parts)
      score += (score.empty() ? "" : " + ") +
               say("{} {:.1f} ({:.2f} × {:.3f})", say_name(part.name), part.points, part.weight, part.value);
    page.line(say("   score {:.1f} = {}", r.score, score), 5);
  }
  if (explain || catalog::is_own(catalog.origin_of(*r.offer))) page.line("   " + price_words(r, catalog), 5);
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
  const std::string list = join_texts(rows, ", ", [](const auto& row) { return row.first + row.second; });
  if (!list.empty()) page.line(say("warnings: {}; --explain says more", list));
}

Table every_rejection(const Advice& advice) {
  Table table({left(say("provider")), left(say("instance"), 0, 16), left(say("rule")), left(say("reason"), 0, 20)});
  for (const auto& rejection : advice.rejected)
    table.add({std::string(rejection.instance->provider), printable(rejection.instance->sku), rejection.rule,
               printable(rejection.message)});
  return table;
}

Table rules_and_examples(const std::vector<RejectedGroup>& groups) {
  Table table({right(say("instances")), left(say("rule")), left(say("for example")), left(say("reason"))});
  for (const RejectedGroup& one : groups) {
    const answer::Rejection& first = *one.rejections.front();
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
  const std::string list =
      join_texts(groups, ", ", [](const RejectedGroup& one) { return format("{} {}", one.rule, one.instances); });
  return page.line(say("rejected: {} instances ({}); --show-rejected says why", total, list), 2, Where::terminal);
}

/// How many candidates have no row, and the best of each large cloud among them.
void add_rest(Document& page, const Advice& advice, const RecommendView& view) {
  const auto& all = advice.recommendations;
  const auto shown = std::ranges::count_if(all, [&](const Recommendation& r) { return is_shown(r, view); });
  const auto left = static_cast<std::size_t>(std::ssize(all) - shown);
  if (left > 0 && folds(view))
    page.line(secondary(say("{} more candidates, {} of them other sizes of these machines: --all-sizes, --limit N",
                            left, std::ranges::count_if(all, [&](const Recommendation& r) { return r.row == 0; }))));
  else if (left > 0)
    page.line(secondary(say("{} more, --limit {} shows all", left, all.size())));
  const std::string clouds = named_clouds_text(advice, [&](const Recommendation& r) { return is_shown(r, view); });
  if (!clouds.empty()) page.line(clouds);
}

/// Whether it pays to test before deciding.
void add_evidence(Document& page, const Advice& advice, const RecommendView& view) {
  if (!advice.evidence || (!view.evidence && advice.evidence->settled())) return;
  const answer::Evidence& evidence = *advice.evidence;
  const std::string currency(advice.currency.code());
  const std::string of = advice.work.ends() ? say("a job") : say("a month");
  page.line("  " + say("chance that rank 1 is the cheapest: {}", answer::chance_words(evidence.best_probability)), 4);
  page.line("  " + say("expected regret: {} {} {}", human_price(evidence.regret), currency, of), 4);
  const auto pays = std::ranges::find_if(evidence.tests, [](const auto& test) { return test.worth > test.cost; });
  if (pays != evidence.tests.end())
    page.line("  " + say("a test of {} on one {} for {} {} is worth {}", human_duration(seconds(pays->hours * 3600)),
                         printable(pays->instance->sku), human_price(pays->cost), currency, human_price(pays->worth)),
              4);
  if (!view.evidence) return;
  Table switches({right("#"), left(say("instance")), right(say("best below {}/h", currency)),
                  right(say("or at × its speed")), right(say("or at req/s"))});
  for (const Recommendation& r : advice.recommendations)
    if (r.switch_hourly)
      switches.add({format("{}", r.rank), printable(instance_name(r)), human_price(*r.switch_hourly),
                    r.switch_speed ? format("{:.2f}", *r.switch_speed) : std::string("-"),
                    r.switch_load ? human_number(*r.switch_load) : std::string("-")});
  Table tests({right("#"), left(say("test on")), right(say("hours")), right(currency), right(say("worth"))});
  for (const auto& test : evidence.tests)
    tests.add({format("{}", test.rank), printable(test.instance->sku), format("{:.1f}", test.hours),
               human_price(test.cost), human_price(test.worth)});
  page.gap().add(std::move(switches));
  if (!evidence.tests.empty()) page.gap().add(std::move(tests));
}

/// Each with its first reason: instances of the same reason together.
void add_rejected_by_reason(Document& page, const Advice& advice) {
  for (const RejectedGroup& group : rejected_by_rule(advice)) {
    page.heading(say("{}: {}", group.rule, group.instances));
    std::vector<std::string> reasons;
    std::map<std::string, std::map<std::string_view, std::string>> names;
    for (const answer::Rejection* one : group.rejections) {
      auto& of_reason = names[one->message];
      if (of_reason.empty()) reasons.push_back(one->message);
      add_name(of_reason[one->instance->provider], printable(one->instance->sku));
    }
    for (const std::string& reason : reasons) {
      page.line("  " + printable(reason), 2);
      for (const auto& [provider, skus] : names[reason]) page.line(secondary(format("    {}: {}", provider, skus)), 6);
    }
  }
}

/// Why it is rank 1, one reason in a line.
void add_first_reasons(Document& page, const Advice& advice, const catalog::Catalog& catalog) {
  const Recommendation& best = advice.recommendations.front();
  page.heading(say("Why rank 1"));
  for (const std::string& reason : best.reasons) page.line("  " + printable(reason), 4);
  page.line("  " + range_text(advice, best), 4).line("  " + price_words(best, catalog), 4);
  if (advice.work.counted && advice.work.counted->sends_traffic())
    page.line("  " + std::string(trim(egress_text(advice, best))), 4);
  if (!best.instance->caution.empty()) page.line(say("  Note: {}", printable(say_text(best.instance->caution))), 8);
  for (const answer::Remark& remark : best.remarks)
    if (remark.severity != rules::Effect::warn)  // which the card says
      page.line(say("  Note: {} [{}]", printable(remark.message), remark.rule), 8);
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
  for (const answer::Rejection& one : advice.rejected) {
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

Table ranking_table(const Advice& advice, const RecommendView& view) {
  const std::vector<RankColumn> columns = rank_columns(advice, view);
  std::vector<Column> titles;
  for (const RankColumn& one : columns) titles.push_back(one.column);
  Table table(std::move(titles));
  for (const Recommendation& r : advice.recommendations) {
    if (!is_shown(r, view)) continue;
    std::vector<Cell> cells;
    for (const RankColumn& one : columns) cells.push_back(one.cell(r));
    table.add(std::move(cells));
  }
  if (view.sortable) make_sortable(table, advice);
  return table;
}

Document recommend_details(const Advice& advice, const catalog::Catalog& catalog, const RecommendView& view) {
  Document page;
  if (view.why) {
    if (!advice.recommendations.empty()) add_first_reasons(page, advice, catalog);
    page.heading(say("Assumed")).add(assumed_facts(advice.assumed));
    if (advice.duty.is_given() || advice.extras.is_given()) add_use(page.heading(say("Use")), advice);
    std::vector<std::string> steps;
    for (const std::string& step : advice.decision) steps.push_back(printable(step));
    page.section(say("Prices"), price_facts(advice, catalog, converted_in(advice)));
    page.section(say("How it was decided"), steps);
    if (!view.show_rejected && !advice.rejected.empty()) {
      page.heading(say("Rejected (each instance: --rejected)"));
      for (const RejectedGroup& one : rejected_by_rule(advice))
        page.line(format("  {:>5}  {}", one.instances, one.rule));
    }
  }
  if (view.evidence || view.why) {
    Document evidence;
    add_evidence(evidence, advice, view);
    if (!evidence.empty()) page.heading(say("How sure")).append(std::move(evidence));
  }
  if (view.show_rejected) add_rejected_by_reason(page, advice);
  return page;
}

Document recommend_page(const Advice& advice, const catalog::Catalog& catalog, const RecommendView& view) {
  Document page = header(advice, catalog);
  if (advice.recommendations.empty()) {
    page.line(say("no instance meets this"));
  } else {
    page.add(ranking_table(advice, view));
    add_rest(page, advice, view);
    add_reasons(page.gap(), advice, catalog, view);
  }
  page.gap();
  if (!advice.alternatives.empty()) page.page_heading(say("alternatives"));
  for (const auto& alternative : advice.alternatives) page.line(say("alternative: {}", alternative.message));
  add_evidence(page, advice, view);
  if (!advice.staircase.empty()) add_staircase(page.gap(), advice);
  if (!advice.notes.empty()) page.page_heading(say("notes"));
  for (const std::string& note : advice.notes) page.line(say("Note: {}", note));
  // On a page the decision does not belong to the table of what was rejected.
  const std::string decision = decision_line(advice);
  if (!decision.empty()) page.line(decision, 2, Where::page);
  page.append(rejected(advice, view));
  return decision.empty() ? page : page.line(decision, 2, Where::terminal);
}

}  // namespace gpusel::show
