#include "show/job/brief.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "answer/facts/limits.hpp"
#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "catalog/places/places.hpp"
#include "catalog/records/drift.hpp"
#include "job/limits/limits.hpp"
#include "physics/planner/targets.hpp"
#include "show/export/export.hpp"
#include "show/export/names.hpp"
#include "show/job/candidate.hpp"
#include "show/job/estimate.hpp"
#include "show/job/question.hpp"

namespace gpusel::show {

namespace {

using answer::Advice;
using answer::Alternative;
using answer::Recommendation;
using job::Job;

/// How much of what comes beside the winner is shown.
struct Screen {
  std::size_t warnings, alternatives, rows;
  bool elsewhere = true;         // the best of each large cloud
  std::size_t notes = SIZE_MAX;  // and remarks on steps of the load
};
/// The first that leaves an answer on one screen: what saves money goes after rows further down.
constexpr Screen kScreens[] = {{2, 4, 5},        {2, 4, 4},           {1, 4, 4},           {1, 4, 3},
                               {1, 3, 3},        {1, 2, 3},           {1, 2, 2},           {1, 1, 3},
                               {1, 1, 3, false}, {1, 1, 3, false, 2}, {1, 1, 3, false, 1}, {1, 1, 3, false, 0}};
constexpr std::size_t kScreenLines = 24;
/// Where more than a screen is asked for.
constexpr Screen kInFull{SIZE_MAX, SIZE_MAX, 10};

/// "14 days", "4 months".
std::string age_words(int days) {
  if (days < 2 * catalog::kDaysPerMonth) return days == 1 ? say("1 day") : say("{} days", days);
  if (days < 24 * catalog::kDaysPerMonth) return say("{:.0f} months", days / catalog::kDaysPerMonth);
  return say("{:.0f} years", days / catalog::kDaysPerMonth / 12);
}

/// Those that were asked for; without targets what streaming feels like.
std::vector<const physics::LatencyTarget*> shown_latencies(const Job& work) {
  std::vector<const physics::LatencyTarget*> shown;
  const bool any = physics::has_targets(work.inference);
  for (const physics::LatencyTarget& latency : physics::latency_targets())
    if (any ? (work.inference.*latency.asked).has_value() : latency.key == "ttft" || latency.key == "itl")
      shown.push_back(&latency);
  return shown;
}

/// Of the load, where it could change the winner.
std::string load_note(const Advice& advice) {
  if (advice.staircase.empty()) return {};
  return advice.work.inference.request_rate ? say(". No load given: assumed (--rps N)")
                                            : say(". No load given: one request at a time (--rps N)");
}

std::optional<double> assumed_days(const Advice& advice) {
  for (const job::Assumed& one : advice.assumed)
    if (const auto* days = std::get_if<double>(&one.value); days != nullptr && one.key == "deadline_days") return *days;
  return std::nullopt;
}

/// Whether a deadline that nobody set changes the answer; a job of minutes is asked for none.
bool assumed_deadline_matters(const Advice& advice, double days) {
  constexpr double kNear = 0.5;
  return advice.recommendations.empty() || advice.recommendations.front().cost.elapsed > kNear * days * 24;
}

std::string limit_words(const Advice& advice, const job::Constraints& limits) {
  std::string words = end_words(advice.work, limits, advice.currency);
  if (const auto days = assumed_days(advice); days && assumed_deadline_matters(advice, *days))
    words += say(", done in {:g} days (assumed, --deadline)", *days);
  // Those that neither these words nor the next line say.
  static constexpr std::string_view kSaid[] = {"deadline", "budget", "cloud",     "infra",
                                               "region",   "market", "residency", "term"};
  std::string typed, spoken;
  for (const job::Limit& limit : job::limits()) {
    const std::string_view key = limit.option.key;
    const bool is_of_nodes = key == "max_nodes" && !limits.max_nodes;  // lifted together with --nodes
    if (!limit.is_given(limits) || std::ranges::find(kSaid, key) != std::end(kSaid) || is_of_nodes) continue;
    const std::string in_words = limit_in_words(key, limits, advice.currency);
    if (in_words.empty())
      typed += " " + limit.typed(limits);
    else
      spoken += " · " + in_words;
  }
  if (!typed.empty()) words += " ·" + typed;
  return words + spoken;
}

std::string joined(std::span<const std::string> all) {
  std::string list;
  for (const std::string& one : all) add_name(list, printable(one));
  return list;
}

/// What was assumed of it; empty: nothing.
std::string assumed(const Advice& advice, std::string_view key) {
  for (const job::Assumed& one : advice.assumed)
    if (const auto* text = std::get_if<std::string>(&one.value); text != nullptr && one.key == key) return *text;
  return {};
}

/// Where, on which terms, with which software, at prices how old.
std::string context_words(const Advice& advice, const job::Constraints& limits, const RecommendView& view,
                          std::span<const Recommendation* const> rows) {
  const bool market = limits.market.value_or(false);
  const std::vector<std::string> clouds = limits.named_clouds(), regions = limits.named_regions();
  std::string words = !clouds.empty() ? joined(clouds) : market ? say("all sellers") : say("all clouds");
  // What a name was taken for says more than the name.
  const std::string taken = assumed(advice, "region");
  if (!regions.empty()) words += say(" in {}", regions.size() == 1 && !taken.empty() ? taken : joined(regions));
  if (!limits.residency.empty()) words += say(" in {}", joined(limits.residency));
  if (!advice.target.empty()) words += say(" · for {}", advice.target);
  std::vector<std::string> terms;
  for (const std::string& term : limits.terms) terms.push_back(say_name(term));
  if (terms.empty())
    for (const Recommendation* r : rows)
      if (std::string term = said(r->offer->term); std::ranges::find(terms, term) == terms.end())
        terms.push_back(std::move(term));
  if (!terms.empty()) words += format(" · {}", joined(terms));
  if (!advice.work.counted)
    words += format(" · {}", job::is_training(advice.work.task) ? std::string_view(advice.work.training.framework)
                                                                : to_text(advice.work.inference.engine));
  if (view.objective == job::ObjectiveKind::speed) words += say(" · fastest first");
  if (view.objective == job::ObjectiveKind::balanced) words += say(" · cost and speed balanced");
  std::optional<int> youngest, oldest;
  for (const Recommendation* r : rows) {
    const auto days = days_between(Date::from_packed(r->offer->as_of), advice.today);
    if (!days) continue;
    youngest = std::min(youngest.value_or(*days), *days);
    oldest = std::max(oldest.value_or(*days), *days);
  }
  if (!oldest) return words;
  if (*oldest == 0) return words + say(" · prices from today");
  const std::string from = age_words(*youngest), to = age_words(*oldest);
  return words + (from == to ? say(" · prices {} old", to) : say(" · prices {} to {} old", from, to));
}

/// Parts of a sum that the price per hour does not have: " (setup $236)".
std::string beside_words(const Advice& advice, const Recommendation& r, catalog::Number money::Amounts::* of) {
  static constexpr std::string_view kByTheHour[] = {"host", "licence"};
  std::string words;
  for (const money::Line& line : r.cost.lines)
    if (line.known && (line.amounts.*of).value_or(0) > 0 &&
        std::ranges::find(kByTheHour, line.key) == std::end(kByTheHour))
      words += say(" ({} {})", say_name(line.key), with_currency(spoken_sum(*(line.amounts.*of)), advice.currency));
  return words;
}

/// What it costs: a job in all, a service by the month.
std::string cost_words(const Advice& advice, const Recommendation& r, const std::string& unit_cost) {
  const std::string hourly = say("{}/h", spoken_money(r.cost.hourly, advice.currency));
  if (advice.work.ends())
    return say("{}   {} in {}", hourly, spoken_money(r.cost.total, advice.currency),
               human_duration(seconds(r.cost.elapsed * 3600))) +
           beside_words(advice, r, &money::Amounts::job);
  const auto month = r.cost.sums().month;
  if (!month) return hourly;
  std::string words = say("{}   {}/month", hourly, with_currency(spoken_sum(*month), advice.currency));
  words += beside_words(advice, r, &money::Amounts::month);
  if (r.cost.lacks("host")) words += say(" + vCPU and memory, price unknown");
  if (r.cost.lacks("storage")) words += say(" + storage, price unknown");
  if (r.cost.lacks("egress")) words += say(" + egress, price unknown");
  return unit_cost.empty() ? words : format("{}   {}", words, unit_cost);
}

/// With blanks at which no line breaks.
std::string unbroken(std::string_view words) { return join_texts(split(words, ' '), "\u00a0"); }

/// What each costs for a unit of work: "$0.17/1k images"; empty where the order does not go by that.
std::vector<std::string> unit_cost_words(const Advice& advice, std::span<const Recommendation* const> all) {
  std::vector<catalog::Number> costs;
  for (const Recommendation* r : all) costs.push_back(ordering_unit_cost(advice.work, *r));
  std::vector<std::string> words = unit_amounts(costs);
  const std::string unit = unbroken(unit_column(advice.work));
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = costs[i] ? format("{}/{}", with_currency(words[i], advice.currency), unit) : "";
  return words;
}

/// The winner's, with as many figures as beside the alternatives.
std::vector<std::string> unit_costs_of_alternatives(const Advice& advice) {
  std::vector<const Recommendation*> all;
  if (!advice.recommendations.empty()) all.push_back(&advice.recommendations.front());
  for (const Alternative& one : advice.alternatives) all.push_back(&one.best);
  return unit_cost_words(advice, all);
}

/// Where; a price may be the same in all of the seller's regions.
std::string region_words(const Recommendation& r) {
  return catalog::is_everywhere(r.region->id) ? say("any region") : printable(r.region->id);
}

/// What is signed, where that is more than the hours that it runs.
std::string term_words(const Recommendation& r) {
  if (r.offer->term == catalog::Term::on_demand) return {};
  return format("  {}", said(r.offer->term));
}

/// How long one waits who asks for one at a time, or is served in batches.
std::string wait_words(const Job& work, const Recommendation& r) {
  if (!work.counted || r.plan().rate <= 0) return {};
  if (work.counted->mode == job::Mode::online && r.plan().usual_time().raw() > 0) return latency_text(r.plan());
  if (work.counted->mode != job::Mode::single_stream) return {};
  return say("{} per request", human_duration(seconds(work.counted->per_request / r.plan().rate)));
}

/// In milliseconds as targets are, but for what one waits for in seconds.
std::string wait_text(Seconds wait) {
  constexpr double kInSeconds = 10;
  return wait.raw() < kInSeconds ? say("{:.0f} ms", in_ms(wait)) : say("{:.0f} s", wait.raw());
}

std::string speed_words(const Advice& advice, const Recommendation& r) {
  const auto& serving = r.plan().serving;
  if (!serving || !advice.work.model->is_generator()) {
    if (advice.work.ends()) return {};
    std::string words = speed_text(advice.work, r);
    add_item(words, wait_words(advice.work, r));
    return words;
  }
  const physics::InferenceSpeed& speed = serving->speed;
  const double percent = advice.work.inference.slo_percentile;
  if (!speed.load)
    return say("{}, TTFT {}, ITL {}", speed_text(advice.work, r), wait_text(speed.ttft()), wait_text(speed.itl()));
  std::string words;
  for (const physics::LatencyTarget* latency : shown_latencies(advice.work))
    add_item(words, format("{} {}", latency_name(*latency), wait_text(latency->reached(speed, percent))));
  return format("p{:g} {}", percent, words);
}

const Alternative* more_nodes(const Advice& advice) {
  for (const Alternative& one : advice.alternatives)
    if (one.key == "nodes" && !advice.recommendations.empty() &&
        one.best.machine().nodes > advice.recommendations.front().machine().nodes)
      return &one;
  return nullptr;
}

/// What one costs over the other for the same work, at the prices that are printed.
double printed_ratio(const Advice& advice, const Recommendation& a, const Recommendation& b) {
  return answer::printed_cost(a, advice.work) / answer::printed_cost(b, advice.work);
}

bool loses_points(const Recommendation& r) {
  return std::ranges::any_of(r.parts, [](const auto& part) { return part.points < 0; });
}

/// Whether one that costs less comes behind the first because of points that it lost.
bool leads_by_a_rule(const Advice& advice) {
  constexpr int kNear = 10;  // ranks that come into sight
  const Recommendation& best = advice.recommendations.front();
  return std::ranges::any_of(advice.recommendations, [&](const Recommendation& r) {
    return r.rank <= kNear && loses_points(r) && printed_ratio(advice, r, best) < 1;
  });
}

std::string why_words(const Advice& advice, const RecommendView& view) {
  const Recommendation& best = advice.recommendations.front();
  const std::size_t all = advice.recommendations.size();
  const bool by_cost = view.objective == job::ObjectiveKind::cost;
  std::string words = all == 1                                      ? say("The only one that qualifies.")
                      : view.objective == job::ObjectiveKind::speed ? say("Fastest of {}.", all)
                                                                    : say("Best of {}.", all);
  const auto days = assumed_days(advice);
  const bool judged = best.in_time && (!days || assumed_deadline_matters(advice, *days));
  const auto add = [&words](const std::string& sentence) { words += say(" {}", sentence); };
  if (judged) add(in_time_words(advice.work, *best.in_time));
  if (const Alternative* more = judged ? more_nodes(advice) : nullptr)
    add(say("{} nodes: {} (+{}/h).", more->best.machine().nodes, answer::chance_words(*more->best.in_time),
            spoken_money(more->best.cost.hourly - best.cost.hourly, advice.currency)));
  if (best.in_budget) add(say("Within budget: {}.", answer::chance_words(*best.in_budget)));
  // Where a rule put a cheaper one behind it, its line says so.
  if (by_cost && advice.evidence && !advice.evidence->settled() && !leads_by_a_rule(advice))
    add(say("Chance of being the cheapest: {} (--evidence).", answer::chance_words(advice.evidence->best_probability)));
  return words;
}

void add_best(Document& page, const Advice& advice, const RecommendView& view, const Screen& screen) {
  const Recommendation& best = advice.recommendations.front();
  page.line(Text(format("> {}  {}{}   {}", printable(instance_name(best)), region_words(best), term_words(best),
                        cost_words(advice, best, unit_costs_of_alternatives(advice).front())),
                 Meaning::best),
            2);
  std::string line = format("  {}", spoken_gpus(best));
  add_item(line, plan_text(advice.work, best));
  if (const std::string speed = speed_words(advice, best); !speed.empty()) line += " · " + speed;
  if (best.plan().need.is_known()) line += say(" · fits {}", answer::chance_words(best.plan().need.chance()));
  page.line(line, 2).line("  " + why_words(advice, view), 2);
  add_warnings(page, best.remarks, screen.warnings, 2);
}

/// Whether a month costs another sum than its hours: discounts for all of it, a duty cycle, traffic.
bool month_differs(const Recommendation& r) {
  constexpr double kVisible = 0.01;
  const auto month = r.cost.sums().month;
  return month && std::abs(*month / (r.cost.hourly * kHoursPerMonth) - 1) > kVisible;
}

/// "$1,359/month" where hours alone do not say what is paid: a commitment is, and not every hour of a month.
std::string running_cost(const Advice& advice, const Recommendation& r, bool by_month) {
  const auto month = r.cost.sums().month;
  return by_month && month ? say("{}/month", with_currency(spoken_sum(*month), advice.currency))
                           : say("{}/h", spoken_money(r.cost.hourly, advice.currency));
}

/// One line each, in columns.
void add_alternatives(Document& page, const Advice& advice, std::size_t most) {
  std::vector<std::array<std::string, 4>> rows;
  std::vector<std::string> sentences;
  const std::vector<std::string> unit_costs = unit_costs_of_alternatives(advice);
  std::size_t place = advice.recommendations.empty() ? 0 : 1;
  const bool by_month =
      !advice.recommendations.empty() &&
      (month_differs(advice.recommendations.front()) ||
       std::ranges::any_of(advice.alternatives, [&](const Alternative& one) {
         return month_differs(one.best) ||
                one.best.cost.commitment.months() != advice.recommendations.front().cost.commitment.months();
       }));
  for (const Alternative& one : advice.alternatives) {
    const std::string& unit_cost = unit_costs[place++];
    if (&one == more_nodes(advice) || rows.size() + sentences.size() == most) continue;
    if (one.flag.empty()) {  // a sentence that names its machine
      sentences.push_back(printable(one.message));
      continue;
    }
    std::string machine = printable(instance_name(one.best));
    if (!advice.recommendations.empty()) {
      const Recommendation& best = advice.recommendations.front();
      if (one.best.instance == best.instance && one.best.machine().nodes == best.machine().nodes)
        machine = say("same machine");
    }
    const bool by_job = advice.work.ends() && !advice.work.by_the_hour();
    std::string end =
        by_job ? spoken_money(one.best.cost.total, advice.currency) : running_cost(advice, one.best, by_month);
    if (!unit_cost.empty()) end += "  " + unit_cost;
    if (one.ratio) end += format("  {:+.0f} %", 100 * (*one.ratio - 1));
    rows.push_back({printable(one.flag), std::move(machine), std::move(end), one.risk});
  }
  if (rows.empty() && sentences.empty()) return;
  std::array<std::size_t, 3> widths{};
  for (const auto& row : rows)
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  page.gap().line(advice.recommendations.empty() ? say("What would work:") : say("Cheaper:"));
  for (const auto& row : rows) {
    std::string line = " ";
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::string blanks(widths[i] - display_width(row[i]), ' ');
      line += i == 2 ? format(" {}{} ", blanks, row[i]) : format(" {}{} ", row[i], blanks);
    }
    line += row[3].empty() ? "" : " " + row[3];
    line.erase(line.find_last_not_of(' ') + 1);
    page.line(line, 4);
  }
  for (const std::string& sentence : sentences) page.line("  " + sentence, 4);
}

Table rows_table(const Advice& advice, std::span<const Recommendation* const> rows) {
  const std::string currency(advice.currency.code());
  const bool ends = advice.work.ends();
  const bool generates =
      !advice.work.counted && !job::is_training(advice.work.task) && advice.work.model->is_generator();
  std::vector<Column> columns{right("#"), left(say("instance")), left(say("GPUs"), 2), right(say("fits"), 3)};
  const auto latencies = shown_latencies(advice.work);
  if (generates && !ends) {
    for (const physics::LatencyTarget* latency : latencies)
      columns.push_back(right(say("{} ms", latency_name(*latency))));
  } else {
    columns.push_back(right(speed_title(advice.work)));
  }
  columns.push_back(right(say("{}/h", currency)));
  if (ends) columns.push_back(right(say("{} total", currency)));
  // "vs #1" is by the month, which the price per hour does not show then.
  const bool by_month = !ends && advice.work.by_the_hour() &&
                        std::ranges::any_of(rows, [](const Recommendation* r) { return month_differs(*r); });
  if (by_month) columns.push_back(right(say("{}/month", currency)));
  const auto term_of = [](const Recommendation* r) { return r->offer->term; };
  const bool by_term =
      std::ranges::any_of(rows, [&](const Recommendation* r) { return term_of(r) != term_of(rows[0]); });
  if (by_term) columns.push_back(left(say("term")));
  std::vector<catalog::Number> unit_costs;
  for (const Recommendation* r : rows) unit_costs.push_back(ordering_unit_cost(advice.work, *r));
  const std::vector<std::string> unit_texts = unit_amounts(unit_costs);
  const bool by_unit = std::ranges::any_of(unit_costs, [](const catalog::Number& cost) { return cost.has_value(); });
  if (by_unit) columns.push_back(right(format("{}/{}", currency, unit_column(advice.work))));
  columns.push_back(right(say("vs #1"), 1));
  Table table(std::move(columns));
  // Under a duty cycle from start to end, as the winner's line and deadlines have it.
  std::vector<double> elapsed;
  for (const Recommendation* r : rows) elapsed.push_back(r->cost.elapsed);
  const std::vector<std::string> speeds =
      ends && advice.duty.is_given() ? duration_texts(elapsed) : speed_texts(advice.work, rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Recommendation* r = rows[i];
    const double chance = r->plan().need.is_known() ? r->plan().need.chance() : std::nan("");
    std::vector<Cell> cells{format("{}", r->rank), printable(instance_name(*r)), spoken_gpus(*r),
                            std::isnan(chance) ? std::string("?") : answer::chance_words(chance)};
    if (generates && !ends) {
      const physics::InferenceSpeed& speed = r->plan().serving->speed;
      for (const physics::LatencyTarget* latency : latencies)
        cells.emplace_back(format("{:.0f}", in_ms(latency->reached(speed, advice.work.inference.slo_percentile))));
    } else {
      cells.emplace_back(speeds[i]);
    }
    cells.emplace_back(human_price(r->cost.hourly));
    if (ends) cells.emplace_back(human_price(r->cost.total));
    if (by_month) cells.emplace_back(spoken_sum(*r->cost.sums().month));
    if (by_term) cells.emplace_back(said(term_of(r)));
    if (by_unit) cells.emplace_back(unit_texts[i]);
    const double more = printed_ratio(advice, *r, advice.recommendations.front()) - 1;
    cells.emplace_back(r->rank == 1 ? std::string() : format("{:+.0f} %", 100 * more));
    table.add(std::move(cells)).meaning = r->rank == 1 ? Meaning::best : Meaning::plain;
  }
  return table;
}

/// Why a row is printed below one that costs more: a rule took points off, or its price counts for more. Empty: none
/// is.
std::string why_out_of_order(const Advice& advice, std::span<const Recommendation* const> rows) {
  constexpr double kVisible = 0.995;
  std::string why;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (printed_ratio(advice, *rows[i], *rows[i - 1]) >= kVisible) continue;
    const auto lowered = std::ranges::find_if(rows[i]->parts, [](const auto& part) { return part.points < 0; });
    if (lowered != rows[i]->parts.end())
      return say("#{} costs less but loses points: gpusel explain {}", rows[i]->rank, lowered->name);
    why = say("ranked by estimated current price: old and undated prices are marked up (--why)");
  }
  return why;
}

