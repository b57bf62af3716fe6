// What was asked and what is the best answer.
#include <algorithm>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "catalog/read/own_prices.hpp"
#include "show/job/candidate.hpp"
#include "show/job/estimate.hpp"
#include "show/page/parts.hpp"

namespace gpusel::show {

namespace {

using answer::Recommendation;

std::string asked(job::ObjectiveKind objective, const std::string& job) {
  switch (objective) {
    case job::ObjectiveKind::cost: return say("Which cloud instance does this job for the least money: {}?", job);
    case job::ObjectiveKind::speed: return say("Which cloud instance does this job fastest: {}?", job);
    case job::ObjectiveKind::balanced:
      return say("Which cloud instance has the best balance of cost and speed for this job: {}?", job);
  }
  return job;
}

std::string hours_text(double hours) { return human_duration(seconds(hours * 3600)); }

std::string total_text(const ReportView& view, const money::Quote& quote) {
  const std::string money = money_text(view, quote.total);
  return quote.is_at_most() ? say("at most {}", money) : money;
}

/// What has no known price and is missing from the sum.
std::string lacking_text(const money::Quote& quote) { return join_texts(quote.lacking(), say_name(", ")); }

/// "instances 821.2 + storage 400.0"; nothing where it is the instances alone.
std::string parts_text(const ReportView& view, const money::Quote& quote) {
  if (quote.lines.empty()) return {};
  const auto amount = [&](const money::Amounts& amounts) {
    const auto& known = view.advice.work.ends() ? amounts.job : amounts.month;
    return known ? human_price(*known) : std::string("?");
  };
  std::string out = say("instances {}", amount(quote.instances()));
  for (const money::Line& line : quote.lines)
    if (line.known) out += format(" + {} {}", say_name(line.key), amount(line.amounts));
  return out;
}

/// How sure the answer is.
std::string sure_text(const ReportView& view, const Recommendation& r) {
  const physics::SpokenRate range = physics::spoken_rate(view.advice.work, r.plan(), r.intervals);
  if (range.interval.low <= 0 || r.cost_range == nullptr) return say("the size of the error is unknown");
  if (!view.advice.work.ends())
    return say("80 % of runs should show {} to {} {}", human_number(range.interval.low),
               human_number(range.interval.high), say_name(range.unit));
  const money::Quote &fast = r.cost_range->fast, &slow = r.cost_range->slow;
  const std::string from = hours_text(fast.elapsed), to = hours_text(slow.elapsed);
  // Whole periods cost the same, however long the job takes within them.
  if (fast.total == slow.total || fast.outlasts || slow.outlasts)
    return say("80 % of runs should take {} to {}", from, to);
  return say("80 % of runs should take {} to {} and cost {} to {}", from, to, money_text(view, fast.total),
             money_text(view, slow.total));
}

/// The price with its day and its source.
std::string price_text(const ReportView& view, const Recommendation& r) {
  const catalog::Origin& origin = view.catalog.origin_of(*r.offer);
  const Date date = Date::from_packed(r.offer->as_of);
  const std::string price = money_text(view, r.cost.hourly);
  if (catalog::is_own(origin)) return say("the price of {} per hour is your own", price);
  const std::string source = origin.source.empty() ? say("no source") : printable(origin.source);
  return date.known() ? say("the price of {} per hour is from {} ({})", price, date.text(), source)
                      : say("the price of {} per hour has no date ({})", price, source);
}

std::string does_it(const ReportView& view, const Recommendation& r) {
  if (view.advice.work.ends())
    return say("does the job for {} in {} on {}", total_text(view, r.cost), hours_text(r.cost.elapsed), gpus_text(r));
  return say("costs {} for {} hours of work a month, its instances {} per hour, and does {} on {}",
             total_text(view, r.cost), human_number(r.cost.worked), money_text(view, r.cost.hourly),
             speed_text(view.advice.work, r), gpus_text(r));
}

std::string memory_text(const Recommendation& r) {
  return say("{} of {} GiB", human_number(in_gib(r.memory().total())), human_number(in_gib(r.machine().memory())));
}

/// The interval of the memory; nothing where it is not known.
std::string memory_range(const Recommendation& r) {
  const physics::Interval& range = r.intervals.memory_total_gib;
  if (range.high <= range.low) return {};
  return say("{} to {} GiB in 80 % of runs", human_number(range.low), human_number(range.high));
}

void add_cost(std::vector<Fact>& out, const ReportView& view, const Recommendation& r) {
  const std::string hourly = money_text(view, r.cost.hourly);
  if (view.advice.work.ends()) {
    out.push_back({say("Cost"), total_text(view, r.cost), say("{} per hour of the instances", hourly)});
    out.push_back(
        {say("Time"), hours_text(r.cost.elapsed),
         r.cost.elapsed > r.cost.hours * 1.001 ? say("{} of work in it", hours_text(r.cost.hours)) : std::string()});
  } else {
    out.push_back({say("Cost a month"), total_text(view, r.cost),
                   say("{} h of work; {} per hour of the instances", human_number(r.cost.worked), hourly)});
    out.push_back({say("Throughput"), speed_text(view.advice.work, r)});
  }
  if (const std::string parts = parts_text(view, r.cost); !parts.empty())
    out.push_back(
        {say("In that cost, {}", view.advice.currency.code()), parts,
         lacking_text(r.cost).empty() ? std::string() : say("without {}: no price is known", lacking_text(r.cost))});
  const auto& spot = view.use != nullptr ? view.use->of_best.spot : std::nullopt;
  if (r.offer->term == catalog::Term::spot && spot && spot->answer && spot->share)
    out.push_back({say("Instances with interruptions"), money_text(view, spot->answer->spot_cost),
                   view.advice.work.ends()
                       ? say("{} with {} % reclaimed a month", human_duration(spot->answer->spot.wall),
                             human_number(100 * spot->share->mid))
                       : say("with {} % reclaimed a month", human_number(100 * spot->share->mid))});
}

Facts facts_of(const ReportView& view, const Recommendation& r) {
  const job::Job& work = view.advice.work;
  std::vector<Fact> out;
  add_cost(out, view, r);
  if (const auto& serving = r.plan().serving; serving && work.model->is_generator())
    out.push_back({say("First token"), say("{} ms", human_number(in_ms(serving->speed.ttft()))),
                   say("{} ms between tokens", human_number(in_ms(serving->speed.itl())))});
  if (const auto each = r.cost.per_unit)
    out.push_back({say("Per {}", view.advice.work.priced_unit()), money_text(view, *each)});
  else if (const auto million = r.cost.per_million_tokens)
    out.push_back({say("Per million tokens"), money_text(view, *million)});
  out.push_back({r.gpu != nullptr ? say("Memory per GPU") : say("Memory"), memory_text(r), memory_range(r)});
  if (const std::string odds = odds_text(r); !odds.empty()) out.push_back({say("Probability"), odds});
  if (const auto bound = r.plan().bound_by; !bound.empty()) out.push_back({say("Limited by"), std::string(bound)});
  if (const std::string plan = plan_text(work, r); !plan.empty()) out.push_back({say("Plan"), plan});
  out.push_back({say("Where"), printable(r.region->id), said(r.offer->term)});
  out.push_back({say("Price date"), price_date(r), std::string(to_text(view.catalog.origin_of(*r.offer).confidence))});
  return {std::move(out)};
}

/// What speaks against it, most serious first.
std::vector<Text> cautions_of(const Recommendation& r) {
  std::vector<Text> out;
  const auto add = [&](rules::Effect level, const std::string& words) {
    out.push_back(Text(said(level), level == rules::Effect::warn ? Meaning::warn : Meaning::note).add(" " + words));
  };
  if (const std::string keys = lacking_text(r.cost); !keys.empty())
    add(rules::Effect::warn, say("the cost excludes {}, whose price is not known", keys));
  for (const rules::Effect level : {rules::Effect::warn, rules::Effect::note})
    for (const answer::Remark& remark : r.remarks)
      if (remark.severity == level) add(level, remark.message);
  return out;
}

}  // namespace

void add_question(Document& page, const ReportView& view) {
  page.line({asked(view.objective, job_line(view.advice.work)), Meaning::lead});
  page.add(Code{view.command, 0, say("asked as")});
}

void add_answer(Document& page, const ReportView& view) {
  if (view.advice.recommendations.empty()) {
    page.add(Card{"answer", say("No instance meets this."),
                  say("Below: what you would have to give up, and why each instance was rejected.")});
    return;
  }
  const Recommendation& best = view.advice.recommendations.front();
  std::string reasons;
  for (const std::string& reason : best.reasons) reasons += (reasons.empty() ? "" : "; ") + reason;
  page.add(Card{"answer", instance_name(best),
                format("{}; {}; {}.", does_it(view, best), price_text(view, best), sure_text(view, best)),
                cautions_of(best), facts_of(view, best), std::move(reasons)});
}

void add_assumptions(Document& page, const ReportView& view) {
  List assumed{{}, List::Kind::chips};
  for (const job::Assumed& one : view.advice.assumed) assumed.items.emplace_back(assumed_line({one}));
  std::vector<Currency> converted;
  for (const Recommendation& r : view.advice.recommendations)
    if (r.cost.exchange) converted.push_back(r.cost.published.currency);
  page.add(Heading{say("Assumptions"), 2, "assumptions"});
  page.line(say("Assumed because not given; each is a flag of the same name.")).add(std::move(assumed));
  add_use(page, view.advice);
  page.line(secondary(prices_line(view.advice, view.catalog, converted)));
  for (const std::string& note : view.advice.notes) page.line(note);
}

}  // namespace gpusel::show
