#include "advise/fleet_solver.hpp"

#include <glpk.h>

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <ctime>
#include <limits>
#include <memory>

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

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Rows and columns of the programme, built before the solver is asked.
class Programme {
 public:
  /// A column with its cost; `high` infinite: no upper bound.
  int column(double cost, bool whole, double high) {
    costs_.push_back(cost);
    whole_.push_back(whole);
    high_.push_back(high);
    return static_cast<int>(costs_.size());
  }
  struct Term {
    int column;
    double factor;
  };
  void row(const std::vector<Term>& terms, int type, double bound) {
    types_.push_back(type);
    bounds_.push_back(bound);
    for (const Term& term : terms) {
      rows_.push_back(static_cast<int>(types_.size()));
      columns_.push_back(term.column);
      factors_.push_back(term.factor);
    }
  }
  int columns() const { return static_cast<int>(costs_.size()); }

  /// Only calls of the solver and plain data in here: a fault of the solver leaves by a jump.
  void fill(glp_prob* solver) {
    glp_set_obj_dir(solver, GLP_MIN);
    glp_add_cols(solver, columns());
    for (int j = 1; j <= columns(); ++j) {
      const auto at = static_cast<std::size_t>(j - 1);
      glp_set_obj_coef(solver, j, costs_[at]);
      if (whole_[at]) glp_set_col_kind(solver, j, GLP_IV);
      const int type = high_[at] == kInfinite ? GLP_LO : high_[at] > 0 ? GLP_DB : GLP_FX;
      glp_set_col_bnds(solver, j, type, 0, type == GLP_LO ? 0 : high_[at]);
    }
    glp_add_rows(solver, static_cast<int>(types_.size()));
    for (std::size_t i = 0; i < types_.size(); ++i)
      glp_set_row_bnds(solver, static_cast<int>(i) + 1, types_[i], bounds_[i], bounds_[i]);
    // The solver counts from one.
    rows_.insert(rows_.begin(), 0);
    columns_.insert(columns_.begin(), 0);
    factors_.insert(factors_.begin(), 0);
    glp_load_matrix(solver, static_cast<int>(rows_.size()) - 1, rows_.data(), columns_.data(), factors_.data());
  }

 private:
  std::vector<double> costs_, high_, bounds_, factors_;
  std::vector<bool> whole_;
  std::vector<int> types_, rows_, columns_;
};

/// The columns of one kind in one period.
struct Columns {
  int more = 0;            // instances beside those committed to
  int used = 0;            // whether any; 0: nobody asks
  std::vector<int> share;  // by bucket; 0: does not serve it
};

class Builder {
 public:
  explicit Builder(const FleetProblem& problem) : p_(problem) {
    counts_use_ = p_.spare > 0 || p_.most_kinds;
    double hours = 0;
    for (const FleetPeriod& period : p_.periods) hours += period.hours;
    for (const FleetKind& kind : p_.kinds) {
      const bool can = kind.committed && *kind.committed < kind.price;
      committed_.push_back(can ? lp_.column(*kind.committed * hours, true, kInfinite) : 0);
    }
    for (const FleetPeriod& period : p_.periods) add_period(period);
    if (p_.most_kinds) limit_kinds();
  }

  Programme& programme() { return lp_; }
  /// Of the fleets of one cost, requests go where they load least of it: what a share is worth in instances.
  std::vector<double> share_costs() const {
    std::vector<double> out(static_cast<std::size_t>(lp_.columns()) + 1, 0.0);
    for (std::size_t t = 0; t < periods_.size(); ++t)
      for (std::size_t g = 0; g < p_.kinds.size(); ++g) {
        const FleetKind& kind = p_.kinds[g];
        const double price = std::isfinite(kind.price) ? kind.price : kind.committed.value_or(0);
        for (std::size_t b = 0; b < p_.rate.size(); ++b)
          if (const int column = periods_[t][g].share[b]; column > 0)
            out[static_cast<std::size_t>(column)] = price * p_.rate[b] * p_.periods[t].scale / kind.capacity[b];
      }
    return out;
  }

  const std::vector<int>& committed() const { return committed_; }
  const std::vector<std::vector<Columns>>& periods() const { return periods_; }

 private:
  void add_period(const FleetPeriod& period) {
    std::vector<Columns>& kinds = periods_.emplace_back();
    for (const FleetKind& kind : p_.kinds) {
      Columns& c = kinds.emplace_back();
      const bool sold = std::isfinite(kind.price);
      c.more = lp_.column(sold ? kind.price * period.hours : 0, true, sold ? kInfinite : 0);
      if (counts_use_) c.used = lp_.column(0, true, 1);
      for (std::size_t b = 0; b < p_.rate.size(); ++b)
        c.share.push_back(kind.capacity[b] > 0 ? lp_.column(0, false, kInfinite) : 0);
    }
    serve_all(kinds);
    for (std::size_t g = 0; g < kinds.size(); ++g) carry_load(g, kinds[g], period.scale);
    keep_limits(kinds);
  }

  /// Every bucket is served in full.
  void serve_all(const std::vector<Columns>& kinds) {
    for (std::size_t b = 0; b < p_.rate.size(); ++b) {
      std::vector<Programme::Term> terms;
      for (const Columns& c : kinds)
        if (c.share[b] > 0) terms.push_back({c.share[b], 1});
      lp_.row(terms, GLP_FX, 1);
    }
  }

