#include "serve/simulate.hpp"

#include <algorithm>
#include <cmath>

#include "base/values/normal.hpp"
#include "serve/load/random.hpp"

namespace gpusel::serve {

namespace {

constexpr std::size_t kParts = 20;  // of a run, whose spread says how well it is known
constexpr std::size_t kLeastRequests = 2000;
constexpr std::size_t kMostRequests = 500'000;
constexpr std::size_t kMostDrawn = 50'000;           // of a log, for draws of step times and the knee
constexpr std::size_t kMostDrawnOfMinutes = 20'000;  // of minutes that differ, likewise
constexpr std::size_t kMostWithLosses = 20'000;
constexpr double kKnownTo = 0.05;
constexpr double kRounding = 1e-6;     // of a number of requests
constexpr double kWarmUp = 0.2;        // of a short run
constexpr std::uint64_t kComing = 13;  // stream of random numbers

/// Step times under which a setup runs, and the front end.
struct Times {
  StepTimes steps;
  double front_end = 0;
};

/// All of them so many standard deviations slower.
Times times_when(double slow, const Setup& setup, const Doubt& doubt) {
  return {setup.times.scaled(std::exp(doubt.memory * slow), std::exp(doubt.compute * slow)),
          setup.scheduling.front_end * std::exp(doubt.front_end * slow)};
}

/// Draws lie evenly over the distribution, the fastest first.
double slowness_of(std::size_t draw, std::size_t draws) {
  return normal_quantile((static_cast<double>(draw) + 0.5) / static_cast<double>(draws));
}

class Simulator {
 public:
  Simulator(const Setup& setup, const Demand& demand, const Goal& goal, const Effort& effort)
      : setup_(setup), demand_(demand), goal_(goal), effort_(effort), times_{setup.times, setup.scheduling.front_end} {
    scheduling_ = setup.scheduling;
    if (goal.targets.itl) scheduling_.slow_gap = *goal.targets.itl;
  }

  struct Shot {
    job::Requests requests;
    Run run;
    Window window;
    Outcome outcome;
  };

  /// `count` requests are counted; before them come those that warm up, behind them those that keep the load.
  /// In how many parts it is looked at: only what says how well it is known needs several. It ends where fewer than
  /// `least` of them can still be in time, which are none then.
  Shot shoot(std::size_t count, double rate, const Times& times, std::uint32_t users, std::size_t parts = 1,
             const std::optional<double>& least = std::nullopt) const {
    Shot shot;
    const bool log = demand_.replays();
    const auto before = log ? 0 : warm_up(count, rate);
    const std::size_t behind = log ? 0 : tail(count);
    const std::size_t drawn = before + count + behind;
    shot.requests = effort_.drawn != nullptr ? effort_.drawn->of(demand_, drawn, rate, effort_.seed)
                                             : draw(demand_, drawn, rate, effort_.seed);
    const std::size_t all = shot.requests.all.size();
    shot.window = {std::min(before, all), std::min(before + count, all), parts};
    if (users > 0) come_apart(shot.requests, users, times);
    if (effort_.warm_up) shot.window.from = first_after(shot.requests, *effort_.warm_up, shot.window.until);
    Scheduling scheduling = scheduling_;
    scheduling.front_end = times.front_end;
    scheduling.keeps_spreads = !least;
    const Watch watch = until_too_late(shot, least.value_or(0));
    shot.run = serve_requests(shot.requests, times.steps, scheduling, setup_.fleet, users, shot.window, effort_.seed,
                              least ? &watch : nullptr);
    if (shot.run.ended_early)
      shot.outcome.in_time = {0, 0, 0, 0, 0};
    else
      shot.outcome = outcome_of(shot.requests, shot.run, goal_.targets, shot.window);
    return shot;
  }

  Shot shoot(std::size_t count, const Times& times) const {
    return shoot(count, demand_.rate, times, demand_.users.count);
  }
  Shot shoot_in_parts(std::size_t count) const {
    return shoot(count, demand_.rate, times_, demand_.users.count, kParts);
  }

  const Times& times() const { return times_; }