/// From where on the latencies are those of closed forms, below rows that were simulated; empty: of none.
std::string by_formulas(std::span<const Recommendation* const> rows) {
  const auto is_simulated = [](const Recommendation* r) {
    return r->plan().serving && r->plan().serving->speed.simulated.has_value();
  };
  if (rows.empty() || !is_simulated(rows.front())) return {};
  const auto first = std::ranges::find_if_not(rows, is_simulated);
  return first == rows.end() ? std::string()
                             : say("from #{} on, nodes and latencies come from formulas; --instance NAME simulates one",
                                   (*first)->rank);
}

void add_rest(Document& page, const Advice& advice, const RecommendView& view,
              std::span<const Recommendation* const> rows, bool by_load, bool elsewhere) {
  const auto is_shown = [&](const Recommendation& r) {
    if (!by_load) return std::ranges::find(rows, &r) != rows.end();
    return r.rank == 1 || std::ranges::any_of(advice.staircase, [&](const answer::Step& step) {
             return step.best.instance == r.instance;
           });
  };
  if (!by_load && view.objective == job::ObjectiveKind::cost)
    if (std::string why = why_out_of_order(advice, rows); !why.empty()) page.line(secondary(std::move(why)));
  if (const std::string unsimulated = by_load ? std::string() : by_formulas(rows); !unsimulated.empty())
    page.line(secondary(unsimulated));
  if (const std::string clouds = named_clouds_text(advice, is_shown); elsewhere && !clouds.empty()) page.line(clouds);
  int rejected = 0;
  for (const answer::Rejection& one : advice.rejected) rejected += one.count;
  const std::size_t ranked = advice.recommendations.size();
  const std::size_t all = ranked + static_cast<std::size_t>(rejected);
  std::string counts = ranked == 1 ? say("1 of {} qualifies", all) : say("{} of {} qualify", ranked, all);
  if (!view.show_rejected) counts = say("{} (--rejected)", counts);
  if (!view.all_sizes) counts += say(" · other sizes: --all-sizes");
  if (!view.why) counts += say(" · reasons: --why");
  page.line(secondary(counts));
}

