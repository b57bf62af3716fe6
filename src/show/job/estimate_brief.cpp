// An estimate in ten seconds: does it fit, what would, how fast.
#include <cmath>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/job/candidate.hpp"
#include "show/job/estimate.hpp"
#include "show/job/figures.hpp"
#include "show/job/question.hpp"

namespace gpusel::show {

namespace {

using answer::EstimateAnswer;
using answer::Way;

constexpr std::size_t kNotesInBrief = 2;

std::string in_gib_text(Bytes amount) { return format("{:.1f}", in_gib(amount)); }

/// "YES", and behind it what is needed and what there is.
Text fit_words(const EstimateAnswer& answer) {
  const physics::MemoryNeed& need = answer.plan.need;
  const physics::Problem& problem = answer.plan.problem;
  const bool each = answer.machine.gpus() > 1 && !answer.machine.on_cpu();
  const std::string of = each ? say("{} of {} GiB per GPU", in_gib_text(need.needed), in_gib_text(need.available))
                              : say("{} of {} GiB", in_gib_text(need.needed), in_gib_text(need.available));
  if (!answer.plan.fits) {
    Text words(format("{:<3}", say("NO")), Meaning::warn);
    const double short_by = in_gib(need.needed - need.available);
    if (problem.kind != physics::Problem::Kind::memory || !need.is_known() || short_by <= 0)
      return words.add("  " + printable(problem.text()));
    return words.add("  " + (each ? say("needs {} GiB per GPU, {} usable: {:.1f} GiB short", in_gib_text(need.needed),
                                        in_gib_text(need.available), short_by)
                                  : say("needs {} GiB, {} usable: {:.1f} GiB short", in_gib_text(need.needed),
                                        in_gib_text(need.available), short_by)));
  }
  if (!need.is_known()) return {say("YES"), Meaning::best};
  const std::string chance = answer::chance_words(need.chance());
  if (answer.fit.short_verdict() != answer::Verdict::risky)
    return Text(say("YES"), Meaning::best).add("  " + say("needs {} (fits {})", of, chance));
  const physics::Interval range = need.interval_gib();
  return Text(say("RISKY {}", chance), Meaning::warn)
      .add("  " + say("needs {}; 80 % of runs need {:.1f} to {:.1f}", of, range.low, range.high));
}

/// What was asked of it in a second, and the most that it does; nothing where it does enough.
std::string too_little_words(const EstimateAnswer& answer) {
  const physics::Problem& problem = answer.plan.problem;
  if (problem.kind == physics::Problem::Kind::too_much_traffic && problem.most_per_s > 0) {
    const double loaded = problem.most_per_s * answer.work.inference.max_load;
    return say("serves only {} of {:g} req/s; at least {:.0f} such machines are needed", human_number(problem.most_per_s),
               problem.asked_per_s, std::ceil(problem.asked_per_s / loaded - 1e-9));
  }
  const auto& counted = answer.work.counted;
  if (!counted || !counted->demand || answer.plan.rate <= 0 || answer.plan.rate >= *counted->demand) return {};
  return say("does only {} of {}", human_number(answer.plan.rate), rate_words(*counted->demand, counted->unit));
}

/// What its flags cost and bring, each answered as if it had been typed.
Table ways_table(std::span<const Way> ways) {
  std::string unit;
  for (const Way& way : ways)
    if (way.rate > 0) unit = way.unit;
  Table table({left(say("What would work")), right(say("GiB per GPU")), right(say("fits")),
               right(unit.empty() ? say("speed") : say_name(unit))});
  for (const Way& way : ways)
    table.add({"  " + way.flags, say("{} of {}", in_gib_text(way.need.needed), in_gib_text(way.need.available)),
               answer::chance_words(way.need.chance()), way.rate > 0 ? human_number(way.rate) : std::string("?")});
  return table;
}

std::string rate_words(const EstimateAnswer& answer) {
  const physics::SpokenRate rate = physics::spoken_rate(answer.work, answer.plan, answer.intervals);
  return say("{} {} (80 %: {} to {})", human_number(rate.value), say_name(rate.unit), human_number(rate.interval.low),
             human_number(rate.interval.high));
}

std::string speed_fact(const EstimateAnswer& answer) {
  const physics::Plan& plan = answer.plan;
  std::string words = rate_words(answer);
  if (plan.serving && answer.work.model->is_generator())
    words += say(", {}", requests_in_flight(plan.serving->speed.in_flight));
  if (plan.training && plan.rate > 0 && answer.work.training.tokens > 0)
    words += say(", all tokens in {}", human_duration(seconds(answer.work.training.tokens / plan.rate)));
  if (!plan.bound_by.empty()) words += say(", {} bound", say_name(plan.bound_by));
  return words;
}

/// Of whom it is asked: one request, or a batch.
std::string latency_fact(const EstimateAnswer& answer) {
  const physics::Plan& plan = answer.plan;
  if (plan.serving && answer.work.model->is_generator()) {
    const physics::InferenceSpeed& speed = plan.serving->speed;
    const double percent = answer.work.inference.slo_percentile;
    const std::string tpot =
        answer.work.inference.tpot_ms ? say(" · TPOT {:.0f} ms", in_ms(speed.tpot_within(percent))) : std::string();
    if (!speed.load) {
      std::string words = say("TTFT {:.0f} ms", in_ms(speed.ttft()));
      if (speed.itl().raw() > 0) words += say(" · ITL {:.0f} ms", in_ms(speed.itl())) + tpot;
      return words;
    }
    return say("p{:g}: TTFT {:.0f} ms · ITL {:.0f} ms · whole answer {:.1f} s", percent,
               in_ms(speed.ttft_within(percent)), in_ms(speed.itl_within(percent)),
               in_ms(speed.e2e_within(percent)) / 1000) +
           tpot;
  }
  if (plan.training || plan.usual_time().raw() <= 0) return {};
  return latency_text(plan);
}

void add_figures(Document& page, const EstimateAnswer& answer) {
  const bool shows_speed = answer.plan.fits && answer.plan.rate > 0;
  Facts facts;
  if (shows_speed) facts.facts.push_back({say("Speed"), speed_fact(answer)});
  if (const std::string latency = shows_speed ? latency_fact(answer) : std::string(); !latency.empty())
    facts.facts.push_back({say("Latency"), latency});
  if (answer.in_time) facts.facts.push_back({say("Chance"), in_time_words(answer.work, *answer.in_time)});
  if (std::string more = more_figures(answer.plan); !more.empty() && shows_speed)
    facts.facts.push_back({say("Figures"), std::move(more)});
  if (has_plan(answer.work)) facts.facts.push_back({say("Plan"), physics::plan_text(answer.work, answer.plan.layout)});
  if (!answer.work.assumed.empty()) facts.facts.push_back({say("Assumed"), assumed_line(answer.work.assumed)});
  page.gap().add(std::move(facts));
}

void add_notes(Document& page, const EstimateAnswer& answer, bool shows_ways, bool all) {
  std::size_t shown = 0, left_out = 0;
  const std::string problem = answer.plan.problem.text();
  for (const std::string& note : answer.notes) {
    if (note == problem) continue;                         // the verdict, or a line of its own
    if (shows_ways && note == answer.near_miss) continue;  // the table says more
    if (all || shown == kNotesInBrief) {
      ++left_out;
      continue;
    }
    ++shown;
    page.line(say("Note: {}", printable(note)), 6);
  }
  if (!all && left_out > 0)
    page.line(secondary(left_out == 1 ? say("1 more note: --why") : say("{} more notes: --why", left_out)));
}

/// What an estimate says of a question, below its heading.
Document verdict(const EstimateAnswer& answer, std::span<const Way> ways, bool all) {
  Document page;
  if (answer.plan.problem.kind == physics::Problem::Kind::unpublished) {
    page.line(Text(say("UNKNOWN"), Meaning::warn).add("  " + printable(answer.plan.problem.text())));
    if (!all && !answer.work.assumed.empty()) page.line(say("assumed: {}", assumed_line(answer.work.assumed)));
    return all ? page.append(estimate_details(answer)) : page;
  }
  Text fits = fit_words(answer);
  // It fits, and yet will not do: too slow, or too late.
  const std::string too_little = answer.plan.fits ? too_little_words(answer) : std::string();
  if (!too_little.empty())
    fits.add(say(", but {}", too_little), Meaning::warn);
  else if (answer.plan.fits && answer.plan.problem.any())
    fits.add(say(", but {}", printable(answer.plan.problem.text())), Meaning::warn);
  page.line(std::move(fits), 5);
  if (const std::string parts = needed_parts(answer.work, answer.plan, false); !parts.empty())
    page.line("     " + parts, 5);
  if (!ways.empty())
    page.gap().add(ways_table(ways));
  else if (!answer.plan.fits)
    page.gap().line(say("None of the changes tried makes it fit; gpusel recommend looks for other machines."));
  add_figures(page, answer);
  add_notes(page, answer, !ways.empty(), all);
  if (all) return page.append(estimate_details(answer));
  return page.line(secondary(say("All parts, assumptions and notes: --why. Formulas: --explain")));
}

}  // namespace

Document estimate_page(const EstimateAnswer& answer, std::span<const Way> ways, bool all) {
  Document page;
  page.title(say("{}, on {}", spoken_question(answer.work), spoken_machine(answer.machine))).gap();
  return page.append(verdict(answer, ways, all));
}

Document largest_page(const answer::Largest& largest, bool all) {
  Document page;
  const EstimateAnswer& answer = largest.answer;
  const std::string on = spoken_machine(answer.machine);
  if (largest.value == 0) {
    page.title(say("No --{} fits on {}: with the least", largest.flag, on)).gap();
  } else {
    const std::string size = format("--{} {}", largest.flag, largest.value);
    page.title(largest.by_model ? say("{} fits on {}: the model's own limit", size, on)
                                : say("{} is the largest that fits on {}", size, on))
        .gap();
  }
  return page.append(verdict(answer, {}, all));
}

}  // namespace gpusel::show
