// From types to a fleet: the programme, what it says, and the best fleet of one type.
#include <algorithm>
#include <cmath>

#include "answer/fleet/fleet_parts.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

/// What about ten seconds allow. The clock itself would make the answer depend on the machine, and only ends what has
/// gone astray.
constexpr double kUsualWork = 3e8;
constexpr double kSame = 1e-9;   // of costs, relative
constexpr double kLongest = 30;  // seconds

const FleetOffer& offer_of(const FleetType& type, bool steady) { return steady ? type.steady() : *type.elastic; }

/// Types that are bought under one limit.
std::vector<const catalog::Instance*> pools_of(const Fleet& fleet, bool steady) {
  std::vector<const catalog::Instance*> pools;
  for (const FleetType& type : fleet.types) {
    const auto* sku = (type.elastic || steady ? offer_of(type, steady) : *type.committed).instance;
    if (std::ranges::find(pools, sku) == pools.end()) pools.push_back(sku);
  }
  return pools;
}

}  // namespace

FleetProblem fleet_problem(const FleetContext& context, const Fleet& fleet, bool steady) {
  FleetProblem problem;
  const auto pools = pools_of(fleet, steady);
  for (const catalog::Instance* sku : pools) problem.pool_limit.push_back(context.limit_of(*sku));
  for (const FleetType& type : fleet.types) {
    FleetKind kind;
    const bool has_price = steady || type.elastic;
    kind.price = has_price ? offer_of(type, steady).cost.hourly : std::numeric_limits<double>::infinity();
    if (!steady && type.committed) kind.committed = type.committed->cost.hourly;
    for (const Carried& carried : type.carried) kind.capacity.push_back(carried.requests_per_s);
    const auto* sku = (has_price ? offer_of(type, steady) : *type.committed).instance;
    kind.pool = static_cast<int>(std::ranges::find(pools, sku) - pools.begin());
    problem.kinds.push_back(std::move(kind));
  }
  const double rate = fleet.rate * fleet.peak;
  for (const job::Bucket& bucket : fleet.traffic.buckets) problem.rate.push_back(rate * bucket.share);
  problem.spare = static_cast<double>(fleet.work.inference.redundancy);
  if (context.question.max_types) problem.most_kinds = static_cast<double>(*context.question.max_types);
  if (context.question.constraints.max_nodes)
    problem.most_instances = static_cast<double>(*context.question.constraints.max_nodes);
  problem.gap = context.question.gap.value_or(0);
  problem.time_limit_s = context.question.time_limit_s.value_or(kLongest);
  if (!context.question.time_limit_s) problem.most_work = kUsualWork;
  return problem;
}

void drop_dominated(const FleetContext& context, Fleet& fleet) {
  fleet.considered = fleet.types.size();
  const auto keep_steady = worth_solving(fleet_problem(context, fleet, true));
  const auto keep_elastic = worth_solving(fleet_problem(context, fleet, false));
  std::vector<FleetType> kept;
  for (std::size_t g = 0; g < fleet.types.size(); ++g)
    if (keep_steady[g] || keep_elastic[g]) kept.push_back(std::move(fleet.types[g]));
  fleet.types = std::move(kept);
  fleet.contenders = fleet.types.size();
}

double instances_for(const Fleet& fleet, const FleetMember& member, double rate, std::span<const double> each) {
  double instances = 0;
  for (std::size_t b = 0; b < member.share.size(); ++b)
    if (const double part = rate * fleet.traffic.buckets[b].share * member.share[b]; part > 0)
      instances += part / each[b];
  return instances;
}

double instances_busy(const Fleet& fleet, const FleetMember& member, double rate) {
  std::vector<double> each;
  for (const Carried& carried : fleet.types[member.type].carried)
    each.push_back(fleet.work.inference.max_load * carried.ceiling);
  return instances_for(fleet, member, rate, each);
}

std::vector<FleetMember> members_of(const Fleet& fleet, const FleetSolution& solution, std::size_t period, double scale,
                                    bool steady) {
  std::vector<FleetMember> out;
  const auto spare = static_cast<double>(fleet.work.inference.redundancy);
  for (std::size_t g = 0; g < fleet.types.size(); ++g) {
    const FleetUse& use = solution.by_period[period][g];
    if (use.instances <= 0) continue;
    const FleetType& type = fleet.types[g];
    FleetMember member;
    member.type = g;
    member.instances = use.instances;
    member.committed = steady ? 0 : solution.committed[g];
    member.share = use.share;
    for (std::size_t b = 0; b < use.share.size(); ++b) {
      if (use.share[b] <= 0) continue;
      const double rate = fleet.rate * scale * fleet.traffic.buckets[b].share * use.share[b];
      member.requests_per_s += rate;
    }
    member.load = instances_busy(fleet, member, fleet.rate * scale) / std::max(1.0, member.instances - spare);
    const double elastic = member.instances - member.committed;
    if (elastic > 0) member.hourly += elastic * offer_of(type, steady).cost.hourly;
    if (member.committed > 0) member.hourly += member.committed * type.committed->cost.hourly;
    out.push_back(std::move(member));
  }
  return out;
}

