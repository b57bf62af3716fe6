// The day: the cheapest fleet of each hour, with some of it committed to where that has a price of its own, and the
// numbers for autoscalers.
#include <algorithm>
#include <cmath>
#include <limits>

#include "advise/fleet_parts.hpp"
#include "gpusel/advise/data_path.hpp"
#include "gpusel/base/message.hpp"

namespace gpusel::advise {

namespace {

constexpr std::size_t kHours = 24;

struct Level {
  double scale = 0;  // over the rate that the problem is stated for
  std::vector<std::size_t> hours;
};

/// Hours of the same traffic have the same fleet.
std::vector<Level> levels_of(const workload::Day& day, double peak) {
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
                 estimate::Trace* trace = nullptr) {
  const FleetOffer& offer = type.elastic ? *type.elastic : *type.committed;
  const auto start = cold_start(fleet.work, type.machine(), type.planned->choice, {*offer.instance, offer.region->id},
                                context.catalog, context.coefficients, trace);
  return start ? start->total() : Seconds{};
}

class Scheduler {
 public:
  Scheduler(const FleetContext& context, Fleet& fleet, const std::string& name, const workload::Day& day)
      : context_(context), fleet_(fleet), levels_(levels_of(day, fleet.peak)) {
    out_.name = name;
    out_.multipliers = day;
    out_.hours.resize(kHours);
    out_.optimal = true;
  }

  Status run() {
    problem_ = fleet_problem(context_, fleet_, false);
    const bool base = std::ranges::any_of(
        problem_.kinds, [](const FleetKind& kind) { return kind.committed && *kind.committed < kind.price; });
    // One programme where hours hang together: by what is committed to, or by how many types there may be.
    if (Status solved = base || problem_.most_kinds ? together() : one_by_one(); !solved) return solved;
    if (out_.daily <= 0) return {};
    add_starts();
    out_.fixed_daily = fleet_.mix.hourly * static_cast<double>(kHours);
    fleet_.schedule = std::move(out_);
    return {};
  }

 private:
  Status together() {
    problem_.periods.clear();
    for (const Level& level : levels_)
      problem_.periods.push_back({static_cast<double>(level.hours.size()), level.scale});
    const auto solution = solved(problem_);
    if (!solution) return std::unexpected(solution.error());
    if (!solution->feasible) return {};
    for (std::size_t t = 0; t < levels_.size(); ++t) adopt(*solution, t, levels_[t]);
    return {};
  }

  Status one_by_one() {
    problem_.time_limit_s /= static_cast<double>(levels_.size());
    for (const Level& level : levels_) {
      problem_.periods = {{1, level.scale}};
      const auto solution = solved(problem_);
      if (!solution) return std::unexpected(solution.error());
      if (!solution->feasible) {
        out_.daily = 0;
        return {};
      }
      adopt(*solution, 0, level);
    }
    return {};
  }

  Result<FleetSolution> solved(const FleetProblem& problem) {
    auto solution = solve_fleet(problem);
    if (!solution) return solution;
    fleet_.solver_s += solution->seconds;
    out_.optimal = out_.optimal && solution->optimal;
    if (solution->feasible && solution->cost > 0) out_.gap = std::max(out_.gap, 1 - solution->bound / solution->cost);
    if (!solution->feasible)
      fleet_.notes.push_back(solution->optimal
                                 ? say("no fleet that follows the day: what is paid as it runs does not serve it")
                                 : say("no fleet that follows the day was found within the time; --time-limit"));
    return solution;
  }

  void adopt(const FleetSolution& solution, std::size_t period, const Level& level) {
    const auto members = members_of(fleet_, solution, period, fleet_.peak * level.scale, false);
    for (const std::size_t hour : level.hours) {
      out_.hours[hour] = members;
      for (const FleetMember& member : members) out_.daily += member.hourly;
    }
  }

  double instances(std::size_t hour, std::size_t type) const {
    for (const FleetMember& member : out_.hours[hour])
      if (member.type == type) return member.instances;
    return 0;
  }

  /// What is started is paid from then on, and serves a cold start later.
  void add_starts() {
    out_.starts.assign(fleet_.types.size(), 0);
    for (std::size_t g = 0; g < fleet_.types.size(); ++g) {
      for (std::size_t hour = 0; hour < kHours; ++hour)
        out_.starts[g] += std::max(0.0, instances((hour + 1) % kHours, g) - instances(hour, g));
      if (out_.starts[g] > 0)
        out_.cold_daily += out_.starts[g] * fleet_.types[g].elastic->cost.hourly *
                           in_hours(start_of(context_, fleet_, fleet_.types[g]));
    }
    out_.daily += out_.cold_daily;
  }

  const FleetContext& context_;
  Fleet& fleet_;
  std::vector<Level> levels_;
  FleetProblem problem_;
  FleetSchedule out_;
};

/// Traffic's growth from one hour to the next, at most: 1 doubles it.
double steepest_rise(const workload::Day& day) {
  double most = 0;
  for (std::size_t hour = 0; hour < kHours; ++hour)
    if (day[hour] > 0) most = std::max(most, day[(hour + 1) % kHours] / day[hour] - 1);
  return most;
}

}  // namespace

Status choose_schedule(const FleetContext& context, const std::string& name, const workload::Day& day, Fleet& fleet) {
  return Scheduler(context, fleet, name, day).run();
}

void add_scaling(const FleetContext& context, Fleet& fleet) {
  const auto spare = static_cast<double>(fleet.work.inference.redundancy);
  const auto one = [&](std::size_t g, std::span<const std::vector<FleetMember>> hours) {
    cost::Scaled facts;
    facts.spare = spare;
    facts.planned_load = fleet.work.inference.max_load;
    facts.least = hours.size() > 1 ? std::numeric_limits<double>::infinity() : 1 + spare;
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
        facts.in_flight += part * carried.in_flight;
        load += part;
      }
    }
    if (facts.most <= 0) return;
    if (load > 0) facts.in_flight /= load;
    facts.scale_to_zero = facts.least <= 0;
    if (fleet.schedule) facts.steepest_rise = steepest_rise(fleet.schedule->multipliers);
    estimate::Trace* trace = context.question.explain ? &fleet.trace : nullptr;
    facts.cold_start = start_of(context, fleet, fleet.types[g], trace);
    fleet.scaling.push_back({g, cost::autoscale(facts, trace, format("scaling.{}", g + 1))});
  };
  const std::vector<std::vector<FleetMember>> fixed{fleet.mix.members};
  const auto& hours = fleet.schedule ? fleet.schedule->hours : fixed;
  for (std::size_t g = 0; g < fleet.types.size(); ++g) one(g, hours);
}

}  // namespace gpusel::advise
