// The day: the cheapest fleet of each hour, with some of it committed to where that has a price of its own, and the
// numbers for autoscalers.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "answer/fleet/fleet_parts.hpp"
#include "answer/stages/data_path.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

constexpr std::size_t kHours = 24;

struct Level {
  double scale = 0;  // over the rate that the problem is stated for
  std::vector<std::size_t> hours;
};

/// Hours of the same traffic have the same fleet.
std::vector<Level> levels_of(const job::Day& day, double peak) {
  std::vector<Level> levels;
  for (std::size_t hour = 0; hour < kHours; ++hour) {
    const double scale = day[hour] / peak;
    auto level = std::ranges::find_if(levels, [&](const Level& one) { return one.scale == scale; });
    if (level == levels.end()) level = levels.insert(levels.end(), {scale, {}});
    level->hours.push_back(hour);
  }
  return levels;
}

/// From the decision to start an instance to its first answer.
Seconds start_of(const FleetContext& context, const Fleet& fleet, const FleetType& type,
                 physics::Trace* trace = nullptr) {
  const FleetOffer& offer = type.elastic ? *type.elastic : *type.committed;
  const auto start = cold_start(fleet.work, type.machine(), type.planned->plan, {*offer.instance, offer.region->id},
                                context.catalog, context.coefficients, trace);
  return start ? start->total() : Seconds{};
}

class Scheduler {
 public:
  Scheduler(const FleetContext& context, Fleet& fleet, const std::string& name, const job::Day& day)
      : context_(context),
        fleet_(fleet),
        levels_(levels_of(day, fleet.peak)),
        problem_(fleet_problem(context, fleet, false)) {
    best_.name = name;
    best_.multipliers = day;
  }

  Status run() {
    keep(fixed());
    best_.fixed_daily = best_.daily;
    const bool base = std::ranges::any_of(problem_.kinds, commits);
    // One programme where hours hang together: by what is committed to, or by how many types there may be.
    if (Status solved = base || problem_.most_kinds ? together(base) : by_hour({}, everything(), true); !solved)
      return solved;
    const double running = best_.daily - best_.cold_daily;
    best_.gap = running > 0 ? std::max(0.0, 1 - bound_ / running) : 0;
    best_.optimal = best_.gap <= std::max(problem_.gap, kProven);
    if (fleet_.replay && fleet_.replay->kept) replay_day();
    fleet_.schedule = std::move(best_);
    return {};
  }

 private:
  using Members = std::vector<FleetMember>;
  using Hours = std::vector<Members>;

  /// The day by the requests themselves: the fleet of the peak on fewer machines, or what closed forms propose for an
  /// hour where that is cheaper once enough of its requests are in time.
  void replay_day() {
    const Hours proposed = std::move(best_.hours);
    best_.hours.clear();
    keep(fixed());
    best_.fixed_daily = best_.daily;
    best_.replayed = true;
    best_.optimal = false;
    const bool scales = std::ranges::all_of(
        fleet_.mix.members, [&](const FleetMember& m) { return fleet_.types[m.type].elastic.has_value(); });
    if (!scales) return;
    Hours alike(kHours);
    Hours cheapest(kHours);
    for (const Level& level : levels_) {
      const Members fewer = fewer_of_peak(level.scale);
      const Members& closed = proposed[level.hours.front()];
      const bool tries = !problem_.most_kinds && hourly(closed) < hourly(fewer);
      const Members other = tries ? replayed(closed, level.scale, hourly(fewer)) : Members{};
      const bool better = !other.empty() && hourly(other) < hourly(fewer);
      for (const std::size_t hour : level.hours) {
        alike[hour] = fewer;
        cheapest[hour] = better ? other : fewer;
      }
    }
    for (Hours* hours : {&alike, &cheapest}) {
      take_from_busier(*hours);
      stay_on(*hours);
      commit(*hours);
      keep(std::move(*hours));
    }
  }

  Members fewer_of_peak(double scale) const {
    if (scale <= 0) return {};
    Members peak = fleet_.mix.members;
    for (FleetMember& member : peak) member.committed = 0;
    peak = priced(std::move(peak));
    if (scale >= 1) return peak;
    Members fewer = peak;
    for (FleetMember& member : fewer) {
      const double working = std::ceil((member.instances - problem_.spare) * scale - 1e-9);
      member.instances = std::max(1.0, working) + problem_.spare;
    }
    Members out = replayed(std::move(fewer), scale, hourly(peak));
    return out.empty() ? scaled(std::move(peak), scale) : out;
  }

