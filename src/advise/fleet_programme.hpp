// The rows and columns of the integer programme behind a fleet, as GLPK takes them. Private to this room.
#pragma once

#include <glpk.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "advise/fleet_solver.hpp"

namespace gpusel::advise {

inline constexpr double kInfinite = std::numeric_limits<double>::infinity();
/// Instances that a bucket loads by less are loaded by nothing: the solver cannot tell it from its rounding.
inline constexpr double kNoLoad = 1e-9;
/// Of the least price, what an instance weighs beside its own.
inline constexpr double kTie = 1e-6;

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
  int rows() const { return static_cast<int>(types_.size()); }
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
struct PeriodColumns {
  int more = 0;            // instances beside those committed to
  int used = 0;            // whether any; 0: nobody asks
  std::vector<int> share;  // by bucket; 0: does not serve it
};

class Builder {
 public:
  explicit Builder(const FleetProblem& problem) : p_(problem) {
    counts_use_ = p_.spare > 0 || p_.most_kinds;
    least_price_ = kInfinite;
    for (const FleetKind& kind : p_.kinds)
      for (const double price : {kind.price, kind.committed.value_or(kInfinite)})
        if (price > 0) least_price_ = std::min(least_price_, price);
    double hours = 0;
    for (const FleetPeriod& period : p_.periods) hours += period.hours;
    for (std::size_t g = 0; g < p_.kinds.size(); ++g) {
      const FleetKind& kind = p_.kinds[g];
      const bool can = kind.committed && *kind.committed < kind.price;
      committed_.push_back(can ? lp_.column(priced(*kind.committed) * hours, true, kInfinite) : 0);
      if (can && !p_.committed.empty()) lp_.row({{committed_.back(), 1}}, GLP_FX, p_.committed[g]);
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
  const std::vector<std::vector<PeriodColumns>>& periods() const { return periods_; }

 private:
  void add_period(const FleetPeriod& period) {
    std::vector<PeriodColumns>& kinds = periods_.emplace_back();
    for (const FleetKind& kind : p_.kinds) {
      PeriodColumns& c = kinds.emplace_back();
      const bool sold = std::isfinite(kind.price);
      c.more = lp_.column(sold ? priced(kind.price) * period.hours : 0, true, sold ? kInfinite : 0);
      if (counts_use_) c.used = lp_.column(0, true, 1);
      for (std::size_t b = 0; b < p_.rate.size(); ++b)
        c.share.push_back(kind.capacity[b] > 0 ? lp_.column(0, false, kInfinite) : 0);
    }
    serve_all(kinds);
    for (std::size_t g = 0; g < kinds.size(); ++g) carry_load(g, kinds[g], period.scale);
    keep_limits(kinds);
  }

  /// Every bucket is served in full.
  void serve_all(const std::vector<PeriodColumns>& kinds) {
    for (std::size_t b = 0; b < p_.rate.size(); ++b) {
      std::vector<Programme::Term> terms;
      for (const PeriodColumns& c : kinds)
        if (c.share[b] > 0) terms.push_back({c.share[b], 1});
      lp_.row(terms, GLP_FX, 1);
    }
  }

  /// The load of a kind is no more than its instances, spare ones left out.
  void carry_load(std::size_t g, const PeriodColumns& c, double scale) {
    std::vector<Programme::Term> load;
    for (std::size_t b = 0; b < c.share.size(); ++b)
      if (const double all = p_.rate[b] * scale / p_.kinds[g].capacity[b]; c.share[b] > 0 && all > kNoLoad)
        load.push_back({c.share[b], all});
    load.push_back({c.more, -1});
    if (committed_[g] > 0) load.push_back({committed_[g], -1});
    if (c.used > 0 && p_.spare > 0) load.push_back({c.used, p_.spare});
    lp_.row(load, GLP_UP, 0);
    if (c.used == 0) {
      if (!p_.only_bound) serve_with_some(g, c, scale);
      return;
    }
    for (const int share : c.share)
      if (share > 0) lp_.row({{share, 1}, {c.used, -1}}, GLP_UP, 0);
    std::vector<Programme::Term> least{{c.used, 1 + p_.spare}, {c.more, -1}};
    if (committed_[g] > 0) least.push_back({committed_[g], -1});
    lp_.row(least, GLP_UP, 0);
  }

  /// Who serves anything is there, however little it loads: where the load alone does not say so.
  void serve_with_some(std::size_t g, const PeriodColumns& c, double scale) {
    for (std::size_t b = 0; b < c.share.size(); ++b) {
      if (c.share[b] == 0 || p_.rate[b] * scale >= p_.kinds[g].capacity[b]) continue;
      std::vector<Programme::Term> terms{{c.share[b], 1}, {c.more, -1}};
      if (committed_[g] > 0) terms.push_back({committed_[g], -1});
      lp_.row(terms, GLP_UP, 0);
    }
  }

  /// Of fleets of one cost the one of fewest instances, by less than a cost is told apart by.
  double priced(double price) const { return price + (std::isfinite(least_price_) ? least_price_ * kTie : 0); }

  void keep_limits(const std::vector<PeriodColumns>& kinds) {
    for (std::size_t pool = 0; pool < p_.pool_limit.size(); ++pool)
      if (p_.pool_limit[pool]) limit(kinds, static_cast<int>(pool), *p_.pool_limit[pool]);
    if (p_.most_instances) limit(kinds, -1, *p_.most_instances);
  }

  /// Of the kinds of one pool, or of all.
  void limit(const std::vector<PeriodColumns>& kinds, int pool, double most) {
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
  double least_price_ = 0;
  Programme lp_;
  std::vector<int> committed_;
  std::vector<std::vector<PeriodColumns>> periods_;
};

}  // namespace gpusel::advise
