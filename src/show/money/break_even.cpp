#include "show/money/break_even.hpp"

#include <algorithm>

#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/job/estimate.hpp"
#include "show/job/question.hpp"

namespace gpusel::show {

namespace {

using answer::BreakEvens;

void add_line(Document& out, const std::string& words) { out.line("  " + words, 4); }

/// Of runs that may be interrupted, never all are in time.
constexpr double kNearlyAll = 0.9999;

/// What is nearly all of it, or nearly nothing, is not said to be.
std::string percent(double share) {
  if (share < 1 && share > 0.9995) return say("over 99.9 %");
  if (share > 0 && share < 5e-5) return say("under 0.01 %");
  return say("{} %", human_number(share * 100));
}

std::string hours(double value) { return human_duration(seconds(value * 3600)); }
std::string hours(Seconds value) { return human_duration(value); }

/// What is being talked about, for one item of the answer.
struct BreakEvenPage {
  const BreakEvens& found;
  const answer::CostAnswer& answer;

  std::string money(double amount) const {
    return format("{} {}", human_price(amount), answer.converter.currency().code());
  }
  double hours_per_month() const { return answer.duty.run_per_month(); }
};

std::string commitment_line(const BreakEvenPage& page, const answer::CommitmentBreakEven& one) {
  const auto term = said(one.committed.offer->term);
  if (std::string unpaid = not_paid_off(one, page.answer, term); !unpaid.empty()) return unpaid;
  std::string line = one.hours_per_month
                         ? say("{}: cheaper than on-demand from {} h of use a month on ({})", term,
                               human_number(*one.hours_per_month), percent(*one.hours_per_month / kHoursPerMonth))
                         : say("{}: never cheaper than on-demand, {} a month against {} for a full month", term,
                               page.money(one.per_month), page.money(one.on_demand.per_hour * kHoursPerMonth));
  if (one.months > 1 && one.hours_per_month)
    line += one.after_months ? say("; at {} h a month on-demand has cost its whole sum after {:.1f} of its {:g} months",
                                   human_number(page.hours_per_month()), *one.after_months, one.months)
                             : say("; at {} h a month, not within its {:g} months",
                                   human_number(page.hours_per_month()), one.months);
  if (one.committed.other_region)
    line += say("; its price is of {}, on-demand's is not", printable(one.committed.term->region->id));
  else if (one.on_demand.offer != one.on_demand.term->offer)
    line += say("; on-demand there, in {}: {} an hour", printable(one.committed.term->region->id),
                page.money(one.on_demand.per_hour));
  return line;
}

std::string run_words(const money::Run& run, bool piecewise) {
  if (!run.ends()) return say("practically never ends");
  std::string words = hours(run.wall);
  if (piecewise) return words + say(" expected, work in pieces that loses restarts only");
  return words + (run.interval.raw() > 0
                      ? say(" expected with a checkpoint after every {} of work", hours(run.interval))
                      : say(" expected without checkpoints"));
}

void job_lines(const BreakEvenPage& page, Document& out) {
  if (!page.found.job) return;
  const answer::JobRun& job = *page.found.job;
  const answer::StopModel& stops = *page.found.stops;
  std::string line = say("a node fails every {} h", human_number(stops.node_mtbf_hours));
  if (job.run.ends()) {
    line += say(", {:.2g} expected", job.run.interruptions);
    if (stops.node_mtbf_low) line += say(" ({:.2g} to {:.2g})", job.failures_low, job.failures_high);
    line += say("; {} of runs have none", percent(job.run.chance_of_none));
  }
  add_line(out, line);
  line = say("time: {} of work, {}", hours(job.run.work), run_words(job.run, stops.piecewise));
  if (job.run.ends() && job.per_hour > 0)
    line += say(", {} on demand", page.money(in_hours(job.run.wall) * job.per_hour));
  add_line(out, line);
  if (stops.checkpoint_gb)
    add_line(out, say("checkpoint: {} GB at {} GB/s, {}", human_number(*stops.checkpoint_gb),
                      human_number(*stops.write_gbs), human_duration(stops.failures.checkpoint)));
  if (job.best) add_line(out, say("best interval: {}", run_words(*job.best, false)));
  if (job.without) add_line(out, say("otherwise: {}", run_words(*job.without, false)));
  if (!page.found.deadline) return;
  const answer::DeadlineAnswer& deadline = *page.found.deadline;
  line = say("deadline of {}: {}, {} of runs finish in time, 95 % within {}", hours(deadline.deadline_hours),
             deadline.is_met()                                    ? say("met")
             : deadline.expected_hours <= deadline.deadline_hours ? say("at risk")
                                                                  : say("missed"),
             percent(std::min(deadline.chance, kNearlyAll)), hours(deadline.hours_95));
  if (deadline.slow_hours)
    line += say("; {} expected at the low end of the speed's 80 % interval", hours(*deadline.slow_hours));
  add_line(out, line);
}

std::string market_words(const answer::SpotBreakEven& spot) {
  const bool said = spot.share && spot.share->is_one();
  const std::string unpublished = said
                                      ? say("its interruption rate is not published")
                                      : say("its interruption rate is not published, and assumed; set --interruptions");
  if (spot.market == nullptr) return unpublished;
  const catalog::SpotMarket& market = *spot.market;
  std::string words;
  if (market.interrupted_low && market.interrupted_high)
    words = say("{:g} to {:g} % of instances are reclaimed within a month", *market.interrupted_low * 100,
                *market.interrupted_high * 100);
  else if (market.interrupted_low)
    words = say("more than {:g} % of instances are reclaimed within a month", *market.interrupted_low * 100);
  else
    words = unpublished;
  words += format(" ({}{})", printable(market.source), market.as_of.known() ? ", " + market.as_of.text() : "");
  add_clause(words, printable(market.note));
  return words;
}

/// Between the ends of what is known of the market, and with on-demand to fall back on.
void add_range(const BreakEvenPage& page, const answer::SpotBreakEven& spot, Document& out) {
  const answer::ThreePoints& regain = spot.regain_hours;
  if (spot.best && spot.worst) {
    const auto length = [&](const money::SpotAnswer& one) {
      if (!one.spot.ends()) return say("no end");
      return page.found.job
                 ? hours(one.spot.wall)
                 : say("{} out of service", percent((one.spot.restarting + one.spot.waiting) / one.spot.wall));
    };
    const auto amount = [&](const money::SpotAnswer& one) {
      return one.spot.ends() ? page.money(one.spot_cost) : std::string("?");
    };
    add_line(out, say("{} to {} reclaimed a month, {} to {} until capacity is back: {} to {}, {} to {}",
                      percent(spot.share->low), percent(spot.share->high), hours(seconds(3600 * regain.low)),
                      hours(seconds(3600 * regain.high)), length(*spot.best), length(*spot.worst), amount(*spot.best),
                      amount(*spot.worst)));
  }
  const money::SpotMix& mix = spot.answer->mix;
  if (mix.run.ends() && mix.on_demand_share > 0)
    add_line(out, say("on demand while spot is out, {} of the time: {}, {}", percent(mix.on_demand_share),
                      page.found.job ? hours(mix.run.wall) : say("always there"), page.money(mix.cost)));
}

void spot_lines(const BreakEvenPage& page, Document& out) {
  const answer::SpotBreakEven& spot = *page.found.spot;
  std::string line = spot.spot.other_region
                         ? say("spot costs {} of on-demand", human_number(1 / spot.time_ratio))
                         : say("in {}, spot costs {} of on-demand", printable(spot.on_demand.term->region->id),
                               human_number(1 / spot.time_ratio));
  line += spot.time_ratio > 1
              ? say(": it stays cheaper while it takes less than {}× the time", human_number(spot.time_ratio))
              : say(": it is never cheaper");
  if (spot.spot.other_region)
    line +=
        say("; prices of {} and {}", printable(spot.spot.term->region->id), printable(spot.on_demand.term->region->id));
  add_line(out, line);
  add_line(out, market_words(spot));
  if (page.found.stops && spot.answer) {
    const money::SpotAnswer& answer = *spot.answer;
    const double out_of_service = (answer.spot.restarting + answer.spot.waiting) / answer.spot.wall;
    add_line(out, page.found.job
                      ? say("with {} reclaimed a month: {} on spot against {} on demand, {} against {}",
                            percent(spot.share->mid), hours(answer.spot.wall), hours(answer.on_demand.wall),
                            page.money(answer.spot_cost), page.money(answer.on_demand_cost))
                      : say("with {} reclaimed a month: {} of the time out of service; {} h of service cost {} on spot "
                            "against {} on demand",
                            percent(spot.share->mid), percent(out_of_service), human_number(page.hours_per_month()),
                            page.money(answer.spot_cost), page.money(answer.on_demand_cost)));
    add_range(page, spot, out);
    if (!page.found.stops->piecewise && answer.spot.interval.raw() > 0)
      add_line(out, say("checkpoint on spot after every {} of work; {:.2g} interruptions expected",
                        hours(answer.spot.interval), answer.spot.interruptions));
  }
  if (spot.break_even_hours) {
    line = say("costs as much as on-demand when interrupted every {}", hours(*spot.break_even_hours));
    if (*spot.break_even_share < 0.9995) line += say(" ({} reclaimed a month)", percent(*spot.break_even_share));
    if (spot.break_even_price) line += say(", or at {} per instance and hour", page.money(*spot.break_even_price));
    add_line(out, line);
  }
  if (page.found.stops && spot.share && !spot.answer)
    add_line(out, say("with {} reclaimed a month it practically never ends", percent(spot.share->mid)));
  if (spot.market == nullptr || !spot.market->notice_s) return;
  line = say("notice: {:g} s", *spot.market->notice_s);
  if (spot.notice_suffices)
    line += *spot.notice_suffices ? say(", enough for a checkpoint") : say(", too short for a checkpoint");
  add_line(out, line);
}

void node_lines(const BreakEvenPage& page, Document& out) {
  const answer::NodeCounts& counts = *page.found.nodes;
  const std::string currency(page.answer.converter.currency().code());
  Table table({right(say("  nodes")), right(say("time")), right(say("with failures")), right(currency),
               right(say("vs fewest nodes"), 1), right(say("95 % in"), 2), left(say("in time"))});
  for (const answer::NodeCount& row : counts.rows)
    table.add({format("{}", row.nodes), hours(row.hours), hours(row.run.wall), human_price(row.cost),
               percent(row.efficiency), hours(row.hours_95), row.in_time ? say("yes") : say("no")});
  out.add(std::move(table));
  for (const std::string& why : counts.left_out) add_line(out, why);
  if (!counts.cheapest) {
    add_line(out, say("none of these is in time"));
    return;
  }
  const answer::NodeCount& cheap = counts.rows[*counts.cheapest];
  const answer::NodeCount& fast = counts.rows[*counts.fastest];
  add_line(out, page.found.deadline
                    ? say("cheapest that meets the deadline: {}, {}, {}", cheap.nodes, hours(cheap.run.wall),
                          page.money(cheap.cost))
                    : say("cheapest: {}, {}, {}", cheap.nodes, hours(cheap.run.wall), page.money(cheap.cost)));
  if (fast.nodes != cheap.nodes)
    add_line(out, say("fastest within 10 % of that: on {}, {}, {}", fast.nodes, hours(fast.run.wall),
                      page.money(fast.cost)));
}

void token_lines(const BreakEvenPage& page, Document& out) {
  for (const answer::TokenBreakEven& one : page.found.tokens) {
    const money::TokenAnswer& own = one.answer;
    std::string line =
        say("{}: {} per million tokens, input and output, at {} against {}: {}", said(one.term->offer->term),
            page.money(own.own_price_in_use), one.use < 1 ? say("{} use", percent(one.use)) : say("full load"),
            page.money(one.price_per_million), own.cheaper_in_use ? say("cheaper") : say("more expensive"));
    if (one.use < 1) line += say("; {} at full load", page.money(own.own_price_per_million));
    if (own.utilization)
      line += *own.break_even_tokens > 0
                  ? say("; cheaper from {} tokens, input and output, a month on, {} of what it can do",
                        human_count(*own.break_even_tokens), percent(*own.utilization))
                  : say("; cheaper at any use");
    else if (own.break_even_tokens)
      line += say("; never cheaper: {} tokens, input and output, a month would be needed, it can do {}",
                  human_count(*own.break_even_tokens), human_count(own.capacity_per_month));
    else
      line += say("; never cheaper: an hour of work costs more than its tokens do");
    add_line(out, line);
  }
}

void ownership_lines(const BreakEvenPage& page, Document& out) {
  const answer::Ownership& first = page.found.ownership.front();
  std::string line = say("{} to buy", page.money(first.asked.price));
  if (first.record != nullptr) {
    line += first.units < 1 ? say(", 1/{:g} of {}: its GPUs' share of the server's price, power and hosting",
                                  1 / first.units, printable(first.record->id))
                            : say(", {:g} × {}", first.units, printable(first.record->id));
    line += format(" ({}{})", printable(first.record->source),
                   first.record->as_of.known() ? ", " + first.record->as_of.text() : "");
    add_clause(line, printable(first.record->note));
    if (first.record->kind == catalog::PurchaseKind::card)
      line += say("; a rented instance has a host and a network, which are not in this price and power");
  }
  add_line(out, line);
  add_line(out,
           say("{} kW: {} of power an hour of use, {} of hosting a month; {} total per hour of use over {:g} years",
               human_number(first.asked.watts / 1000), page.money(first.answer.power_per_hour),
               page.money(first.answer.hosting_per_month), page.money(first.answer.owned_per_hour), first.asked.years));
  for (const answer::Ownership& one : page.found.ownership) {
    const auto term = said(one.term->offer->term);
    line = one.answer.months ? say("against {}: paid back after {:.1f} months at {} h a month", term,
                                   *one.answer.months, human_number(one.asked.hours_per_month))
                             : say("against {}: never paid back, running it costs as much", term);
    if (one.term->offer->term == catalog::Term::on_demand)
      line += one.answer.hours_per_month ? say("; over {:g} years cheaper from {} h a month on", one.asked.years,
                                               human_number(*one.answer.hours_per_month))
                                         : say("; over {:g} years never cheaper", one.asked.years);
    add_line(out, line);
  }
}

}  // namespace

std::string not_paid_off(const answer::CommitmentBreakEven& one, const answer::CostAnswer& answer,
                         const std::string& term) {
  const auto& needed = answer.duty.months;
  if (!needed || one.months <= std::max(1.0, *needed)) return {};
  if (one.after_months && *one.after_months <= *needed) return {};
  const std::string sum = with_currency(spoken_sum(one.per_month * one.months), answer.converter.currency());
  return *needed == 1 ? say("{} does not pay off within 1 month: you commit to {}", term, sum)
                      : say("{} does not pay off within {} months: you commit to {}", term, human_number(*needed), sum);
}

Document break_even_page(const BreakEvens& found, const answer::CostAnswer& answer) {
  const BreakEvenPage page{found, answer};
  Document out;
  const auto section = [&](std::string title, bool there, auto fill) {
    if (!there) return;
    Document lines;
    fill(page, lines);
    if (!lines.empty()) out.heading(std::move(title), 3).append(std::move(lines));
  };
  section(say("commitments"), !found.commitments.empty(), [](const BreakEvenPage& p, Document& lines) {
    for (const auto& one : p.found.commitments) add_line(lines, commitment_line(p, one));
  });
  section(say("spot"), found.spot.has_value(), spot_lines);
  section(say("failures"), found.job.has_value(), job_lines);
  section(say("more or fewer nodes"), found.nodes.has_value(), node_lines);
  section(say("tokens bought elsewhere"), !found.tokens.empty(), token_lines);
  section(say("buying"), !found.ownership.empty(), ownership_lines);
  out.section(say("not compared"), found.notes, 3);
  if (!found.assumed.empty()) out.gap().line(say("assumed for these: {}", assumed_line(found.assumed)));
  return out;
}

}  // namespace gpusel::show