  /// Empty: nothing comes, or no number of these is enough.
  Members replayed(Members members, double scale, double most_hourly) const {
    if (scale <= 0 || members.empty()) return {};
    for (FleetMember& member : members) {
      if (!fleet_.types[member.type].elastic) return {};
      member.committed = 0;
    }
    auto mix = replayed_hour(context_, fleet_, priced(std::move(members)), fleet_.peak * scale, most_hourly);
    return mix ? priced(std::move(mix->members)) : Members{};
  }

  Members priced(Members members) const {
    for (FleetMember& member : members) {
      const FleetType& type = fleet_.types[member.type];
      member.hourly = (member.instances - member.committed) * type.elastic->cost.hourly;
      if (member.committed > 0) member.hourly += member.committed * type.committed->cost.hourly;
    }
    return members;
  }

  static Members scaled(Members members, double times) {
    for (FleetMember& member : members) {
      member.load *= times;
      member.requests_per_s *= times;
    }
    return members;
  }

  /// A fleet that handles a busier hour handles this one: the luck of a draw makes no quiet hour cost more.
  void take_from_busier(Hours& hours) const {
    const job::Day& day = best_.multipliers;
    std::vector<std::size_t> order(kHours);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t hour) { return day[hour]; });
    for (std::size_t i = 1; i < kHours; ++i) {
      const std::size_t hour = order[i];
      const std::size_t busier = order[i - 1];
      if (day[hour] > 0 && hourly(hours[busier]) < (1 - 1e-9) * hourly(hours[hour]))
        hours[hour] = scaled(hours[busier], day[hour] / day[busier]);
    }
  }

  /// An hour has the fleet of the hour before where that had as much to do and costs no more.
  void stay_on(Hours& hours) const {
    const job::Day& day = best_.multipliers;
    for (std::size_t i = 1; i < 2 * kHours; ++i) {  // the first hour is behind the last
      const double now = day[i % kHours], then = day[(i - 1) % kHours];
      const Members& before = hours[(i - 1) % kHours];
      Members& members = hours[i % kHours];
      if (now <= 0 || now > then || hourly(before) > (1 + 1e-9) * hourly(members)) continue;
      members = scaled(before, now / then);
    }
  }

  /// Commits to the machines that run long enough each day; they are paid for, and present, at all hours.
  void commit(Hours& hours) const {
    const std::vector<double> base = worth_committing(hours);
    for (Members& members : hours) {
      for (std::size_t g = 0; g < base.size(); ++g) {
        if (base[g] <= 0) continue;
        auto member = std::ranges::find(members, g, &FleetMember::type);
        if (member == members.end()) {
          member = members.emplace(members.end());
          member->type = g;
          member->share.assign(fleet_.traffic.buckets.size(), 0);
        }
        const double working = std::max(1.0, member->instances - problem_.spare);
        member->instances = std::max(member->instances, base[g]);
        member->load *= working / std::max(working, member->instances - problem_.spare);
        member->committed = base[g];
      }
      members = priced(std::move(members));
    }
  }

  static constexpr double kProven = 1e-5;
  static constexpr int kRounds = 3;

  static bool commits(const FleetKind& kind) { return kind.committed && *kind.committed < kind.price; }
  std::vector<bool> everything() const { return std::vector<bool>(problem_.kinds.size(), true); }

  /// The fleet for the peak, kept all day.
  std::vector<std::vector<FleetMember>> fixed() const {
    std::vector<std::vector<FleetMember>> hours(kHours, fleet_.mix.members);
    for (const Level& level : levels_)
      for (const std::size_t hour : level.hours)
        for (FleetMember& member : hours[hour]) {
          const FleetType& type = fleet_.types[member.type];
          if (type.committed && &type.steady() == &*type.committed) member.committed = member.instances;
          member.load *= level.scale;
          member.requests_per_s *= level.scale;
        }
    return hours;
  }

  /// From the best day without a base, what of it runs long enough for one; then each hour beside that. Whichever terms
  /// are allowed, the answer is no dearer than what fewer of them give: the fleet of the peak, and the day without a
  /// base.
  Status together(bool base) {
    const std::vector<double> none(base ? problem_.kinds.size() : 0, 0.0);
    if (Status done = by_hour(none, problem_.most_kinds ? kinds_of_best() : everything(), false); !done) return done;
    if (Status done = least_prices(); !done) return done;
    if (problem_.most_kinds)
      if (Status done = whole_day(none); !done) return done;
    for (int round = 0; base && round < kRounds; ++round) {
      const double before = best_.daily;
      if (Status done =
              by_hour(worth_committing(best_.hours), problem_.most_kinds ? kinds_of_best() : everything(), false);
          !done)
        return done;
      if (best_.daily >= before) break;
    }
    return {};
  }

  /// All hours at once, for the types to have; then each hour with these.
  Status whole_day(const std::vector<double>& none) {
    FleetProblem day = problem_;
    day.most_work /= 4;
    day.periods.clear();
    for (const Level& level : levels_) day.periods.push_back({static_cast<double>(level.hours.size()), level.scale});
    day.only_bound = true;
    const auto solution = solved(day);
    if (!solution) return std::unexpected(solution.error());
    bound_ = std::max(bound_, solution->bound);
    if (!solution->feasible) return {};
    std::vector<bool> allowed = everything();
    for (std::size_t g = 0; g < allowed.size(); ++g)
      allowed[g] = std::ranges::any_of(solution->by_period, [&](const auto& kinds) { return kinds[g].instances > 0; });
    return by_hour(none.empty() ? none : solution->committed, allowed, false);
  }

  /// The cheapest fleet of each hour with so many committed to, of these kinds.
  Status by_hour(const std::vector<double>& base, const std::vector<bool>& allowed, bool bounds) {
    FleetProblem hour = problem_;
    hour.committed = base;
    hour.most_kinds.reset();
    hour.most_work /= static_cast<double>(levels_.size());
    hour.time_limit_s /= static_cast<double>(levels_.size());
    for (std::size_t g = 0; g < allowed.size(); ++g)
      if (!allowed[g]) hour.kinds[g].capacity.assign(hour.rate.size(), 0);
    std::vector<std::vector<FleetMember>> hours(kHours);
    double bound = 0;
    for (const Level& level : levels_) {
      hour.periods = {{1, level.scale}};
      const auto solution = solved(hour);
      if (!solution) return std::unexpected(solution.error());
      if (!solution->feasible) return {};
      bound += solution->bound * static_cast<double>(level.hours.size());
      for (const std::size_t at : level.hours)
        hours[at] = members_of(fleet_, *solution, 0, fleet_.peak * level.scale, false);
    }
    if (bounds) bound_ = bound;
    stay(hours);
    keep(std::move(hours));
    return {};
  }

  /// No day is cheaper than one that has every hour at the least price of any term.
  Status least_prices() {
    FleetProblem hour = fleet_problem(context_, fleet_, true);
    hour.most_work /= static_cast<double>(levels_.size());
    hour.time_limit_s /= static_cast<double>(levels_.size());
    double sum = 0;
    for (const Level& level : levels_) {
      hour.periods = {{1, level.scale}};
      const auto solution = solved(hour);
      if (!solution) return std::unexpected(solution.error());
      sum += solution->bound * static_cast<double>(level.hours.size());
    }
    bound_ = std::max(bound_, sum);
    return {};
  }

  /// Of a day's instances, those that run long enough for it.
  std::vector<double> worth_committing(const std::vector<std::vector<FleetMember>>& hours) const {
    std::vector<double> out(problem_.kinds.size(), 0);
    for (std::size_t g = 0; g < out.size(); ++g) {
      const FleetKind& kind = problem_.kinds[g];
      if (!commits(kind)) continue;
      std::vector<double> counts;
      for (const auto& members : hours) counts.push_back(instances(members, g));
      std::ranges::sort(counts);
      // The n-th of them runs in as many hours as have n or more.
      for (std::size_t quiet = 0; quiet < kHours; ++quiet)
        if (kind.price * static_cast<double>(kHours - quiet) > *kind.committed * static_cast<double>(kHours))
          out[g] = counts[quiet];
    }
    return out;
  }

  std::vector<bool> kinds_of_best() const {
    std::vector<bool> out(problem_.kinds.size(), false);
    for (const auto& members : best_.hours)
      for (const FleetMember& member : members) out[member.type] = true;
    return out;
  }

  Result<FleetSolution> solved(const FleetProblem& problem) {
    auto solution = solve_fleet(problem);
    if (solution) fleet_.solver_s += solution->seconds;
    return solution;
  }

  /// Starts nothing for nothing: an hour has the fleet of the hour before where that is enough and costs no more.
  void stay(std::vector<std::vector<FleetMember>>& hours) const {
    const job::Day& day = best_.multipliers;
    constexpr double kAlike = 1 + 1e-9;             // of costs and loads
    for (std::size_t i = 1; i < 2 * kHours; ++i) {  // the first hour is behind the last
      const double now = day[i % kHours], then = day[(i - 1) % kHours];
      const auto& before = hours[(i - 1) % kHours];
      auto& members = hours[i % kHours];
      if (now <= 0 || then <= 0 || hourly(before) > kAlike * hourly(members)) continue;
      const double rate = fleet_.rate * now;
      const bool enough = std::ranges::all_of(before, [&](const FleetMember& m) {
        const double working = m.instances - problem_.spare;
        return instances_for(fleet_, m, rate, problem_.kinds[m.type].capacity) <= kAlike * working;
      });
      if (!enough) continue;
      members = before;
      for (FleetMember& member : members) {
        member.load *= now / then;
        member.requests_per_s *= now / then;
      }
    }
  }

  static double hourly(const std::vector<FleetMember>& members) {
    double sum = 0;
    for (const FleetMember& member : members) sum += member.hourly;
    return sum;
  }
  static double instances(const std::vector<FleetMember>& members, std::size_t type) {
    for (const FleetMember& member : members)
      if (member.type == type) return member.instances;
    return 0;
  }

  /// Takes these hours for the day's if no others were cheaper. What is started is paid from then on, and serves a cold
  /// start later.
  void keep(std::vector<std::vector<FleetMember>> hours) {
    std::vector<double> starts(fleet_.types.size(), 0);
    double daily = 0;
    double cold = 0;
    for (const auto& members : hours) daily += hourly(members);
    for (std::size_t g = 0; g < starts.size(); ++g) {
      for (std::size_t hour = 0; hour < kHours; ++hour)
        starts[g] += std::max(0.0, instances(hours[(hour + 1) % kHours], g) - instances(hours[hour], g));
      if (starts[g] > 0)
        cold +=
            starts[g] * fleet_.types[g].elastic->cost.hourly * in_hours(start_of(context_, fleet_, fleet_.types[g]));
    }
    if (!best_.hours.empty() && daily + cold >= best_.daily) return;
    best_.hours = std::move(hours);
    best_.starts = std::move(starts);
    best_.daily = daily + cold;
    best_.cold_daily = cold;
  }

  const FleetContext& context_;
  Fleet& fleet_;
  std::vector<Level> levels_;
  FleetProblem problem_;
  FleetSchedule best_;
  double bound_ = 0;  // of the day, cold starts left out
};