std::string next_words(const RecommendView& view) {
  if (view.next_is_whole)
    return say("Next: gpusel export {} · --poc plans a test before spending", printable(view.next));
  return view.next.empty() ? say("Next: --poc plans a test before spending")
                           : say("Next: gpusel export {} (same flags) · --poc plans a test before spending", view.next);
}

}  // namespace

namespace {

/// Below one with two figures: an image may take a minute.
std::string requests_text(double per_s) { return per_s < 1 ? format("{:.2g}", per_s) : human_number(per_s); }

bool same_machines(const Recommendation& a, const Recommendation& b) {
  return a.instance == b.instance && a.offer == b.offer && a.machine().nodes == b.machine().nodes;
}

}  // namespace

namespace {

/// A step's load: "10 req/s", or a name of it.
std::string load_words(const std::string& load) {
  constexpr std::string_view kPerSecond = " req/s";
  if (load.ends_with(kPerSecond)) return say("{} req/s", load.substr(0, load.size() - kPerSecond.size()));
  return say_text(load);
}

}  // namespace

Table staircase_table(const Advice& advice) {
  const std::string currency(advice.currency.code());
  // Left out before a machine's name goes on in a second line, the month first.
  constexpr int kGpus = 4, kMonth = 5;
  std::vector<Column> columns{left(say("load")), left(say("instance")), left(say("GPUs"), kGpus),
                              right(say("{}/h", currency)), right(say("{}/month", currency), kMonth)};
  columns.push_back(right(format("{}/{}", currency, unit_column(advice.work))));
  std::vector<catalog::Number> unit_costs;
  for (const answer::Step& step : advice.staircase)
    unit_costs.push_back(advice.work.counted ? step.best.cost.per_unit : step.best.cost.per_million_tokens);
  const std::vector<std::string> unit_texts = unit_amounts(unit_costs);
  Table table(std::move(columns));
  bool folded = false;  // a smaller load, which the same machines serve
  for (std::size_t i = 0; i < advice.staircase.size(); ++i) {
    const answer::Step& step = advice.staircase[i];
    const bool last_rate = i + 2 >= advice.staircase.size();
    if (!last_rate && same_machines(step.best, advice.staircase[i + 1].best)) {
      folded = true;
      continue;
    }
    const bool full = i + 1 == advice.staircase.size() && step.requests_per_s > 0;
    const std::string load = full ? say("full: {} req/s", requests_text(step.requests_per_s))
                                  : (std::exchange(folded, false) ? "≤ " : "") + load_words(step.load);
    const auto month = step.best.cost.sums().month;
    table.add({load, printable(instance_name(step.best)), spoken_gpus(step.best), human_price(step.best.cost.hourly),
               month ? spoken_sum(*month) : std::string("?"), unit_texts[i]});
  }
  return table;
}

