#include "show/money/cost.hpp"

#include <algorithm>

#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/job/candidate.hpp"
#include "show/job/estimate.hpp"
#include "show/job/question.hpp"
#include "show/lists/words.hpp"
#include "show/money/autoscale.hpp"
#include "show/money/break_even.hpp"
#include "show/money/cost_brief.hpp"
#include "show/money/price_history.hpp"
#include "show/money/term_rows.hpp"

namespace gpusel::show {

namespace {

using answer::CostAnswer;
using answer::CostItem;
using answer::CostLine;
using answer::TermCost;

constexpr std::string_view kUnknown = "?";
constexpr std::string_view kNotApplicable = "-";

std::string money(const catalog::Number& amount) { return amount ? human_price(*amount) : std::string(kNotApplicable); }

std::string date_text(std::int32_t packed) {
  const Date date = Date::from_packed(packed);
  return date.known() ? date.text() : say("undated");
}

bool at_most(const TermCost& term) { return term.paid.at_most; }
bool job_at_most(const TermCost& term) { return term.paid.job_at_most; }
// Of a term's amounts, of those that last as long as it, and of the job's.
constexpr AmountStyle kAmount{.ratios = true};
constexpr AmountStyle kBound{.at_most = at_most, .ratios = true};
constexpr AmountStyle kJobBound{.at_most = job_at_most, .ratios = true};

void instance_rows(TermRows& table, const CostItem& item, const std::string& currency) {
  table.words(say("region"), [](const TermCost& t) { return printable(t.region->id); });
  table.words(say("price date"), [](const TermCost& t) { return date_text(t.offer->as_of); });
  table.amounts(say("{} per hour", currency), [](const TermCost& t) { return t.instances().hour; }, kAmount);
  table.amounts(say("per day"), [](const TermCost& t) { return t.instances().day; }, kBound);
  table.amounts(say("per month"), [](const TermCost& t) { return t.instances().month; }, kBound);
  table.amounts(year_words(item.duty), [](const TermCost& t) { return t.instances().year; }, kBound);
  table.amounts(say("minimum commitment"), [](const TermCost& t) { return t.instances().commitment; });
  if (item.subject.job && item.subject.job->hours)
    table.amounts(say("whole job"), [](const TermCost& t) { return t.instances().job; }, kJobBound);
}

/// What comes beside, a month, and the sums with it.
void sum_rows(TermRows& table, const CostItem& item, const std::string& currency) {
  const auto lines = answer::line_keys(item);
  if (lines.empty()) return;
  table.gap();
  for (const std::string_view key : lines)
    table.words(say("{}, month", say_name(key)), [&](const TermCost& t) {
      const CostLine* line = t.line(key);
      if (line == nullptr) return money(0.0);
      return line->known ? money(line->amounts.month) : std::string(kUnknown);
    });
  const auto without = [](const TermCost& t) { return say("without {}", join_texts(t.lacking(), ", ", say_name)); };
  table.amounts(say("{} total, day", currency), [](const TermCost& t) { return t.sums().day; }, kBound);
  table.amounts(say("total, month"), [](const TermCost& t) { return t.sums().month; }, kBound);
  table.amounts(say("total, {}", year_words(item.duty)), [](const TermCost& t) { return t.sums().year; }, kBound);
  if (item.subject.job && item.subject.job->hours)
    table.amounts(say("total, job"), [](const TermCost& t) { return t.sums().job; }, kJobBound);
  const bool lacks =
      std::any_of(item.terms.begin(), item.terms.end(), [](const auto& t) { return !t.lacking().empty(); });
  if (lacks)
    table.words(say("sums are"), [&](const TermCost& t) { return t.lacking().empty() ? say("complete") : without(t); });
}

void work_rows(TermRows& table, const CostItem& item, const std::string& currency) {
  table.gap();
  const auto& job = item.subject.job;
  const AmountStyle& bound = job && job->hours ? kJobBound : kBound;
  table.amounts(say("{} per hour of work", currency), [](const TermCost& t) { return t.per_used_hour; }, bound);
  const std::string tokens =
      job && job->tokens != "all" ? say("per million {} tokens", say_name(job->tokens)) : say("per million tokens");
  table.amounts(tokens, [](const TermCost& t) { return t.per_million_tokens; }, bound);
  if (job && !job->unit.empty())
    table.amounts(say("per {}", say_name(job->unit)), [](const TermCost& t) { return t.per_unit; }, bound);
}

/// The instances in the currency of the offer, where that is another.
void own_rows(TermRows& table, const CostItem& item) {
  const bool foreign =
      std::any_of(item.terms.begin(), item.terms.end(), [](const TermCost& t) { return t.exchange.has_value(); });
  if (!foreign) return;
  table.gap();
  table.words(say("as offered, in"), [](const TermCost& t) { return std::string(t.published.currency.code()); });
  table.amounts(say("per hour"), [](const TermCost& t) { return t.own().hour; });
  table.amounts(say("per month"), [](const TermCost& t) { return t.own().month; }, {.at_most = at_most});
  table.amounts(year_words(item.duty), [](const TermCost& t) { return t.own().year; }, {.at_most = at_most});
  if (item.subject.job && item.subject.job->hours)
    table.amounts(say("whole job"), [](const TermCost& t) { return t.own().job; }, {.at_most = job_at_most});
}

std::string price_line(const TermCost& term, const std::string& currency, const catalog::Catalog& catalog, bool wide) {
  const catalog::Origin& origin = catalog.origin_of(*term.offer);
  std::string line = say("{}: {} {} per instance and {}", said(term.offer->term), listed_price(term.offer->amount),
                         term.published.currency.code(), said(term.offer->period));
  if (term.exchange) {
    line += say(" at {:.4g} {} per {}", term.exchange->rate, currency, term.published.currency.code());
    if (term.exchange->as_of.known()) line += say(" of {}", term.exchange->as_of.text());
  }
  line += format(", {}, {} ({}, {})", printable(term.region->id), date_text(term.offer->as_of),
                 origin.source.empty() ? say("no source") : printable(origin.source), said(origin.confidence));
  add_clause(line, printable(say_text(origin.note)));
  if (term.commitment.is_promise()) {
    line += say("; paid for whole periods of {} h, used or not", human_number(term.commitment.hours));
    if (origin.note.empty()) line += say("; the upfront part is not published");
  }
  if (const std::size_t more = term.elsewhere.size(); more > 0 && !wide)
    line += more == 1 ? say("; one more place, -o wide shows it") : say("; {} more places, -o wide shows them", more);
  return line;
}

std::string beside_line(const CostLine& line) {
  std::string text = line.words;
  if (!line.source.empty())
    text += format(" ({}{})", printable(line.source), line.as_of.known() ? ", " + line.as_of.text() : "");
  return text;
}

/// Each said once, with the terms that it holds for where they differ.
std::vector<std::string> beside_lines(const CostItem& item) {
  struct Said {
    std::string_view key;
    std::string text, terms;
  };
  std::vector<Said> all;
  for (const TermCost& term : item.terms)
    for (const CostLine& line : term.lines) {
      std::string text = beside_line(line);
      auto said = std::ranges::find_if(all, [&](const Said& s) { return s.key == line.key && s.text == text; });
      if (said == all.end()) said = all.insert(all.end(), {line.key, std::move(text), {}});
      said->terms += format("{}{}", said->terms.empty() ? "" : say_name(", "),
                            say("{} in {}", gpusel::said(term.offer->term), printable(term.region->id)));
    }
  std::vector<std::string> lines;
  for (const Said& said : all)
    lines.push_back(std::ranges::count(all, said.key, &Said::key) > 1
                        ? format("{} ({}): {}", say_name(said.key), said.terms, said.text)
                        : format("{}: {}", say_name(said.key), said.text));
  return lines;
}

std::vector<std::string> promise_lines(const CostItem& item) {
  std::vector<std::string> lines;
  for (const catalog::ServiceLevel* level : item.promises) lines.push_back(promise_line(*level));
  return lines;
}

/// The same terms in other places, per hour of all nodes.
void add_elsewhere(Document& page, const CostItem& item, const CostAnswer& answer, const catalog::Catalog& catalog) {
  Table table({left(say("term")), left(say("region")), right(say("{} per hour", answer.converter.currency().code())),
               left(say("price date"), 1), left(say("source"), 2)});
  for (const TermCost& term : item.terms)
    for (const auto& [offer, rate] : term.elsewhere)
      table.add({term_cell(offer->term), printable(catalog.region_of(*offer).id), human_price(rate),
                 date_text(offer->as_of), printable(catalog.origin_of(*offer).source)});
  if (!table.empty()) page.heading(say("elsewhere"), 3).add(std::move(table));
}

std::string job_words(const CostItem& item, const CostAnswer& answer) {
  const answer::CostSubject& subject = item.subject;
  if (!subject.problem.empty()) return say("no plan for the job: {}", subject.problem);
  if (!subject.job) return {};
  std::string line = subject.job->hours
                         ? say("job: {} at full speed", human_duration(seconds(*subject.job->hours * 3600)))
                         : say("job: runs on");
  if (subject.job->hours && *subject.job->hours > item.duty.used_per_day() && !item.duty.works_always())
    line = say("job: {} of work, {} by the calendar", human_duration(seconds(*subject.job->hours * 3600)),
               human_duration(seconds(money::elapsed_hours(*subject.job->hours, item.duty) * 3600)));
  if (subject.planned && answer.work && has_plan(*answer.work))
    add_clause(line, physics::plan_text(*answer.work, subject.planned->plan.layout));
  return line;
}

Document item_page(const CostItem& item, const CostAnswer& answer, const catalog::Catalog& catalog, bool wide) {
  const std::string currency(answer.converter.currency().code());
  const std::string name = subject_name(item.subject);
  Document page;
  page.heading(item.subject.rank > 0 ? name + say(", recommendation {}", item.subject.rank) : name);
  if (const std::string words = job_words(item, answer); !words.empty()) page.line(words);
  if (item.terms.empty()) {
    page.line(say("no price is known that meets this"));
  } else {
    TermRows table(item, said<catalog::Term>);
    instance_rows(table, item, currency);
    sum_rows(table, item, currency);
    work_rows(table, item, currency);
    own_rows(table, item);
    page.gap().add(table.take());
  }
  std::vector<std::string> prices;
  for (const TermCost& term : item.terms) prices.push_back(price_line(term, currency, catalog, wide));
  page.section(say("prices"), prices, 3).section(say("in addition"), beside_lines(item), 3);
  if (wide) add_elsewhere(page, item, answer, catalog);
  if (item.scaling) {
    std::vector<std::string> lines{autoscale_text(*item.scaling), say("in flight is {} over the instances",
                                                                      in_flight_text(answer.work->inference.engine))};
    if (item.scaling->min_replicas == 0) lines.push_back(waking_text());
    page.section(say("autoscaling that this assumes"), lines, 3);
  }
  return page.section(say("promised"), promise_lines(item), 3).section(say("notes"), item.notes, 3);
}

}  // namespace

std::string promise_line(const catalog::ServiceLevel& level) {
  if (level.percent == 0.0) return say("{}: nothing ({})", printable(say_text(level.scope)), printable(level.source));
  std::string line = say("{}: {:.6g} % of a month", printable(say_text(level.scope)), level.percent.value_or(0));
  if (!level.credit.empty()) add_clause(line, printable(say_text(level.credit)));
  return format("{} ({})", line, printable(level.source));
}

std::string subject_name(const answer::CostSubject& subject) {
  const catalog::Instance& instance = *subject.instance;
  const std::string name = format("{} {}", instance.provider, printable(instance.sku));
  return subject.nodes > 1 ? format("{} × {}", subject.nodes, name) : name;
}

Table cost_table(const CostAnswer& answer, const catalog::Catalog& catalog) {
  const std::string currency(answer.converter.currency().code());
  std::vector<Column> columns;
  for (const char* key : {"provider",
                          "sku",
                          "nodes",
                          "term",
                          "region",
                          "currency",
                          "hour",
                          "day",
                          "month",
                          "year",
                          "commitment",
                          "job",
                          "total_month",
                          "total_year",
                          "total_job",
                          "total_lacks",
                          "per_work_hour",
                          "per_million_tokens",
                          "per_unit",
                          "offer_currency",
                          "offer_price_per_hour",
                          "as_of",
                          "source",
                          "confidence"})
    columns.push_back(left(key));
  Table table(std::move(columns));
  const auto cell = [](const catalog::Number& amount) {
    return figure_cell(amount ? human_price(*amount) : "", amount);
  };
  for (const CostItem& item : answer.items)
    for (const TermCost& term : item.terms) {
      const catalog::Origin& origin = catalog.origin_of(*term.offer);
      std::string lacks;
      for (const std::string_view key : term.lacking()) lacks += (lacks.empty() ? "" : " ") + std::string(key);
      const Date date = Date::from_packed(term.offer->as_of);
      table.add({std::string(item.subject.instance->provider),
                 printable(item.subject.instance->sku),
                 format("{}", item.subject.nodes),
                 std::string(to_text(term.offer->term)),
                 printable(term.region->id),
                 currency,
                 cell(term.instances().hour),
                 cell(term.instances().day),
                 cell(term.instances().month),
                 cell(term.instances().year),
                 cell(term.instances().commitment),
                 cell(term.instances().job),
                 cell(term.sums().month),
                 cell(term.sums().year),
                 cell(term.sums().job),
                 lacks,
                 cell(term.per_used_hour),
                 cell(term.per_million_tokens),
                 cell(term.per_unit),
                 std::string(term.published.currency.code()),
                 cell(term.published.amount),
                 date.text(),
                 printable(origin.source),
                 std::string(to_text(origin.confidence))});
    }
  return table;
}

Document cost_page(const CostAnswer& answer, std::span<const answer::BreakEvens> break_evens,
                   const catalog::Catalog& catalog, const CostView& view) {
  Document page;
  if (answer.work)
    page.title(spoken_question(*answer.work) + end_words(*answer.work, answer.asked, answer.converter.currency()));
  else
    page.page_title(say("Costs over time"));
  for (std::size_t at = 0; at < answer.items.size(); ++at) {
    if (at > 0) page.gap();
    page.append(cost_brief(answer.items[at], answer, break_evens.empty() ? nullptr : &break_evens[at]));
    if (view.break_evens && !view.full && !break_evens.empty()) page.append(break_even_page(break_evens[at], answer));
  }
  page.line(secondary(duty_line(answer.duty)));
  if (!view.full) return page.line(secondary(say("Sources, promises, notes, failures, buying: --why")));
  if (answer.work) page.gap().line(say("assumed: {}", assumed_line(answer.work->assumed)));
  for (std::size_t at = 0; at < answer.items.size(); ++at) {
    page.append(item_page(answer.items[at], answer, catalog, view.wide));
    if (!break_evens.empty()) page.append(break_even_page(break_evens[at], answer));
    page.derivation(derivation_of(answer.items[at].trace));
    if (!break_evens.empty()) page.derivation(derivation_of(break_evens[at].trace));
  }
  return page;
}

}  // namespace gpusel::show