  /// With step times that are so much slower. Where a queue grows for as long as a run lasts, nothing is in time.
  Shot shoot_when(double slow, std::size_t count, const Doubt& doubt,
                  const std::optional<double>& least = std::nullopt) const {
    auto shot = shoot(count, demand_.rate, times_when(slow, setup_, doubt), demand_.users.count, 1, least);
    if (demand_.replays() || shot.run.ended_early || !is_saturated(shot)) return shot;
    shot.outcome.in_time = {0, 0, 0, 0, 0};
    for (const auto measure : {&Measures::ttft, &Measures::e2e})
      for (const auto figure : kFigures) shot.outcome.measures.*measure.*figure = kNever;
    return shot;
  }

  /// Whether a run's queue grows for as long as it lasts: those of the second half wait clearly longer. Replicas are
  /// busy all the time then, unless others are missing or a link between them is what is short.
  bool is_saturated(const Shot& shot) const {
    const bool all_there = setup_.fleet.reclaims_per_hour <= 0 && setup_.fleet.prompt_replicas == 0;
    if (all_there && shot.outcome.utilization < 0.98) return false;
    if (!all_there) {
      const Outcome& o = shot.outcome;
      const auto [first, second] = halves(shot, &Served::e2e);
      return o.requests_per_s * o.seconds < 0.97 * static_cast<double>(o.requests) && second > 1.5 * first;
    }
    const auto [first, second] = halves(shot, &Served::queued);
    const double mean = shot.outcome.measures.e2e.mean - shot.outcome.wait;
    return second > 1.5 * first + mean;
  }

  /// The mean of those of the first half, and of the second.
  static std::pair<double, double> halves(const Shot& shot, float Served::* time) {
    const std::size_t half = (shot.window.until - shot.window.from) / 2;
    std::pair<double, double> sums;
    for (std::size_t i = 0; i < half; ++i) {
      sums.first += shot.run.served[shot.window.from + i].*time;
      sums.second += shot.run.served[shot.window.from + half + i].*time;
    }
    const double count = std::max<double>(1, static_cast<double>(half));
    return {sums.first / count, sums.second / count};
  }

 private:
  Watch until_too_late(const Shot& shot, double least) const {
    const double most = (1 - least) * static_cast<double>(shot.window.until - shot.window.from);
    return {[this, &shot, most](std::span<const Served> served, std::size_t from, std::size_t until) {
      double late = 0;
      for (std::size_t i = from; i < until; ++i) {
        const bool waited = goal_.targets.ttft && served[i].ttft < kNever && served[i].ttft > *goal_.targets.ttft;
        late += waited || (served[i].done() && !is_in_time(served[i], shot.requests.all[i], goal_.targets)) ? 1 : 0;
      }
      return late > most + kRounding;
    }};
  }

  /// A part of a short run; where minutes differ, the first of them.
  std::size_t warm_up(std::size_t count, double rate) const {
    const double part = kWarmUp * static_cast<double>(count);
    return static_cast<std::size_t>(demand_.process.minute_cv > 0 ? std::min(part, 60 * rate) : part);
  }

  /// So many more that the last of those that count meets a service as busy as the first.
  static std::size_t tail(std::size_t count) { return std::min<std::size_t>(count / 5, 2000); }

  static std::size_t first_after(const job::Requests& requests, double time, std::size_t until) {
    const auto at = std::ranges::lower_bound(requests.all, time, {}, &job::LoggedRequest::arrival);
    return std::min(static_cast<std::size_t>(at - requests.all.begin()), until);
  }

  /// Users do not come all at once: each asks first at some time within a round of waiting and thinking.
  void come_apart(job::Requests& requests, std::uint32_t users, const Times& times) const {
    Scheduling scheduling = scheduling_;
    scheduling.front_end = times.front_end;
    job::Requests first = requests;
    first.all.resize(std::min(requests.all.size(), 2 * std::size_t{users}));
    const Window window{first.all.size() / 2, first.all.size(), 1};
    const Run run = serve_requests(first, times.steps, scheduling, setup_.fleet, users, window, effort_.seed);
    const double round = outcome_of(first, run, goal_.targets, window).measures.e2e.mean + demand_.users.think;
    if (!std::isfinite(round)) return;
    Random random(effort_.seed, kComing);
    std::uint32_t come = 0;
    for (job::LoggedRequest& request : requests.all) {
      if (request.follows != 0) continue;
      if (++come > users) return;
      request.arrival += random.share() * round;
    }
  }