void add_staircase(Document& page, const Advice& advice) {
  page.add(staircase_table(advice));
  for (const std::string& line : staircase_remarks(advice)) page.line(line, 2);
}

std::vector<std::string> staircase_remarks(const Advice& advice) {
  std::vector<std::string> lines;
  for (const answer::Step& step : advice.staircase)
    if (!step.passed_over.empty()) lines.push_back(say("{}: {}", say_name(step.load), printable(step.passed_over)));
  return lines;
}

std::string named_clouds_text(const Advice& advice, const std::function<bool(const Recommendation&)>& is_shown) {
  const auto& all = advice.recommendations;
  std::string list;
  for (const std::string& cloud : advice.named_clouds) {
    const auto best = std::ranges::find(all, cloud, [](const Recommendation& r) { return r.instance->provider; });
    if (best != all.end() && !is_shown(*best))
      add_name(list, format("#{} {} {}{}", best->rank, printable(instance_name(*best)),
                            advice.work.ends() && !advice.work.by_the_hour()
                                ? spoken_money(best->cost.total, advice.currency)
                                : say("{}/h", spoken_money(best->cost.hourly, advice.currency)),
                            term_words(*best)));
  }
  return list.empty() ? list : say("Elsewhere: {}", list);
}

namespace {

/// Instances that the limits leave and that have no price; empty where there are none.
std::string unpriced(const Advice& advice) {
  std::vector<std::string> names;
  for (const answer::Rejection& one : advice.rejected)
    if (one.rule == "no-published-price") names.push_back(printable(one.instance->sku));
  return names.empty() ? std::string() : say("no prices recorded for {}", first_few(names));
}

}  // namespace