namespace {

/// The cheapest fleet of one type that serves all.
std::optional<FleetMember> best_single(const Fleet& fleet, const FleetProblem& problem) {
  std::optional<FleetMember> best;
  for (std::size_t g = 0; g < problem.kinds.size(); ++g) {
    const FleetKind& kind = problem.kinds[g];
    double load = 0;
    for (std::size_t b = 0; b < problem.rate.size(); ++b) load += problem.rate[b] / kind.capacity[b];
    if (!std::isfinite(load)) continue;
    FleetMember member;
    member.type = g;
    const double working = std::max(1.0, std::ceil(load - 1e-9));
    member.instances = working + problem.spare;
    member.requests_per_s = fleet.rate * fleet.peak;
    member.hourly = member.instances * kind.price;
    member.share.assign(problem.rate.size(), 1);
    member.load = instances_busy(fleet, member, member.requests_per_s) / working;
    const auto& limit = problem.pool_limit[static_cast<std::size_t>(kind.pool)];
    if ((limit && member.instances > *limit) || (problem.most_instances && member.instances > *problem.most_instances))
      continue;
    if (!best || member.hourly < best->hourly) best = std::move(member);
  }
  return best;
}

/// Every bucket can be served, and still no fleet is allowed: what the limits stand in the way of.
Status note_limits(const FleetContext& context, Fleet& fleet, FleetProblem problem) {
  std::string flags;
  const auto add = [&](bool given, std::string_view flag) {
    if (given) flags += (flags.empty() ? "" : ", ") + std::string(flag);
  };
  add(context.question.max_types.has_value(), "--max-types");
  add(context.question.max_instances.has_value(), "--max-instances");
  add(!context.quotas.empty(), "--quota");
  add(context.question.constraints.max_nodes.has_value(), "--max-nodes");
  problem.pool_limit.assign(problem.pool_limit.size(), std::nullopt);
  problem.most_kinds.reset();
  problem.most_instances.reset();
  const auto free = solve_fleet(problem);
  if (!free) return std::unexpected(free.error());
  std::string list;
  double hourly = 0;
  if (free->feasible)
    for (const FleetMember& member : members_of(fleet, *free, 0, fleet.peak, true)) {
      list += (list.empty() ? "" : ", ") + member_text(fleet, member);
      hourly += member.hourly;
    }
  fleet.notes.push_back(list.empty() ? say("no fleet within {}", flags)
                                     : say("no fleet within {}; without them the cheapest is {}, {:.2f} {}/h", flags,
                                           list, hourly, fleet.currency.code()));
  return {};
}

}  // namespace

std::string member_text(const Fleet& fleet, const FleetMember& member) {
  const FleetType& type = fleet.types[member.type];
  const FleetOffer& offer = type.steady();
  return format("{:.0f} × {} {}", member.instances, offer.instance->provider, printable(offer.instance->sku));
}

Status choose_mix(const FleetContext& context, Fleet& fleet) {
  const FleetProblem problem = fleet_problem(context, fleet, true);
  const auto solution = solve_fleet(problem);
  if (!solution) return std::unexpected(solution.error());
  fleet.solver_s += solution->seconds;
  fleet.mix.feasible = solution->feasible;
  fleet.mix.optimal = solution->optimal;
  fleet.single = best_single(fleet, problem);
  if (!solution->feasible && !solution->optimal) {
    if (!fleet.single) {
      fleet.notes.push_back(say("no fleet was found in time; raise --time-limit"));
      return {};
    }
    // Out of time before the first fleet: that of one type is one.
    fleet.mix.feasible = true;
    fleet.mix.members = {*fleet.single};
    fleet.mix.hourly = fleet.mix.solved = fleet.single->hourly;
    fleet.mix.bound = fleet.mix.relaxed = solution->relaxed;
    return {};
  }
  if (!solution->feasible) return note_limits(context, fleet, problem);
  fleet.mix.near_enough = solution->near_enough;
  fleet.mix.members = members_of(fleet, *solution, 0, fleet.peak, true);
  fleet.mix.hourly = solution->cost;
  fleet.mix.bound = solution->bound;
  fleet.mix.relaxed = solution->relaxed;
  // Of one cost, one type is simpler than two; and a search that was stopped may not have come by it.
  if (fleet.single && fleet.single->hourly <= fleet.mix.hourly * (1 + kSame)) {
    fleet.mix.members = {*fleet.single};
    fleet.mix.hourly = fleet.single->hourly;
    fleet.mix.bound = std::min(fleet.mix.bound, fleet.mix.hourly);
  }
  fleet.mix.solved = fleet.mix.hourly;
  return {};
}

}  // namespace gpusel::answer