  const Setup& setup_;
  const Demand& demand_;
  const Goal& goal_;
  const Effort& effort_;
  const Times times_;
  Scheduling scheduling_;
};

/// Whether every percentile but the last is known well enough.
bool known(const Outcome& outcome, const HalfWidths& widths) {
  for (const auto measure : kMeasures)
    for (const auto figure : kFigures) {
      if (figure == &Figures::p999) continue;
      const double value = outcome.measures.*measure.*figure;
      if (std::isfinite(value) && value > 0 && !(widths.measures.*measure.*figure <= kKnownTo * value)) return false;
    }
  return true;
}

/// Requests of as many minutes as their different rates need.
std::size_t minutes_of(const Demand& demand) {
  const double all = demand.users.count > 0 ? 0 : 60 * demand.enough_minutes() * demand.rate;
  return std::min(kMostRequests, static_cast<std::size_t>(all));
}

std::size_t first_length(const Demand& demand, const Effort& effort) {
  if (demand.replays()) return std::min(demand.log->all.size(), effort.requests.value_or(SIZE_MAX));
  const std::size_t users = demand.users.count;
  return effort.requests.value_or(std::max({kLeastRequests, 10 * users, minutes_of(demand)}));
}

/// Until it is known well enough; a log and a stated number once.
Simulator::Shot main_run(const Simulator& simulator, const Demand& demand, const Effort& effort, HalfWidths& widths,
                         const Targets& targets) {
  std::size_t count = first_length(demand, effort);
  while (true) {
    auto shot = simulator.shoot_in_parts(count);
    widths = half_widths(shot.requests, shot.run, targets, shot.window);
    const bool once = demand.replays() || effort.requests.has_value();
    // Requests that are never served make means infinite, however long a run is.
    const bool futile = shot.outcome.unserved > 0 && count > kMostWithLosses;
    if (once || count >= kMostRequests || futile || known(shot.outcome, widths) || simulator.is_saturated(shot))
      return shot;
    count = std::min(kMostRequests, 4 * count);
  }
}

/// The share in time, moved as the shorter runs move.
double moved_share(const Simulation& simulation, const Outcome& draw) {
  return std::clamp(simulation.outcome.in_time.all + draw.in_time.all - simulation.drawn.in_time.all, 0.0, 1.0);
}

void draw_times(Simulation& out, const Simulator& simulator, const Goal& goal, const Doubt& doubt, std::size_t draws,
                std::size_t count) {
  out.drawn = simulator.shoot(count, simulator.times()).outcome;
  std::size_t met = 0;
  for (std::size_t i = 0; i < draws; ++i) {
    out.draws.push_back(simulator.shoot_when(slowness_of(i, draws), count, doubt).outcome);
    if (moved_share(out, out.draws.back()) >= goal.share) ++met;
  }
  out.meets_goal = static_cast<double>(met) / static_cast<double>(draws);
}

/// Whether each replica does what any other would.
bool are_alike(const Setup& setup, const Demand& demand) {
  const Fleet& fleet = setup.fleet;
  return fleet.prompt_replicas == 0 && fleet.most_replicas == 0 && fleet.router != Router::prefix &&
         fleet.reclaims_per_hour <= 0 && !demand.replays();
}

/// A part that is as busy as all.
struct Part {
  Setup setup;
  Demand demand;
  double share = 1;
};
Part part_of(const Setup& setup, const Demand& demand) {
  Part out{setup, demand};
  const double enough = demand.enough_replicas();
  if (!are_alike(setup, demand) || demand.users.count > 0 || setup.fleet.replicas <= enough) return out;
  out.share = enough / setup.fleet.replicas;
  out.setup.fleet.replicas = static_cast<std::uint32_t>(enough);
  out.demand = demand.part(out.share);
  return out;
}

/// How latency rises with the rate, and the most that keeps the goal.
class Knee {
 public:
  /// `share`: of all, that the setup and the demand stand for.
  Knee(const Simulator& simulator, const Setup& setup, const Demand& demand, const Goal& goal, const Effort& effort,
       std::size_t count, double share)
      : simulator_(simulator),
        demand_(demand),
        goal_(goal),
        count_(count),
        replicas_(setup.fleet.replicas / share),
        one_(setup),
        share_(share) {
    if (!are_alike(setup, demand)) return;
    one_.fleet.replicas = 1;
    of_one_.emplace(one_, demand, goal, effort);
  }