std::string chief_reason(const Advice& advice, const job::Constraints& limits) {
  struct Fallen {
    const job::Limit* limit = nullptr;
    int count = 0;
    std::string message;
    auto weight() const { return std::pair(limit != nullptr && limit->also.trades, count); }
  };
  std::map<std::string_view, Fallen> by_rule;
  for (const answer::Rejection& one : advice.rejected) {
    const job::Limit* limit = job::find_limit(one.rule);
    const bool chosen_away = limit != nullptr && (limit->on.turn != job::Turn::money || !limit->is_given(limits));
    if (one.rule == "no-gpu" || one.rule == "no-published-price" || chosen_away) continue;
    Fallen& fallen = by_rule[one.rule];
    fallen.limit = limit;
    fallen.count += one.count;
    if (fallen.message.empty()) fallen.message = one.message;
  }
  const auto most = std::ranges::max_element(by_rule, {}, [](const auto& each) { return each.second.weight(); });
  if (most == by_rule.end()) return unpriced(advice);
  const Fallen& fallen = most->second;
  if (fallen.limit != nullptr && fallen.limit->also.trades)
    return say("Excluded by {}: {} that could do the job", fallen.limit->flag(), fallen.count);
  if (most->first == "term")
    for (const std::string& term : limits.terms)
      for (const std::string& note : advice.notes)
        if (answer::is_unpriced_note(note, term)) return note;
  if (fallen.message.empty()) return {};
  return fallen.count == 1 ? say("1 instance: {} [{}]", printable(fallen.message), most->first)
                           : say("{} instances: {} [{}]", fallen.count, printable(fallen.message), most->first);
}

