#include "show/money/cost_brief.hpp"

#include <algorithm>

#include "answer/facts/candidates.hpp"
#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/job/question.hpp"
#include "show/money/break_even.hpp"
#include "show/money/cost.hpp"
#include "show/money/term_rows.hpp"

namespace gpusel::show {

namespace {

using answer::BreakEvens;
using answer::CostAnswer;
using answer::CostItem;
using answer::TermCost;
using catalog::Number;

bool is_of_a_job(const CostItem& item) { return item.subject.job && item.subject.job->hours; }

/// Whether that is of a job, and not of a machine rented for a while.
bool is_job(const CostItem& item, const CostAnswer& answer) { return answer.work || item.subject.saved; }

/// What is paid: for the whole job, or for a month.
Number sum_of(const CostItem& item, const TermCost& term) {
  return is_of_a_job(item) ? term.sums().job : term.sums().month;
}

/// "$1,359 a month on-demand; spot $733 (46 % less), reserved-1y $856 (37 % less)".
std::string sum_words(const CostItem& item, const CostAnswer& answer) {
  const Currency currency = answer.converter.currency();
  const auto& job = item.subject.job;
  std::string first, others;
  Number base;
  for (const TermCost& term : item.terms) {
    const Number sum = sum_of(item, term);
    if (!sum) continue;
    const std::string amount = (term.is_at_most() ? "≤ " : "") +
                               with_currency(is_of_a_job(item) ? human_price(*sum) : spoken_sum(*sum), currency);
    const std::string name = said(term.offer->term);
    if (!base) {
      base = sum;
      first = !is_of_a_job(item)     ? say("{} a month, {}", amount, name)
              : is_job(item, answer) ? say("{} for the job, {}, {}", amount,
                                           human_duration(seconds(std::max(term.elapsed, *job->hours) * 3600)), name)
                                     : say("{} for {} h, {}", amount, human_number(*job->hours), name);
      continue;
    }
    if (*sum > *base) continue;  // the table has it
    add_item(others, say("{} {} ({})", name, amount, difference_words(*sum / *base)));
  }
  add_clause(first, others);
  return first;
}

/// The sum and its parts, a term in each column.
SideBySide parts_table(const CostItem& item, const CostAnswer& answer) {
  const std::string code(answer.converter.currency().code());
  const bool job = is_of_a_job(item);
  const auto keys = answer::line_keys(item);
  TermRows rows(item, said<catalog::Term>);
  rows.amounts(say("{} per hour", code), [](const TermCost& t) { return t.instances().hour; }, {.marks = true});
  const std::string whole = is_job(item, answer) ? say("{} for the job", code) : say("{} total", code);
  if (job) rows.amounts(whole, [](const TermCost& t) { return t.instances().job; }, {.marks = true});
  rows.amounts(say("{} per month", code), [](const TermCost& t) { return t.instances().month; },
               {.text = spoken_sum, .marks = !job});
  for (const std::string_view key : keys)
    rows.words(say("  + {}, month", say_name(key)), [&](const TermCost& t) {
      const money::Line* line = t.line(key);
      if (line == nullptr) return spoken_sum(0);
      return line->known && line->amounts.month ? spoken_sum(*line->amounts.month) : std::string("?");
    });
  if (!keys.empty() && job)
    rows.amounts(say("{} total, job", code), [](const TermCost& t) { return t.sums().job; }, {.marks = true});
  if (!keys.empty())
    rows.amounts(say("{} total, month", code), [](const TermCost& t) { return t.sums().month; },
                 {.text = spoken_sum, .marks = !job});
  if (!job)
    rows.amounts(format("{} {}", code, year_words(item.duty)), [](const TermCost& t) { return t.sums().year; },
                 {.text = spoken_sum});
  rows.amounts(say("minimum commitment"), [](const TermCost& t) { return t.instances().commitment; },
               {.text = spoken_sum});
  // Of a commitment that outlasts the job these would be of its idle time.
  const auto outlasts = [job](const TermCost& t) { return job && t.instances().commitment; };
  const auto idles = [&](const TermCost& t) {
    return !outlasts(t) && t.per_used_hour && t.instances().hour && *t.per_used_hour != *t.instances().hour;
  };
  if (std::ranges::any_of(item.terms, idles))
    rows.amounts(say("{} per hour of work", code),
                 [&](const TermCost& t) { return outlasts(t) ? Number() : t.per_used_hour; });
  rows.amounts(say("{} per million tokens", code),
               [&](const TermCost& t) { return outlasts(t) ? Number() : t.per_million_tokens; });
  if (item.subject.job && !item.subject.job->unit.empty())
    rows.amounts(say("{} per {}", code, say_name(item.subject.job->unit)),
                 [&](const TermCost& t) { return outlasts(t) ? Number() : t.per_unit; });
  rows.words(say("region"), [](const TermCost& t) { return printable(t.region->id); });
  rows.words(say("price date"), [](const TermCost& t) {
    const Date date = Date::from_packed(t.offer->as_of);
    return date.known() ? date.text() : say("undated");
  });
  return rows.take();
}

std::string in_percent(double share) { return say("{} %", human_number(share * 100)); }

/// "spot in us-west-2" where on-demand's price is of another region.
std::string in_place(const answer::ComparedTerm& one) {
  const std::string term = said(one.offer->term);
  return one.other_region ? say("{} in {}", term, printable(one.term->region->id)) : term;
}

/// Where what is compared is not what the table has: "in us-east-1, at $16.94 and $55.04 an hour, ".
std::string at_other_prices(const answer::ComparedTerm& one, const answer::ComparedTerm& other, Currency currency) {
  const bool as_shown = one.offer == one.term->offer && other.offer == other.term->offer;
  if (as_shown || one.other_region || other.other_region) return {};
  const catalog::Region& place = one.offer == one.term->offer ? *one.term->region : *other.term->region;
  return say("in {}, at {} and {} an hour, ", printable(place.id), with_currency(human_price(one.per_hour), currency),
             with_currency(human_price(other.per_hour), currency));
}

void add_decisions(Document& page, const BreakEvens& found, const CostAnswer& answer) {
  const Currency currency = answer.converter.currency();
  for (const answer::CommitmentBreakEven& one : found.commitments) {
    if (const std::string unpaid = not_paid_off(one, answer, in_place(one.committed)); !unpaid.empty()) {
      page.line(unpaid);
      continue;
    }
    const std::string term = at_other_prices(one.committed, one.on_demand, currency) + in_place(one.committed);
    page.line(one.hours_per_month
                  ? say("{} is cheaper than on-demand from {} h of use a month ({})", term,
                        human_number(*one.hours_per_month), in_percent(*one.hours_per_month / kHoursPerMonth))
                  : say("{} is never cheaper than on-demand", term));
  }
  if (!found.spot) return;
  const answer::SpotBreakEven& spot = *found.spot;
  const std::string name = at_other_prices(spot.spot, spot.on_demand, currency) + in_place(spot.spot);
  std::string line = spot.time_ratio > 1
                         ? say("{} is cheaper as long as interruptions stretch the run time by less than {}×", name,
                               human_number(spot.time_ratio))
                         : say("{} is not cheaper", name);
  if (spot.share)
    line +=
        answer::is_published(spot.market) || spot.share->is_one()
            ? say("; about {} of instances are reclaimed within a month", in_percent(spot.share->mid))
            : say("; how many are reclaimed is not published: {} within a month assumed", in_percent(spot.share->mid));
  page.line(line);
}

}  // namespace

Document cost_brief(const CostItem& item, const CostAnswer& answer, const BreakEvens* found) {
  Document page;
  const std::string name = subject_name(item.subject) +
                           (item.subject.rank > 0 ? say(", recommendation {}", item.subject.rank) : std::string());
  if (item.terms.empty()) {
    page.line(Text(say("{}: no matching price on record", name), Meaning::warn));
    for (const std::string& note : item.notes) page.line("  " + printable(note), 4);
    return page;
  }
  const std::string sum = sum_words(item, answer);
  page.line(Text(sum.empty() ? say("{}: it has no total", name) : say("{}: {}", name, sum), Meaning::best));
  if (!item.subject.problem.empty())
    page.line(Text(say("no plan for the job: {}", printable(item.subject.problem)), Meaning::warn));
  const answer::Recommendation* judged = item.terms.front().judged.get();
  if (judged != nullptr && judged->in_time) page.line(in_time_words(*answer.work, *judged->in_time));
  page.gap().add(parts_table(item, answer)).gap();
  if (found != nullptr) add_decisions(page, *found, answer);
  const std::string others = answer::unpriced_terms_note(item);
  if (std::ranges::find(item.notes, others) != item.notes.end()) page.line(others);
  std::vector<std::string_view> lacking;
  for (const TermCost& term : item.terms)
    for (const std::string_view key : term.lacking())
      if (std::ranges::find(lacking, key) == lacking.end()) lacking.push_back(key);
  if (!lacking.empty())
    page.line(
        Text(say("Warning: not in the total because its price is not known: {}", join_texts(lacking, say_name(", "))),
             Meaning::warn),
        9);
  constexpr std::size_t kMostWarnings = 3;
  if (judged != nullptr) add_warnings(page, judged->remarks, kMostWarnings);
  const bool guess = std::ranges::any_of(
      item.terms, [&](const TermCost& term) { return answer::is_guess(*term.offer, answer.today); });
  if (guess) page.line(Text(say("Note: {}", answer::guess_text()), Meaning::warn), 6);
  return page;
}

}  // namespace gpusel::show