  void sweep(Simulation& out) {
    if (demand_.users.count > 0) return sweep_users(out);
    const double most = capacity();
    if (!(most > 0)) return;
    for (const double share : {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1.0}) {
      const double rate = share * most;
      out.knee.push_back(point(rate, at_rate(rate, count_)));
    }
    out.saturates_at = most;
    out.most_requests_per_s = goal_.targets.any() ? most_in_time(most) : most;
  }

 private:
  Simulator::Shot at_rate(double rate, std::size_t count) const {
    const auto minutes = static_cast<std::size_t>(60 * demand_.enough_minutes() * share_ * rate);
    return simulator_.shoot(std::max(count, std::min(minutes, kMostDrawnOfMinutes)), share_ * rate, simulator_.times(),
                            0);
  }

  static KneePoint point(double rate, const Simulator::Shot& shot) {
    const Outcome& o = shot.outcome;
    return {rate, o.in_time.all, o.measures.ttft.p95, o.measures.tpot.p95, o.utilization};
  }

  /// What is served when far too much comes. A run has to be long against what one replica works on at once.
  double capacity() const {
    constexpr double kFarTooMuch = 1e6;
    const auto shot = (of_one_ ? *of_one_ : simulator_).shoot(count_, kFarTooMuch, simulator_.times(), 0);
    return (of_one_ ? replicas_ : 1 / share_) * served_per_s(shot.requests, shot.run);
  }

  static constexpr int kSteps = 40;
  static constexpr std::size_t kLonger = 5;

  double most_in_time(double most) const {
    double low = 0;
    double high = most;
    constexpr int kHalvings = 8;
    for (int i = 0; i < kHalvings; ++i) {
      const double rate = std::midpoint(low, high);
      (at_rate(rate, count_).outcome.in_time.all >= goal_.share ? low : high) = rate;
    }
    // Next to saturation a short run ends before its queue has grown.
    constexpr double kStep = 0.97;
    for (int i = 0; i < kSteps && low > 0; ++i, low *= kStep)
      if (at_rate(low, kLonger * count_).outcome.in_time.all >= goal_.share) return low;
    return 0;  // what holds only in short runs is not promised
  }

  void sweep_users(Simulation& out) const {
    for (const double share : {0.125, 0.25, 0.5, 1.0, 2.0, 4.0}) {
      const auto users = static_cast<std::uint32_t>(std::lround(share * demand_.users.count));
      if (users == 0) continue;
      const auto shot =
          simulator_.shoot(std::max<std::size_t>(count_, 4 * users), demand_.rate, simulator_.times(), users);
      out.knee.push_back(point(shot.outcome.requests_per_s, shot));
      if (shot.outcome.in_time.all >= goal_.share)
        out.most_requests_per_s = std::max(out.most_requests_per_s, shot.outcome.requests_per_s);
    }
  }

