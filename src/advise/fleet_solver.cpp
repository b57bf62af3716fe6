#include "advise/fleet_solver.hpp"

#include <glpk.h>

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <ctime>
#include <limits>
#include <memory>

#include "advise/fleet_programme.hpp"
#include "gpusel/base/message.hpp"

// GLPK reads models out of data bases through drivers that it loads while it runs. Nothing here asks for that, and a
// program linked statically cannot: its loader finds none.
extern "C" {

int lt_dlinit() { return 1; }
int lt_dlexit() { return 1; }
void* lt_dlopen(const char*) { return nullptr; }
void* lt_dlsym(void*, const char*) { return nullptr; }
int lt_dlclose(void*) { return 1; }
const char* lt_dlerror() { return "no plug-ins"; }
}

namespace gpusel::advise {

namespace {

/// What the solver counts as whole. A kind that serves little must not pass for one that is not there.
constexpr double kWhole = 1e-7;
/// Shares below this are the solver's rounding.
constexpr double kNoShare = 1e-6;

struct SolverOutcome {
  double most_work = 0;  // rows × steps of the simplex method
  int rows = 0;
  bool stopped = false;
  bool failed = false;
  bool near_enough = false;  // within the gap asked for
  int relaxation = GLP_UNDEF;
  double relaxed = 0;
  int status = GLP_UNDEF;
  double cost = 0;
  double bound = -kInfinite;
};

/// Where a fault of the solver jumps to.
std::jmp_buf& fault() {
  thread_local std::jmp_buf place;
  return place;
}

/// Keeps the bound, and ends the search by what was done, not by the clock: the same question has the same answer.
void note_bound(glp_tree* tree, void* place) {
  auto& out = *static_cast<SolverOutcome*>(place);
  if (const int best = glp_ios_best_node(tree); best != 0) out.bound = glp_ios_node_bound(tree, best);
  out.stopped = static_cast<double>(glp_get_it_cnt(glp_ios_get_prob(tree))) * out.rows > out.most_work;
  if (out.stopped) glp_ios_terminate(tree);
}

/// Nothing with a destructor may live in here, see fill().
void run_solver(glp_prob* solver, Programme& lp, const FleetProblem& problem, const double* share_costs, SolverOutcome& out,
                double* values) {
  if (setjmp(fault()) != 0) {
    out.failed = true;
    return;
  }
  glp_error_hook([](void*) { std::longjmp(fault(), 1); }, nullptr);
  lp.fill(solver);
  glp_smcp simplex;
  glp_init_smcp(&simplex);
  simplex.msg_lev = GLP_MSG_OFF;
  simplex.presolve = GLP_ON;
  simplex.tm_lim = static_cast<int>(std::clamp(problem.time_limit_s * 1000, 1.0, 1e9));
  simplex.it_lim = static_cast<int>(std::clamp(problem.most_work / lp.rows(), 1.0, 1e9));
  if (glp_simplex(solver, &simplex) == 0) {
    out.relaxation = glp_get_status(solver);
    out.relaxed = glp_get_obj_val(solver);
  }
  glp_iocp whole;
  glp_init_iocp(&whole);
  whole.msg_lev = GLP_MSG_OFF;
  whole.presolve = GLP_ON;
  whole.mir_cuts = GLP_ON;
  whole.gmi_cuts = GLP_ON;
  whole.mip_gap = problem.gap;
  whole.tm_lim = simplex.tm_lim;
  whole.tol_int = kWhole;
  whole.tol_obj = kTie / 100;
  whole.cb_func = note_bound;
  whole.cb_info = &out;
  out.rows = lp.rows();
  out.most_work = problem.most_work;
  out.near_enough = glp_intopt(solver, &whole) == GLP_EMIPGAP;
  out.status = glp_mip_status(solver);
  if (out.status == GLP_OPT || out.status == GLP_FEAS) {
    out.cost = glp_mip_obj_val(solver);
    for (int j = 1; j <= lp.columns(); ++j) values[j] = glp_mip_col_val(solver, j);
    for (int j = 1; j <= lp.columns(); ++j) {
      glp_set_obj_coef(solver, j, share_costs[j]);
      if (glp_get_col_kind(solver, j) != GLP_CV)
        glp_set_col_bnds(solver, j, GLP_FX, std::round(values[j]), std::round(values[j]));
    }
    simplex.it_lim = std::numeric_limits<int>::max();
    if (glp_simplex(solver, &simplex) == 0 && glp_get_status(solver) == GLP_OPT)
      for (int j = 1; j <= lp.columns(); ++j) values[j] = glp_get_col_prim(solver, j);
  }
  glp_error_hook(nullptr, nullptr);
}

/// The shares of a bucket are of all of it.
void make_whole(std::vector<FleetUse>& kinds, std::size_t bucket) {
  double sum = 0;
  for (const FleetUse& use : kinds) sum += use.share[bucket];
  if (sum <= 0) return;
  for (FleetUse& use : kinds) use.share[bucket] /= sum;
}

FleetSolution read(const FleetProblem& problem, const Builder& builder, const std::vector<double>& values) {
  const auto at = [&](int column) { return column > 0 ? values[static_cast<std::size_t>(column)] : 0; };
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
  Builder builder(problem);
  std::vector<double> values(static_cast<std::size_t>(builder.programme().columns()) + 1);
  const std::vector<double> share_costs = builder.share_costs();
  SolverOutcome outcome;
  glp_term_hook([](void*, const char*) { return 1; }, nullptr);  // nothing is printed, faults included
  glp_term_out(GLP_OFF);
  {
    glp_prob* solver = glp_create_prob();
    run_solver(solver, builder.programme(), problem, share_costs.data(), outcome, values.data());
    if (!outcome.failed) glp_delete_prob(solver);
    glp_free_env();  // with all that a fault left behind
  }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (outcome.failed) return std::unexpected(Error{ErrorKind::io, say("the solver failed; this is a bug"), {}, {}});
  FleetSolution out;
  if (outcome.status == GLP_OPT || outcome.status == GLP_FEAS) {
    out = read(problem, builder, values);
    if (!problem.only_bound && !holds(problem, out))
      return std::unexpected(Error{ErrorKind::io, say("the solver's answer does not hold; this is a bug"), {}, {}});
  }
  out.seconds = seconds;
  out.relaxed = outcome.relaxation == GLP_OPT ? outcome.relaxed : 0;
  out.near_enough = outcome.near_enough;
  out.optimal = outcome.near_enough || outcome.status == GLP_OPT || outcome.status == GLP_NOFEAS ||
                outcome.relaxation == GLP_NOFEAS;
  const double proven = std::max(out.relaxed, std::isfinite(outcome.bound) ? outcome.bound : 0);
  if (out.feasible) out.relaxed = std::min(out.relaxed, out.cost);  // it weighs instances beside their prices
  out.bound = outcome.status == GLP_OPT && problem.gap <= 0 ? out.cost : std::min(out.cost, proven);
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
      if (a != b && limit(a) == kInfinite && as_good(a, b)) keep[b] = false;
  return keep;
}

}  // namespace gpusel::advise