/// Traffic's growth from one hour to the next, at most: 1 doubles it.
double steepest_rise(const job::Day& day) {
  double most = 0;
  for (std::size_t hour = 0; hour < kHours; ++hour)
    if (day[hour] > 0) most = std::max(most, day[(hour + 1) % kHours] / day[hour] - 1);
  return most;
}

}  // namespace

Status choose_schedule(const FleetContext& context, const std::string& name, const job::Day& day, Fleet& fleet) {
  return Scheduler(context, fleet, name, day).run();
}

void add_scaling(const FleetContext& context, Fleet& fleet) {
  const auto spare = static_cast<double>(fleet.work.inference.redundancy);
  const auto one = [&](std::size_t g, std::span<const std::vector<FleetMember>> hours) {
    money::Scaled facts;
    facts.spare = spare;
    facts.least = std::numeric_limits<double>::infinity();
    facts.most = 0;
    double load = 0;
    for (const auto& members : hours) {
      const auto member = std::ranges::find_if(members, [&](const FleetMember& m) { return m.type == g; });
      const double instances = member == members.end() ? 0 : member->instances;
      facts.least = std::min(facts.least, instances);
      facts.most = std::max(facts.most, instances);
      if (member == members.end()) continue;
      for (std::size_t b = 0; b < member->share.size(); ++b) {
        if (member->share[b] <= 0) continue;
        const Carried& carried = fleet.types[g].carried[b];
        const double part = member->share[b] * fleet.traffic.buckets[b].share / carried.requests_per_s;
        facts.in_flight += part * carried.requests_per_s * carried.e2e.raw();  // those that wait included
        load += part;
      }
    }
    if (facts.most <= 0) return;
    if (load > 0) facts.in_flight /= load;
    facts.scale_to_zero = facts.least <= 0;
    if (fleet.schedule) facts.steepest_rise = steepest_rise(fleet.schedule->multipliers);
    physics::Trace* trace = context.question.explain ? &fleet.trace : nullptr;
    facts.cold_start = start_of(context, fleet, fleet.types[g], trace);
    fleet.scaling.push_back({g, money::autoscale(facts, trace, format("scaling.{}", g + 1))});
  };
  const std::vector<std::vector<FleetMember>> fixed{fleet.mix.members};
  const auto& hours = fleet.schedule ? fleet.schedule->hours : fixed;
  for (std::size_t g = 0; g < fleet.types.size(); ++g) one(g, hours);
}

}  // namespace gpusel::answer