  /// The load of a kind is no more than its instances, spare ones left out.
  void carry_load(std::size_t g, const Columns& c, double scale) {
    std::vector<Programme::Term> load;
    for (std::size_t b = 0; b < c.share.size(); ++b)
      if (c.share[b] > 0) load.push_back({c.share[b], p_.rate[b] * scale / p_.kinds[g].capacity[b]});
    load.push_back({c.more, -1});
    if (committed_[g] > 0) load.push_back({committed_[g], -1});
    if (c.used > 0 && p_.spare > 0) load.push_back({c.used, p_.spare});
    lp_.row(load, GLP_UP, 0);
    if (c.used == 0) return;
    for (const int share : c.share)
      if (share > 0) lp_.row({{share, 1}, {c.used, -1}}, GLP_UP, 0);
  }

  void keep_limits(const std::vector<Columns>& kinds) {
    for (std::size_t pool = 0; pool < p_.pool_limit.size(); ++pool)
      if (p_.pool_limit[pool]) limit(kinds, static_cast<int>(pool), *p_.pool_limit[pool]);
    if (p_.most_instances) limit(kinds, -1, *p_.most_instances);
  }

  /// Of the kinds of one pool, or of all.
  void limit(const std::vector<Columns>& kinds, int pool, double most) {
    std::vector<Programme::Term> terms;
    for (std::size_t g = 0; g < kinds.size(); ++g) {
      if (pool >= 0 && p_.kinds[g].pool != pool) continue;
      terms.push_back({kinds[g].more, 1});
      if (committed_[g] > 0) terms.push_back({committed_[g], 1});
    }
    if (!terms.empty()) lp_.row(terms, GLP_UP, most);
  }

  /// A kind counts once, in however many periods it is used.
  void limit_kinds() {
    std::vector<Programme::Term> all;
    for (std::size_t g = 0; g < p_.kinds.size(); ++g) {
      const int ever = lp_.column(0, true, 1);
      for (const auto& kinds : periods_) lp_.row({{kinds[g].used, 1}, {ever, -1}}, GLP_UP, 0);
      all.push_back({ever, 1});
    }
    lp_.row(all, GLP_UP, *p_.most_kinds);
  }

  const FleetProblem& p_;
  bool counts_use_ = false;
  Programme lp_;
  std::vector<int> committed_;
  std::vector<std::vector<Columns>> periods_;
};

struct Outcome {
  bool failed = false;
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

void note_bound(glp_tree* tree, void* place) {
  if (const int best = glp_ios_best_node(tree); best != 0)
    static_cast<Outcome*>(place)->bound = glp_ios_node_bound(tree, best);
}

/// Nothing with a destructor may live in here, see fill().
void run_solver(glp_prob* solver, Programme& lp, const FleetProblem& problem, const double* share_costs, Outcome& out,
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
  whole.cb_func = note_bound;
  whole.cb_info = &out;
  glp_intopt(solver, &whole);
  out.status = glp_mip_status(solver);
  if (out.status == GLP_OPT || out.status == GLP_FEAS) {
    out.cost = glp_mip_obj_val(solver);
    for (int j = 1; j <= lp.columns(); ++j) values[j] = glp_mip_col_val(solver, j);
    for (int j = 1; j <= lp.columns(); ++j) {
      glp_set_obj_coef(solver, j, share_costs[j]);
      if (glp_get_col_kind(solver, j) != GLP_CV)
        glp_set_col_bnds(solver, j, GLP_FX, std::round(values[j]), std::round(values[j]));
    }
    if (glp_simplex(solver, &simplex) == 0 && glp_get_status(solver) == GLP_OPT)
      for (int j = 1; j <= lp.columns(); ++j) values[j] = glp_get_col_prim(solver, j);
  }
  glp_error_hook(nullptr, nullptr);
}

FleetSolution read(const FleetProblem& problem, const Builder& builder, const std::vector<double>& values) {
  const auto at = [&](int column) { return column > 0 ? values[static_cast<std::size_t>(column)] : 0; };
  FleetSolution out;
  out.feasible = true;
  for (const int column : builder.committed()) out.committed.push_back(std::round(at(column)));
  for (std::size_t t = 0; t < problem.periods.size(); ++t) {
    auto& kinds = out.by_period.emplace_back();
    for (std::size_t g = 0; g < problem.kinds.size(); ++g) {
      const Columns& c = builder.periods()[t][g];
      const double more = std::round(at(c.more));
      FleetUse use{more + out.committed[g], {}};
      for (const int column : c.share) use.share.push_back(std::clamp(at(column), 0.0, 1.0));
      const FleetKind& kind = problem.kinds[g];
      out.cost += problem.periods[t].hours * ((more > 0 ? more * kind.price : 0) +
                                              (out.committed[g] > 0 ? out.committed[g] * *kind.committed : 0));
      kinds.push_back(std::move(use));
    }
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
  Outcome outcome;
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
    if (!holds(problem, out))
      return std::unexpected(Error{ErrorKind::io, say("the solver's answer does not hold; this is a bug"), {}, {}});
  }
  out.seconds = seconds;
  out.relaxed = outcome.relaxation == GLP_OPT ? outcome.relaxed : 0;
  out.optimal = outcome.status == GLP_OPT || outcome.status == GLP_NOFEAS || outcome.relaxation == GLP_NOFEAS;
  const double proven = std::max(out.relaxed, std::isfinite(outcome.bound) ? outcome.bound : 0);
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
