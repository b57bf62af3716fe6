// The integer programme behind a fleet, solved with CBC. Private to this room; docs/fleet.md writes it out.
#pragma once

#include <optional>
#include <vector>

#include "base/values/error.hpp"

namespace gpusel::answer {

/// A kind of machine: what one costs per hour, and the requests per second of each bucket that one can serve.
struct FleetKind {
  double price = 0;
  std::optional<double> committed;  // per hour of one that is paid for at all hours
  std::vector<double> capacity;     // by bucket; 0: does not serve them
  int pool = 0;                     // kinds of one pool share a limit
};

struct FleetPeriod {
  double hours = 1;  // of the whole time
  double scale = 1;  // of the rates
};

inline constexpr double kNoWorkLimit = 1e15;

struct FleetProblem {
  std::vector<FleetKind> kinds;
  std::vector<double> rate;  // requests per second by bucket
  std::vector<FleetPeriod> periods{{}};
  std::vector<std::optional<double>> pool_limit;  // instances, by pool
  double spare = 0;                               // instances beside those that work, of every kind in use
  std::optional<double> most_kinds;
  std::optional<double> most_instances;
  std::vector<double> committed;  // by kind, where it is not to be chosen
  double gap = 0;                 // that may be left unproven, relative
  double time_limit_s = 10;
  double most_work = kNoWorkLimit;  // steps of the simplex method × (rows + columns)
  bool only_bound = false;          // looser and smaller: what is committed to and the bound are of use, shares are not
};

struct FleetUse {
  double instances = 0;       // with spares and those committed to
  std::vector<double> share;  // of each bucket's requests
};

struct FleetSolution {
  bool feasible = false;
  bool optimal = false;                          // within the gap asked for
  bool near_enough = false;                      // ended for that gap, and not for want of anything better
  double cost = 0;                               // of all periods
  double bound = 0;                              // proven: no fleet is cheaper
  double relaxed = 0;                            // with parts of instances
  double seconds = 0;                            // of processor time, in the solver
  std::vector<double> committed;                 // by kind
  std::vector<std::vector<FleetUse>> by_period;  // by period and kind
};

/// Errors: the solver failed, which is a fault of this program. No fleet that serves all is an answer, and so is
/// none found within the time.
Result<FleetSolution> solve_fleet(const FleetProblem& problem);

/// Which kinds can be in a cheapest fleet: not those for which others do the same for no more.
std::vector<bool> worth_solving(const FleetProblem& problem);

}  // namespace gpusel::answer
