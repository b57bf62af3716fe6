// The cheapest mix of instances for a stated traffic: requests are put into buckets by prompt length, each machine's
// rate is estimated per bucket, and an integer programme chooses how many of each. docs/fleet.md writes it out.
#pragma once

#include "answer/search/recommend.hpp"
#include "job/traffic/traffic.hpp"
#include "money/over_time/autoscale.hpp"

namespace gpusel::answer {

/// So many instances of a SKU can be had.
struct Quota {
  std::string sku;
  double instances = 0;
};

struct FleetQuestion {
  job::Request request;
  job::Constraints constraints;
  Currency currency = Currency::usd();
  Date today;
  std::string filter;                      // over columns of instances and offers
  std::string traffic;                     // a profile's name or a file; empty: one length, of the request
  std::optional<job::TimeUnit> time_unit;  // of a file whose names do not say it
  std::string daily;                       // a profile's name, a file, or "trace"; empty: the same at all hours
  std::optional<std::int64_t> max_types;
  std::optional<std::int64_t> max_instances;  // of one SKU
  std::vector<Quota> quotas;
  std::optional<double> gap;           // that may be left unproven, relative
  std::optional<double> time_limit_s;  // of one programme
  bool explain = false;
};
/// What the command has beside the job and its limits.
std::span<const job::Option<FleetQuestion>> fleet_options();

/// A priced offer of one instance.
struct FleetOffer {
  const catalog::Instance* instance = nullptr;
  const catalog::Offer* offer = nullptr;
  const catalog::Region* region = nullptr;
  money::Quote cost;
  std::vector<Remark> remarks = {};  // of what stands in a fleet
};

/// The most that one instance serves of one bucket within the targets.
struct Carried {
  double requests_per_s = 0;  // 0: none
  double ceiling = 0;         // of it: what it could serve at full load
  double in_flight = 0;       // at that rate
  Seconds ttft, itl, e2e;
  physics::Problem problem;  // why none
};

/// A machine with the one layout that it serves all its requests in.
struct FleetType {
  std::shared_ptr<const PlannedMachine> planned;  // at the bucket that loads it most
  std::optional<FleetOffer> elastic;              // the cheapest that is paid as it runs
  std::optional<FleetOffer> committed;            // the cheapest that is paid for at all hours
  std::vector<Carried> carried;                   // by bucket

  /// The cheapest for what runs at all hours.
  const FleetOffer& steady() const;
  const physics::Machine& machine() const { return planned->machine; }
  const physics::Layout& layout() const { return planned->plan.layout; }
};

/// Instances of one type in a fleet.
struct FleetMember {
  std::size_t type = 0;  // of Fleet::types
  double instances = 0;  // with spares
  double committed = 0;  // of them
  double load = 0;       // of those that work, of the rate they are planned for: 0…1
  double requests_per_s = 0;
  double hourly = 0;
  std::vector<double> share;  // of each bucket's requests: where they are routed, by their prompts

  double monthly() const { return hourly * kHoursPerMonth; }
};

struct FleetMix {
  bool feasible = false;
  bool optimal = false;      // within the gap asked for
  bool near_enough = false;  // ended for that gap
  std::vector<FleetMember> members;
  double hourly = 0;
  double solved = 0;   // per hour, before a replay changed how many machines there are
  double bound = 0;    // per hour, proven of that
  double relaxed = 0;  // per hour, with parts of instances
  double monthly() const { return hourly * kHoursPerMonth; }
  double gap() const { return solved > 0 ? std::max(0.0, 1 - bound / solved) : 0; }
};

/// Requests of a bucket that no type serves, and what comes nearest.
struct Unserved {
  std::size_t bucket = 0;
  std::optional<FleetOffer> nearest;
  Seconds ttft, itl;    // of the nearest, alone on its machine
  std::string message;  // what is missed, and the target that would do
};

/// The fleet of each hour, from midnight, and what it costs beside one of fixed size.
struct FleetSchedule {
  std::string name;
  job::Day multipliers{};
  std::vector<std::vector<FleetMember>> hours;
  std::vector<double> starts;  // per day, by type
  double daily = 0;            // with cold starts
  double cold_daily = 0;       // of it, cold starts
  double fixed_daily = 0;      // of the fleet for the peak
  bool optimal = false;
  double gap = 0;         // to a bound without cold starts
  bool replayed = false;  // every hour, by the requests themselves: no bound is known then

  double monthly() const { return daily * money::kDaysPerMonth; }
  double fixed_monthly() const { return fixed_daily * money::kDaysPerMonth; }
};

/// Numbers for a KEDA or HPA definition of one type.
struct FleetScaling {
  std::size_t type = 0;
  money::Autoscale rule;
};

/// The requests gone through the machines of the fleet, one by one.
struct FleetReplay {
  std::size_t requests = 0;
  double added = 0;          // instances beyond those that closed forms proposed
  double share_sure = 1;     // of the requests in time, with the confidence that is asked for
  double share_in_time = 1;  // as expected
  Seconds ttft_p95, tpot_p95;
  double utilization = 0;
  bool kept = true;  // the share that was asked for
};

struct Fleet {
  std::shared_ptr<const catalog::ConfigModel> own_model;
  job::Job work;  // of the mean lengths
  job::Assumptions assumed;
  Currency currency;
  Date newest_price, newest_price_used, oldest_price_used;
  job::Traffic traffic;
  double rate = 0;                    // requests per second, mean
  double peak = 1;                    // of the busiest hour over the mean
  std::vector<FleetType> types;       // that can be in a cheapest fleet
  std::size_t shapes = 0;             // machines estimated
  std::size_t considered = 0;         // machines with a layout that serve some of the traffic
  std::size_t contenders = 0;         // of them, those that can be in a cheapest fleet
  FleetMix mix;                       // for the peak
  std::optional<FleetMember> single;  // the cheapest fleet of one type, as closed forms have it
  std::optional<FleetReplay> replay;  // of the mix; nothing for models that do not generate token by token
  std::vector<Unserved> unserved;
  std::string relaxed;  // flags with the least targets that some machine meets for all of them, alone on it
  std::optional<FleetSchedule> schedule;
  std::vector<FleetScaling> scaling;
  double solver_s = 0;
  std::optional<double> time_limit_s;
  std::map<std::string, int> rejected;  // instances by rule
  std::vector<std::string> notes;
  physics::Trace trace;
};

/// The answer points into `catalog`. Traffic that nothing serves is an answer: an infeasible mix, and why.
/// Errors: what was asked cannot be understood; files that cannot be read; limits that exclude each other.
Result<Fleet> plan_fleet(const FleetQuestion& question, const catalog::Catalog& catalog,
                         std::span<const rules::Rule> rules, const physics::Coefficients& coefficients);

}  // namespace gpusel::answer
