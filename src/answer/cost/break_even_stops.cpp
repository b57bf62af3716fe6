// How a job is stopped, what that costs it, whether it is in time, and what it costs on spot.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "answer/cost/break_even_parts.hpp"
#include "answer/facts/candidates.hpp"
#include "base/words/message.hpp"
#include "physics/checkpoint.hpp"

namespace gpusel::answer {

namespace {

using catalog::Term;

constexpr double kSure = 0.95;
constexpr std::string_view kLlamaFailures =
    "The Llama 3 Herd of Models (2024); failure.* of data/calibration/economy.yaml";
constexpr std::string_view kPoisson = "interruptions at random, repeated attempts at each interval (negative binomial)";

double gpus_of_node(const BreakEvenContext& c) { return c.subject().instance->gpu_count.value_or(0); }

/// GB/s between nodes; 0 where they have no network of their own.
double checkpoint_network(const BreakEvenContext& c) {
  const CostSubject& subject = c.subject();
  if (subject.planned != nullptr) return subject.planned->machine.network.raw() / kGB;
  const auto machine = machine_of(*subject.instance, subject.nodes, c.catalog, c.coefficients);
  return machine ? machine->network.raw() / kGB : 0;
}

/// Of a service those hours are compared that are paid anyway.
double paid_ratio_of(const BreakEvenContext& c, Term term) {
  return c.job_hours() ? c.paid_ratio(*c.job_hours(), term) : 1;
}

money::SpotCase spot_case(const BreakEvenContext& c, const SpotBreakEven& spot, double hours,
                          double ThreePoints::* point) {
  money::SpotCase asked;
  asked.spot_per_hour = spot.spot.per_hour * paid_ratio_of(c, Term::spot);
  asked.on_demand_per_hour = spot.on_demand.per_hour * paid_ratio_of(c, Term::on_demand);
  asked.failures = c.out.stops->failures;
  asked.taken_per_hour = spot.share ? money::hourly_rate((*spot.share).*point) * c.subject().nodes : 0;
  asked.regain = seconds(3600 * spot.regain_hours.*point);
  asked.work = seconds(3600 * hours);
  if (c.wishes.checkpoint_hours && c.out.stops->checkpoint_gb)
    asked.interval = seconds(3600 * *c.wishes.checkpoint_hours);
  asked.restarts_paid = !c.wishes.unpaid_restarts.value_or(false);
  asked.piecewise = c.out.stops->piecewise;
  return asked;
}

void explain_stops(const BreakEvenContext& c) {
  const StopModel& stops = *c.out.stops;
  const auto& e = c.economy();
  if (!c.wishes.mtbf_hours)
    c.explain("node_mtbf_hours", say("MTBF of a node of 8 GPUs ÷ (GPU share × GPUs ÷ 8 + 1 − GPU share)"),
              format("{:g} / ({:g} × {:g} / 8 + {:g})", e.node_mtbf_hours.value, e.gpu_failure_share.value,
                     gpus_of_node(c), 1 - e.gpu_failure_share.value),
              hours_figure(stops.node_mtbf_hours), std::string(kLlamaFailures));
  c.explain("failures_per_hour", say("nodes ÷ MTBF of a node"),
            format("{} / {:.1f}", c.subject().nodes, stops.node_mtbf_hours),
            physics::shown("{:.3g}", stops.failures.per_hour, to_name("per hour")), std::string(kDefinition));
  if (!stops.checkpoint_gb) return;
  if (!c.wishes.checkpoint_gb)
    c.explain("checkpoint_gb", say("parameters that are trained × (bytes of a weight + bytes of optimizer states)"), {},
              physics::shown("{:.4g}", *stops.checkpoint_gb, "GB"), say("docs/method.md, memory of training"));
  c.explain("checkpoint_s", say("δ = size ÷ (nodes × GB/s that a node writes)"),
            format("{:.4g} / {:.4g}", *stops.checkpoint_gb, *stops.write_gbs),
            physics::shown("{:.1f}", stops.failures.checkpoint.raw(), "s"),
            say("checkpoint.node_write_gbs of data/calibration/economy.yaml"));
}

void explain_run(const BreakEvenContext& c, std::string_view key, const money::Run& run,
                 const money::Interruptions& stops, bool piecewise) {
  const double between = 1 / stops.per_hour;
  const double restart = in_hours(stops.restart);
  const double write = in_hours(stops.checkpoint);
  const double interval = in_hours(run.interval);
  if (interval > 0 && !c.wishes.checkpoint_hours)
    c.explain(format("{}.interval_hours", key), say("τ = √(2δM) · (1 + √(δ/2M)/3 + δ/2M/9) − δ"),
              format("δ = {:.5f} h, M = {:.2f} h; Young's √(2δM) = {:.3f} h", write, between,
                     in_hours(money::young_interval(stops))),
              hours_figure(interval), std::string(kDaly));
  const double work = in_hours(run.work);
  if (piecewise)
    c.explain(format("{}.hours", key), say("work × e^(R/M)"),
              format("{:.2f} × e^({:.3f} / {:.2f})", work, restart, between), hours_figure(in_hours(run.wall)),
              std::string(kDaly));
  else if (interval > 0)
    c.explain(format("{}.hours", key), say("M · e^(R/M) · (e^((τ + δ)/M) − 1) · work ÷ τ"),
              format("{0:.2f} × e^({1:.3f}/{0:.2f}) × (e^({2:.4f}/{0:.2f}) − 1) × {3:.2f} / {4:.4f}", between, restart,
                     interval + write, work, interval),
              hours_figure(in_hours(run.wall)), std::string(kDaly));
  else
    c.explain(format("{}.hours", key), say("M · e^(R/M) · (e^(work/M) − 1)"),
              format("{0:.2f} × e^({1:.3f}/{0:.2f}) × (e^({2:.2f}/{0:.2f}) − 1)", between, restart, work),
              hours_figure(in_hours(run.wall)), std::string(kDaly));
  c.explain(format("{}.interruptions", key), say("expected time ÷ M"),
            format("{:.2f} / {:.2f}", in_hours(run.wall), between), physics::shown("{:.3g}", run.interruptions),
            std::string(kDefinition));
  c.explain(format("{}.restart_hours", key), say("expected time × (1 − e^(−R/M))"),
            format("{:.2f} × (1 − e^(−{:.3f} / {:.2f}))", in_hours(run.wall), restart, between),
            hours_figure(in_hours(run.restarting)), std::string(kDaly));
  c.explain(format("{}.chance_of_none", key), say("e^(−time without interruptions ÷ M)"),
            format("e^(−{:.2f} / {:.2f})", in_hours(run.undisturbed), between),
            physics::shown("{:.3g}", run.chance_of_none * 100, "%"), say("interruptions at random"));
}

void explain_mix(const BreakEvenContext& c, const money::SpotCase& asked, const money::SpotMix& mix, double regain) {
  const double taken = asked.taken_per_hour * (1 - mix.on_demand_share);
  const double all = asked.failures.per_hour + taken;
  const double returns = all > 0 ? mix.run.interruptions * taken / all : 0;
  const double back = in_hours(asked.failures.restart + asked.failures.checkpoint);
  c.explain("spot.mix.on_demand_share", say("r ÷ (1 + r), r = reclaims per hour × hours until spot is back"),
            format("r = {:.3g} × {:.3g}", asked.taken_per_hour, regain),
            physics::shown("{:.3g}", mix.on_demand_share * 100, "%"), std::string(kDefinition));
  c.explain("spot.mix.hours", say("expected hours without waiting + returns to spot × (restart + checkpoint)"),
            format("{:.2f} + {:.3g} × {:.4f}", in_hours(mix.run.wall) - returns * back, returns, back),
            hours_figure(in_hours(mix.run.wall)), std::string(kDaly));
  c.explain("spot.mix.cost", say("hours, a return to spot after each loss included × mean price of an hour"),
            format("{:.3f} × ({:.3g} × {:.4f} + {:.3g} × {:.4f})", in_hours(mix.run.wall), mix.on_demand_share,
                   asked.on_demand_per_hour, 1 - mix.on_demand_share, asked.spot_per_hour),
            physics::shown("{:.2f}", mix.cost, c.currency()), std::string(kDefinition));
}

/// The run without what it waits for, which is added to it.
void explain_spot(const BreakEvenContext& c, const SpotBreakEven& spot, const money::SpotCase& asked,
                  const money::SpotAnswer& answer) {
  money::Run running = answer.spot;
  running.wall -= running.waiting;
  explain_run(c, "spot", running, asked.failures + asked.taken_per_hour, asked.piecewise);
  const double nodes = std::pow(c.subject().nodes, c.economy().spot_regain_growth.value);
  if (!c.wishes.regain_hours)
    c.explain("spot.regain_hours", say("hours until one node is there again × nodes^growth"),
              format("{:.3g} × {}^{:g}", spot.regain_hours.mid / nodes, c.subject().nodes,
                     c.economy().spot_regain_growth.value),
              hours_figure(spot.regain_hours.mid), say("spot.* of data/calibration/economy.yaml"));
  c.explain("spot.waiting_hours", say("times that spot is reclaimed × hours until it is back; not billed"),
            format("{:.3g} × {:.3g}", answer.spot.waiting / asked.regain, spot.regain_hours.mid),
            hours_figure(in_hours(answer.spot.waiting)), std::string(kDefinition));
  c.explain("spot.elapsed_hours", say("expected hours + hours of waiting"),
            format("{:.2f} + {:.2f}", in_hours(running.wall), in_hours(answer.spot.waiting)),
            hours_figure(in_hours(answer.spot.wall)), std::string(kDefinition));
  explain_mix(c, asked, answer.mix, spot.regain_hours.mid);
  if (!spot.best || !spot.worst) return;
  c.explain("spot.range", say("the same at the fewest and the most interruptions and hours until spot is back"),
            format("{:g} and {:g} taken within a month, {:.3g} h and {:.3g} h", spot.share->low, spot.share->high,
                   spot.regain_hours.low, spot.regain_hours.high),
            physics::Figure::words(spot.worst->spot.ends()
                                       ? say("{:.2f} h to {:.2f} h, {:.2f} to {:.2f} {}",
                                             in_hours(spot.best->spot.wall), in_hours(spot.worst->spot.wall),
                                             spot.best->spot_cost, spot.worst->spot_cost, c.currency())
                                       : say("{:.2f} h or more", in_hours(spot.best->spot.wall))),
            say("spot.* of data/calibration/economy.yaml"));
}

money::Interruptions without_writing(money::Interruptions stops) {
  stops.checkpoint = {};
  return stops;
}

/// Of the item itself, planned or saved.
Speed own_speed(const BreakEvenContext& c) {
  if (c.plan() != nullptr && c.answer.work) return speed_of(c, c.subject().planned->machine, *c.plan());
  if (c.subject().saved == nullptr || c.job() == nullptr) return {};
  return {c.job()->tokens_per_s.value_or(0), c.subject().saved->rate};
}

/// What was said of interruptions and has no effect, since nothing is interrupted.
void note_idle_wishes(const BreakEvenContext& c) {
  const BreakEvenWishes& w = c.wishes;
  std::string flags;
  const auto said = [&](bool there, std::string_view flag) {
    if (there) flags += format("{}{}", flags.empty() ? "" : ", ", flag);
  };
  said(w.deadline_hours.has_value(), "--deadline");
  said(w.mtbf_hours.has_value(), "--mtbf-hours");
  said(w.interruptions.has_value(), "--interruptions");
  said(w.checkpoint_hours.has_value(), "--checkpoint-minutes");
  said(w.checkpoint_gb.has_value(), "--checkpoint-gb");
  said(w.restart_hours.has_value(), "--restart-minutes");
  said(w.regain_hours.has_value(), "--regain-hours");
  if (!flags.empty()) c.note(say("without a job, {} has no effect", flags));
}

void add_deadline(const BreakEvenContext& c, const money::Run& run) {
  if (!c.wishes.deadline_hours || !run.ends()) return;
  DeadlineAnswer found;
  found.deadline_hours = *c.wishes.deadline_hours;
  const double hours = in_hours(run.work);
  found.running_hours = found.deadline_hours * hours / money::elapsed_hours(hours, c.answer.duty);
  const auto elapsed = [&](Seconds time) { return money::elapsed_hours(in_hours(time), c.answer.duty); };
  const Speed speed = own_speed(c);
  const auto runs = likely_runs(c, *c.out.stops, run, speed);
  const Seconds sure = money::time_for_share(runs, kSure);
  found.expected_hours = elapsed(run.wall);
  found.hours_95 = elapsed(sure);
  found.confidence = c.answer.work ? c.answer.work->confidence : job::Job{}.confidence;
  found.chance = money::chance_within(runs, seconds(3600 * found.running_hours));
  if (speed.is_known() && speed.rate > speed.interval.low) {
    const money::Run slower = run_of(*c.out.stops, c.wishes, hours * speed.rate / speed.interval.low);
    if (slower.ends()) found.slow_hours = elapsed(slower.wall);
  }
  c.explain("deadline.running_hours", say("deadline × hours of work ÷ hours that they take under the duty cycle"),
            format("{:.2f} × {:.2f} / {:.2f}", found.deadline_hours, hours, money::elapsed_hours(hours, c.answer.duty)),
            hours_figure(found.running_hours), std::string(kDefinition));
  const std::string at_speeds = runs.size() > 1 ? say(", mean over {} equally likely speeds", runs.size()) : "";
  c.explain(
      "deadline.hours_95",
      say("undisturbed time + stops that 95 % of runs do not exceed × mean cost of one{}", at_speeds),
      format("{0:.2f} h + n × ({1:.2f} − {0:.2f}) h / {2:.3g}{4}; {3:.2f} h of running", in_hours(run.undisturbed),
             in_hours(run.wall), run.interruptions, in_hours(sure), runs.size() > 1 ? say(" at the median speed") : ""),
      hours_figure(found.hours_95), std::string(kPoisson));
  c.explain("deadline.expected_hours", say("hours from start to end for the expected time, under the duty cycle"),
            format("{:.2f} h of running", in_hours(run.wall)), hours_figure(found.expected_hours),
            std::string(kDefinition));
  c.explain("deadline.chance", say("chance of no more stops than fit before the deadline{}", at_speeds),
            format("({:.2f} − {:.2f}) h", found.running_hours, in_hours(run.undisturbed)),
            physics::shown("{:.3g}", found.chance * 100, "%"), std::string(kPoisson));
  if (found.slow_hours)
    c.explain("deadline.slow_hours", say("the same at the low end of the 80 % interval of the speed"), {},
              hours_figure(*found.slow_hours), say("data/measurements, gpusel verify"));
  c.out.deadline = found;
}

}  // namespace

Speed speed_of(const BreakEvenContext& c, const physics::Machine& machine, const physics::Plan& plan) {
  const auto ranges = intervals_for(*c.answer.work, machine, plan, c.coefficients);
  return {plan.rate, ranges.rate};
}

std::vector<money::Run> likely_runs(const BreakEvenContext& c, const StopModel& stops, const money::Run& run,
                                    const Speed& speed) {
  if (!speed.is_known()) return {run};
  std::vector<money::Run> runs;
  for (const double likely : money::equally_likely(speed.interval.low, speed.interval.high))
    runs.push_back(run_of(stops, c.wishes, in_hours(run.work) * speed.rate / likely));
  return runs;
}

StopModel stop_model(const BreakEvenContext& c, int nodes) {
  const CostSubject& subject = c.subject();
  StoppedJob job{c.work(), gpus_of_node(c), nodes, checkpoint_network(c)};
  if (subject.planned != nullptr && c.answer.work)
    job = stopped_job(*c.answer.work, gpus_of_node(c), subject.planned->machine, subject.planned->plan);
  else if (subject.saved != nullptr)
    if (const auto size = physics::checkpoint_size(*c.work(), subject.saved->precision))
      job.checkpoint_gb = in_gb(*size);
  job.nodes = nodes;
  return answer::stop_model(job, c.wishes, c.coefficients);
}

money::Run run_of(const StopModel& stops, const BreakEvenWishes& wishes, double hours) {
  return run_of(stops, stops.failures, wishes, hours);
}

void add_stops(const BreakEvenContext& c) {
  if (c.job() == nullptr) {
    note_idle_wishes(c);
    return;
  }
  c.out.stops = stop_model(c, c.subject().nodes);
  const StopModel& stops = *c.out.stops;
  c.said_or(c.wishes.mtbf_hours, stops.node_mtbf_hours, "mtbf_hours");
  c.said_or(c.wishes.restart_hours, stops.failures.restart.raw() / 60, "restart_minutes");
  if (stops.checkpoint_gb) {
    c.said_or(c.wishes.checkpoint_gb, *stops.checkpoint_gb, "checkpoint_gb");
    c.said_or({}, *stops.write_gbs, "checkpoint_write_gbs");
  } else if (!stops.piecewise) {
    c.note(
        say("the checkpoint size is unknown: the job is assumed to start over after each interruption; set "
            "--checkpoint-gb"));
  }
  explain_stops(c);
}

void add_job_run(const BreakEvenContext& c) {
  const catalog::Number hours = c.job_hours();
  if (!hours || !c.out.stops) return;
  const StopModel& stops = *c.out.stops;
  JobRun job;
  job.run = run_of(stops, c.wishes, *hours);
  const Seconds work = job.run.work;
  if (stops.checkpoint_gb) {
    if (c.wishes.checkpoint_hours) job.best = money::best_run(stops.failures, work);
    if (job.run.interval.raw() > 0) job.without = money::expected_run(stops.failures, work, {});
  }
  const double node_hours = in_hours(job.run.wall) * c.subject().nodes;
  if (stops.node_mtbf_low && stops.node_mtbf_high && job.run.ends()) {
    job.failures_low = node_hours / *stops.node_mtbf_high;
    job.failures_high = node_hours / *stops.node_mtbf_low;
  }
  if (const TermCost* on_demand = c.term(Term::on_demand)) job.per_hour = on_demand->rate * c.paid_ratio(*hours);
  explain_run(c, "job", job.run, stops.failures, stops.piecewise);
  if (job.best && job.best->ends()) explain_run(c, "job.best", *job.best, stops.failures, false);
  if (job.without && job.without->ends())
    explain_run(c, "job.without_checkpoints", *job.without, without_writing(stops.failures), false);
  if (job.failures_high > 0)
    c.explain("job.failures_range", say("expected hours × nodes ÷ MTBF of a node where they fail least and most"),
              format("{:.2f} / {:.1f} and / {:.1f}", node_hours, *stops.node_mtbf_high, *stops.node_mtbf_low),
              physics::Figure::words(format("{:.3g} to {:.3g}", job.failures_low, job.failures_high)),
              say("Revisiting Reliability in Large-Scale Machine Learning Research Clusters (arXiv 2410.21680)"));
  if (job.per_hour > 0 && job.run.ends())
    c.explain("job.cost", say("expected hours × price on demand per hour of work, with the hours paid without work"),
              format("{:.3f} × {:.4f}", in_hours(job.run.wall), job.per_hour),
              physics::shown("{:.2f}", in_hours(job.run.wall) * job.per_hour, c.currency()), std::string(kDefinition));
  c.out.job = job;
  add_deadline(c, job.run);
}

void add_spot(const BreakEvenContext& c) {
  const TermCost* on_demand = c.on_demand();
  const TermCost* spot_term = c.term(Term::spot);
  if (on_demand == nullptr || spot_term == nullptr || spot_term->rate <= 0) return;
  SpotBreakEven spot;
  std::tie(spot.on_demand, spot.spot) = c.in_one_place(*on_demand, *spot_term);
  spot.time_ratio = spot.on_demand.per_hour / spot.spot.per_hour;
  spot.market = spot_market_of(*c.subject().instance, c.catalog);
  spot.share = taken_share(c.wishes, spot.market, c.coefficients);
  spot.regain_hours =
      regain_hours(c.wishes, c.catalog.gpu_of(*c.subject().instance), c.subject().nodes, c.coefficients);
  spot.price_is_guess = is_guess(*spot.spot.offer, c.answer.today);
  c.explain("spot.time_ratio", say("price on demand ÷ price of spot"),
            format("{:.4f} / {:.4f}", spot.on_demand.per_hour, spot.spot.per_hour),
            physics::shown("{:.3f}", spot.time_ratio), std::string(kDefinition));
  if (c.out.stops) {
    // A service has no end: what it loses of each hour does not depend on how long it runs.
    const double hours = c.job_hours().value_or(c.hours_per_month());
    const int nodes = c.subject().nodes;
    const money::SpotCase asked = spot_case(c, spot, hours, &ThreePoints::mid);
    const money::SpotAnswer answer = money::compare_spot(asked);
    if (answer.break_even_rate) {
      spot.break_even_share = money::share_of_month(*answer.break_even_rate / nodes);
      spot.break_even_hours = 1 / *answer.break_even_rate;
    }
    if (spot.share && answer.spot.ends() && answer.on_demand.ends()) {
      spot.answer = answer;
      if (!spot.share->is_one() || !spot.regain_hours.is_one()) {
        spot.best = money::compare_spot(spot_case(c, spot, hours, &ThreePoints::low));
        spot.worst = money::compare_spot(spot_case(c, spot, hours, &ThreePoints::high));
      }
      spot.break_even_price = answer.break_even_price / nodes / paid_ratio_of(c, Term::spot);
      if (!c.wishes.interruptions) c.said_or({}, spot.share->mid, "interruptions");
      c.said_or(c.wishes.regain_hours, spot.regain_hours.mid, "regain_hours");
      const double paid_hours = hours * answer.spot.paid_factor(asked.restarts_paid);
      c.explain("spot.taken_per_hour", say("−ln(1 − share reclaimed within a month) ÷ 730 × nodes"),
                format("−ln(1 − {:g}) / 730 × {}", spot.share->mid, nodes),
                physics::shown("{:.3g}", asked.taken_per_hour, to_name("per hour")),
                c.wishes.interruptions      ? "--interruptions"
                : is_published(spot.market) ? std::string(spot.market->source)
                                            : say("assumed: nothing is published"));
      explain_spot(c, spot, asked, answer);
      if (!c.out.job) explain_run(c, "spot.on_demand", answer.on_demand, asked.failures, asked.piecewise);
      c.explain("spot.on_demand_cost",
                say("expected hours × price on demand per hour of work, with the hours paid without work"),
                format("{:.3f} × {:.4f}", in_hours(answer.on_demand.wall), asked.on_demand_per_hour),
                physics::shown("{:.2f}", answer.on_demand_cost, c.currency()), std::string(kDefinition));
      c.explain("spot.cost",
                asked.restarts_paid
                    ? say("expected hours × price of spot per hour of work, with the hours paid without work")
                    : say("expected hours without restarts × price of spot per hour of work, with the hours paid "
                          "without work"),
                format("{:.3f} × {:.4f}", paid_hours, asked.spot_per_hour),
                physics::shown("{:.2f}", answer.spot_cost, c.currency()), std::string(kDefinition));
      c.explain("spot.break_even_price", say("cost on demand ÷ hours paid on spot ÷ nodes"),
                format("{:.2f} / {:.3f} / {}", answer.on_demand_cost, paid_hours * paid_ratio_of(c, Term::spot), nodes),
                physics::shown("{:.4f}", *spot.break_even_price, c.currency()), std::string(kDefinition));
    }
    if (spot.break_even_share) {
      c.explain("spot.break_even_hours", say("hours between interruptions of the job at which both cost the same"),
                format("{:.2f} = {:.4f} × expected hours", answer.on_demand_cost, asked.spot_per_hour),
                hours_figure(*spot.break_even_hours), say("bisection of the formula of the expected time"));
      c.explain("spot.break_even_interruptions", say("1 − e^(−730 ÷ (hours between interruptions × nodes))"),
                format("1 − e^(−730 / ({:.4f} × {}))", *spot.break_even_hours, nodes),
                physics::shown("{:.4g}", *spot.break_even_share * 100, "%"), std::string(kDefinition));
    }
  }
  if (spot.market != nullptr && spot.market->notice_s && c.out.stops && c.out.stops->checkpoint_gb)
    spot.notice_suffices = *spot.market->notice_s >= c.out.stops->failures.checkpoint.raw();
  c.out.spot = std::move(spot);
}

}  // namespace gpusel::answer
