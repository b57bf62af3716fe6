#include "answer/fleet/fleet_solver.hpp"

#include <algorithm>
#include <cmath>
#include <coin/CbcHeuristic.hpp>
#include <coin/CbcModel.hpp>
#include <coin/CglGomory.hpp>
#include <coin/CglProbing.hpp>
#include <coin/CglStored.hpp>
#include <coin/OsiClpSolverInterface.hpp>
#include <cstdlib>
#include <ctime>

#include "answer/fleet/fleet_programme.hpp"
#include "base/words/message.hpp"

// LAPACK's handler of wrong arguments, which a program may bring itself; its own needs the whole runtime of Fortran.
extern "C" [[gnu::weak, noreturn]] void xerbla_(const char*, const int*) { std::abort(); }

namespace gpusel::answer {

namespace {

/// What the solver counts as whole. A kind that serves little must not pass for one that is not there.
constexpr double kWhole = 1e-7;
/// To which rows are kept, and costs are told apart.
constexpr double kExact = 1e-9;
/// Shares below this are the solver's rounding.
constexpr double kNoShare = 1e-6;
/// What a node of the search costs, in steps of the simplex method.
constexpr double kNodeSteps = 20;

struct SolverOutcome {
  bool failed = false;
  bool finished = false;
  bool near_enough = false;  // within the gap asked for
  double relaxed = 0;
  double bound = 0;
  std::vector<double> values;  // empty: no solution
};

double solver_number(double value) { return std::isfinite(value) ? value : std::copysign(COIN_DBL_MAX, value); }

void load(const Programme& programme, OsiClpSolverInterface& solver) {
  solver.messageHandler()->setLogLevel(0);
  solver.setDblParam(OsiPrimalTolerance, kExact);
  solver.setDblParam(OsiDualTolerance, kExact);
  CoinPackedMatrix matrix(false, 0, 0);
  matrix.setDimensions(0, programme.columns());
  std::vector<double> lows, highs;
  for (const Programme::Row& row : programme.rows) {
    matrix.appendRow(static_cast<int>(row.columns.size()), row.columns.data(), row.factors.data());
    lows.push_back(solver_number(row.low));
    highs.push_back(solver_number(row.high));
  }
  std::vector<double> most;
  for (const double high : programme.highs) most.push_back(solver_number(high));
  solver.loadProblem(matrix, nullptr, most.data(), programme.costs.data(), lows.data(), highs.data());
  for (int j = 0; j < programme.columns(); ++j)
    if (programme.is_whole[static_cast<std::size_t>(j)]) solver.setInteger(j);
}

/// The cheapest fleet with parts of instances: all rows, those that are implied as far as they are broken.
void relax(const Programme& programme, OsiClpSolverInterface& solver) {
  solver.initialSolve();
  for (bool broken = true; broken && solver.isProvenOptimal();) {
    const double* values = solver.getColSolution();
    std::vector<const Programme::Row*> missed;
    for (const Programme::Row& row : programme.implied) {
      double sum = 0;
      for (std::size_t i = 0; i < row.columns.size(); ++i) sum += row.factors[i] * values[row.columns[i]];
      if (sum > row.high + 10 * kExact) missed.push_back(&row);
    }
    for (const Programme::Row* row : missed)
      solver.addRow(static_cast<int>(row->columns.size()), row->columns.data(), row->factors.data(), -COIN_DBL_MAX,
                    row->high);
    broken = !missed.empty();
    if (broken) solver.resolve();
  }
}

/// Branch and bound with cuts, ended by what was done, not by the clock: the same question has the same answer.
void search(const Programme& programme, const FleetProblem& problem, const OsiClpSolverInterface& relaxed,
            SolverOutcome& out) {
  CbcModel model(relaxed);
  model.setLogLevel(0);
  model.setIntegerTolerance(kWhole);
  model.setCutoffIncrement(kTie / 100);
  model.setAllowableFractionGap(problem.gap);
  model.setMaximumSeconds(problem.time_limit_s);
  const double size = static_cast<double>(programme.rows.size()) + programme.columns();
  const double steps = std::clamp(problem.most_work / size, 1.0, 1e9);
  model.setMaximumNumberIterations(static_cast<int>(steps));
  model.setMaximumNodes(static_cast<int>(std::ceil(steps / kNodeSteps)));

  CglGomory gomory;
  CglProbing probing;
  probing.setUsingObjective(1);
  probing.setMaxPass(1);
  probing.setMaxPassRoot(1);
  probing.setMaxProbe(10);
  probing.setMaxProbeRoot(50);
  probing.setMaxLook(10);
  probing.setMaxLookRoot(50);
  probing.setRowCuts(3);
  CglStored implied;
  for (const Programme::Row& row : programme.implied)
    implied.addCut(solver_number(row.low), row.high, static_cast<int>(row.columns.size()), row.columns.data(),
                   row.factors.data());
  model.addCutGenerator(&gomory, -1, "Gomory");
  model.addCutGenerator(&probing, -1, "Probing");
  model.addCutGenerator(&implied, -1, "Implied");
  CbcRounding rounding(model);
  model.addHeuristic(&rounding);
  model.branchAndBound();

  out.finished = model.isProvenOptimal() || model.isProvenInfeasible();
  out.near_enough = model.secondaryStatus() == 2;
  out.bound = model.getBestPossibleObjValue();
  if (const double* best = model.bestSolution()) out.values.assign(best, best + programme.columns());
}

/// Of all ways to share the requests among these instances, the one that loads least of their cost.
void share_best(const Programme& programme, const std::vector<double>& costs, OsiClpSolverInterface& solver,
                std::vector<double>& values) {
  for (int j = 0; j < programme.columns(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    solver.setObjCoeff(j, costs[at]);
    if (programme.is_whole[at]) solver.setColBounds(j, std::round(values[at]), std::round(values[at]));
  }
  solver.resolve();
  if (solver.isProvenOptimal()) values.assign(solver.getColSolution(), solver.getColSolution() + programme.columns());
}

SolverOutcome run_solver(const Builder& builder, const FleetProblem& problem) {
  SolverOutcome out;
  try {
    OsiClpSolverInterface solver;
    load(builder.programme(), solver);
    relax(builder.programme(), solver);
    out.finished = solver.isProvenPrimalInfeasible();
    if (!solver.isProvenOptimal()) return out;
    out.relaxed = out.bound = solver.getObjValue() * builder.unit();
    search(builder.programme(), problem, solver, out);
    out.bound *= builder.unit();
    if (!out.values.empty()) share_best(builder.programme(), builder.share_costs(), solver, out.values);
  } catch (const CoinError&) {
    out.failed = true;
  }
  return out;
}

/// The shares of a bucket are of all of it.
void make_whole(std::vector<FleetUse>& kinds, std::size_t bucket) {
  double sum = 0;
  for (const FleetUse& use : kinds) sum += use.share[bucket];
  if (sum <= 0) return;
  for (FleetUse& use : kinds) use.share[bucket] /= sum;
}

FleetSolution read(const FleetProblem& problem, const Builder& builder, const std::vector<double>& values) {
  const auto at = [&](int column) { return column > 0 ? values[static_cast<std::size_t>(column - 1)] : 0; };
  FleetSolution out;
  out.feasible = true;
  for (const int column : builder.committed()) out.committed.push_back(std::round(at(column)));
  for (std::size_t t = 0; t < problem.periods.size(); ++t) {
    auto& kinds = out.by_period.emplace_back();
    for (std::size_t g = 0; g < problem.kinds.size(); ++g) {
      const PeriodColumns& c = builder.periods()[t][g];
      const double more = std::round(at(c.more));
      FleetUse use{more + out.committed[g], {}};
      // Of kinds that are not there the solver may leave a trace, which the others take.
      for (const int column : c.share)
        use.share.push_back(use.instances > 0 && at(column) > kNoShare ? std::min(at(column), 1.0) : 0.0);
      const FleetKind& kind = problem.kinds[g];
      out.cost += problem.periods[t].hours * ((more > 0 ? more * kind.price : 0) +
                                              (out.committed[g] > 0 ? out.committed[g] * *kind.committed : 0));
      kinds.push_back(std::move(use));
    }
    for (std::size_t b = 0; b < problem.rate.size(); ++b) make_whole(kinds, b);
  }
  return out;
}

/// What the answer says is checked against the question, not against the solver's word.
bool holds(const FleetProblem& problem, const FleetSolution& solution) {
  constexpr double kClose = 1e-5;
  for (std::size_t t = 0; t < problem.periods.size(); ++t) {
    std::vector<double> served(problem.rate.size());
    for (std::size_t g = 0; g < problem.kinds.size(); ++g) {
      const FleetUse& use = solution.by_period[t][g];
      double load = 0;
      for (std::size_t b = 0; b < served.size(); ++b) {
        if (use.share[b] <= 0) continue;
        served[b] += use.share[b];
        load += use.share[b] * problem.rate[b] * problem.periods[t].scale / problem.kinds[g].capacity[b];
      }
      if (load > use.instances * (1 + kClose) + kClose) return false;
    }
    if (std::ranges::any_of(served, [&](double share) { return std::abs(share - 1) > kClose; })) return false;
  }
  return true;
}

}  // namespace

Result<FleetSolution> solve_fleet(const FleetProblem& problem) {
  const std::clock_t start = std::clock();
  if (problem.kinds.empty()) return FleetSolution{};
  for (std::size_t b = 0; b < problem.rate.size(); ++b)
    if (std::ranges::none_of(problem.kinds, [&](const FleetKind& kind) { return kind.capacity[b] > 0; }))
      return FleetSolution{};
  const Builder builder(problem);
  const SolverOutcome outcome = run_solver(builder, problem);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (outcome.failed) return std::unexpected(Error{ErrorKind::io, say("the solver failed; this is a bug"), {}, {}});
  FleetSolution out;
  if (!outcome.values.empty()) {
    out = read(problem, builder, outcome.values);
    if (!problem.only_bound && !holds(problem, out))
      return std::unexpected(Error{ErrorKind::io, say("the solver's answer is wrong; this is a bug"), {}, {}});
  }
  out.seconds = seconds;
  out.relaxed = out.feasible ? std::min(outcome.relaxed, out.cost) : outcome.relaxed;  // it weighs instances too
  out.near_enough = outcome.near_enough;
  out.optimal = outcome.finished;
  out.bound =
      outcome.finished && problem.gap <= 0 ? out.cost : std::min(out.cost, std::max(outcome.relaxed, outcome.bound));
  return out;
}

std::vector<bool> worth_solving(const FleetProblem& problem) {
  const auto& kinds = problem.kinds;
  const auto limit = [&](std::size_t g) {
    const auto pool = static_cast<std::size_t>(kinds[g].pool);
    return pool < problem.pool_limit.size() ? problem.pool_limit[pool].value_or(kInfinite) : kInfinite;
  };
  const auto as_good = [&](std::size_t a, std::size_t b) {
    if (kinds[a].price > kinds[b].price ||
        kinds[a].committed.value_or(kInfinite) > kinds[b].committed.value_or(kInfinite))
      return false;
    bool better = kinds[a].price < kinds[b].price || a < b;
    for (std::size_t i = 0; i < problem.rate.size(); ++i) {
      if (kinds[a].capacity[i] < kinds[b].capacity[i]) return false;
      better = better || kinds[a].capacity[i] > kinds[b].capacity[i];
    }
    return better;
  };
  std::vector<bool> keep(kinds.size(), true);
  for (std::size_t b = 0; b < kinds.size(); ++b)
    for (std::size_t a = 0; a < kinds.size() && keep[b]; ++a)
      if (a != b && (limit(a) == kInfinite || kinds[a].pool == kinds[b].pool) && as_good(a, b)) keep[b] = false;
  return keep;
}

}  // namespace gpusel::answer