namespace {

/// What each load takes, unless the rows of one ranking are wanted.
bool shows_loads(const Advice& advice, const RecommendView& view) {
  return !advice.staircase.empty() && !view.ranking && view.limit == 0 && !view.all_sizes;
}

Document page_in(const Screen& screen, const Advice& advice, const job::Constraints& limits, const RecommendView& view,
                 const Document& details) {
  std::vector<const Recommendation*> rows;
  for (const Recommendation& r : advice.recommendations) {
    const int place = view.all_sizes ? r.rank : r.row;
    if (place > 0 && static_cast<std::size_t>(place) <= screen.rows) rows.push_back(&r);
  }
  Document page;
  page.title(spoken_question(advice.work) + limit_words(advice, limits) + load_note(advice))
      .line(secondary(context_words(advice, limits, view, rows)));
  page.gap();
  std::string why;
  if (advice.recommendations.empty()) {
    page.line(Text(say("Nothing qualifies; --rejected gives each instance's reason"), Meaning::warn));
    if (why = chief_reason(advice, limits); !why.empty()) page.line(why);
  } else {
    add_best(page, advice, view, screen);
  }
  // Who asks for the fastest knows that others are cheaper.
  if (view.objective != job::ObjectiveKind::speed || advice.recommendations.empty())
    add_alternatives(page, advice, screen.alternatives);
  const bool by_load = shows_loads(advice, view);
  std::vector<std::string> notes;
  if (by_load) {
    page.gap().add(staircase_table(advice));
    notes = staircase_remarks(advice);
  } else if (!rows.empty())
    page.gap().add(rows_table(advice, rows));
  if (!rows.empty()) add_rest(page, advice, view, rows, by_load, screen.elsewhere);
  for (const std::string& note : advice.notes)
    if (note != why) notes.push_back(say("Note: {}", printable(note)));
  const std::size_t shown = std::min(notes.size(), screen.notes);
  for (std::size_t i = 0; i < shown; ++i) page.line(notes[i], 2);
  if (const std::size_t more = notes.size() - shown; more > 0)
    page.line(secondary(more == 1 ? say("1 more note: --why") : say("{} more notes: --why", more)));
  page.append(details);
  if (!rows.empty() && !details.empty()) page.gap();
  return rows.empty() ? page : page.line(next_words(view));
}

}  // namespace

Document brief_page(const Advice& advice, const job::Constraints& limits, const RecommendView& view,
                    const Terminal& terminal, const Document& details) {
  const auto page_of = [&](Screen screen) {
    if (view.limit != 0) screen.rows = view.limit;
    return page_in(screen, advice, limits, view, details);
  };
  if (view.asks_more()) return page_of(kInFull);
  Document page;
  for (const Screen& screen : kScreens) {
    page = page_of(screen);
    const std::string text = terminal_text(page, {.width = terminal.width});
    if (static_cast<std::size_t>(std::ranges::count(text, '\n')) <= kScreenLines) break;
  }
  return page;
}

}  // namespace gpusel::show