  const Simulator& simulator_;
  const Demand& demand_;
  const Goal& goal_;
  const std::size_t count_;
  const double replicas_;
  Setup one_;  // of equal replicas
  std::optional<Simulator> of_one_;
  const double share_;
};

double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  if (values[above] == kNever) return place == static_cast<double>(below) ? values[below] : kNever;
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

constexpr double kLow = 0.1;
constexpr double kHigh = 0.9;

Effort effort_of(const Trial& how) {
  return {.requests = how.requests, .warm_up = {}, .seed = how.seed, .drawn = how.drawn};
}

}  // namespace

Simulation simulate(const Setup& setup, const Demand& demand, const Goal& goal, const Doubt& doubt,
                    const Effort& effort) {
  Simulation out;
  const Simulator simulator(setup, demand, goal, effort);
  auto shot = main_run(simulator, demand, effort, out.half_widths, goal.targets);
  out.outcome = shot.outcome;
  out.requests = shot.outcome.requests;
  out.saturated = simulator.is_saturated(shot);
  out.known = demand.replays() || effort.requests || known(shot.outcome, out.half_widths);
  if (effort.keep) {
    if (!shot.run.arrivals.empty())
      for (std::size_t i = 0; i < shot.run.arrivals.size(); ++i) shot.requests.all[i].arrival = shot.run.arrivals[i];
    out.asked = std::move(shot.requests);
    out.served = std::move(shot.run.served);
  }
  const std::size_t users = demand.users.count;
  const Part part = part_of(setup, busiest(demand, kMostDrawn));
  const Simulator again(part.setup, part.demand, goal, effort);
  const std::size_t drawn =
      std::max({effort.drawn_requests, 4 * users, std::min(kMostDrawnOfMinutes, minutes_of(part.demand))});
  const std::size_t few = demand.replays() ? first_length(part.demand, effort) : std::min(out.requests, drawn);
  if (effort.draws > 0) draw_times(out, again, goal, doubt, effort.draws, few);
  if (effort.knee) Knee(again, part.setup, part.demand, goal, effort, few, part.share).sweep(out);
  return out;
}

Bounds bounds(const Simulation& simulation, double Figures::* figure, Figures Measures::* measure) {
  const double value = simulation.outcome.measures.*measure.*figure;
  const double base = simulation.drawn.measures.*measure.*figure;
  if (simulation.draws.empty() || !(base > 0) || !std::isfinite(base)) return {value, value};
  std::vector<double> all;
  for (const Outcome& draw : simulation.draws) all.push_back(draw.measures.*measure.*figure / base * value);
  return {quantile(all, kLow), quantile(all, kHigh)};
}

Bounds share_bounds(const Simulation& simulation) {
  const double value = simulation.outcome.in_time.all;
  if (simulation.draws.empty()) return {value, value};
  std::vector<double> all;
  for (const Outcome& draw : simulation.draws) all.push_back(moved_share(simulation, draw));
  return {quantile(all, kLow), quantile(all, kHigh)};
}

Outcome trial(const Setup& setup, const Demand& demand, const Goal& goal, const Doubt& doubt, const Trial& how,
              std::vector<Served>* served) {
  const Effort effort = effort_of(how);
  auto shot = Simulator(setup, demand, goal, effort).shoot_when(how.slow, first_length(demand, effort), doubt);
  if (served != nullptr) *served = std::move(shot.run.served);
  return shot.outcome;
}

Reached reached(double least, const Setup& setup, const Demand& demand, const Goal& goal, const Doubt& doubt,
                const Trial& how) {
  const Effort effort = effort_of(how);
  const auto shot =
      Simulator(setup, demand, goal, effort).shoot_when(how.slow, first_length(demand, effort), doubt, least);
  if (shot.run.ended_early) return {};
  constexpr double kAlike = 1.1;
  const auto [first, second] = Simulator::halves(shot, &Served::e2e);
  return {shot.outcome.in_time.all, std::isfinite(second) && second <= kAlike * first};
}

bool reaches(double share, const Setup& setup, const Demand& demand, const Goal& goal, const Doubt& doubt,
             const Trial& how) {
  return reached(share, setup, demand, goal, doubt, how).share >= share;
}

double chance_of_goal(const Setup& setup, const Demand& demand, const Goal& goal, const Doubt& doubt, bool sure,
                      const Trial& how) {
  const auto enough = static_cast<std::size_t>(std::ceil(goal.confidence * kDraws - 1e-9));
  // What is slower is late sooner: the number of draws that meet the goal is found by halves.
  std::size_t low = sure ? enough : 0;
  std::size_t high = sure ? kDraws : enough - 1;
  while (low < high) {
    const std::size_t middle = (low + high + 1) / 2;
    Trial slower = how;
    slower.slow = slowness_of(middle - 1, kDraws);
    if (reaches(goal.share, setup, demand, goal, doubt, slower))
      low = middle;
    else
      high = middle - 1;
  }
  return static_cast<double>(low) / kDraws;
}

}  // namespace gpusel::serve
