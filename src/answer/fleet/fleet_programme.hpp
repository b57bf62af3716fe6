// The rows and columns of the integer programme behind a fleet, as the solver takes them. Private to this room.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "answer/fleet/fleet_solver.hpp"

namespace gpusel::answer {

inline constexpr double kInfinite = std::numeric_limits<double>::infinity();
/// Instances that a bucket loads by less are loaded by nothing: the solver cannot tell it from its rounding.
inline constexpr double kNoLoad = 1e-9;
/// A load above which the solver's rounding cannot hide that an instance is needed.
inline constexpr double kSomeLoad = 1e-3;
/// Of the least price, what an instance weighs beside its own.
inline constexpr double kTie = 1e-6;

/// Rows and columns of the programme, and rows that every solution keeps to anyway: they tighten the bound, and the
/// solver takes those in that are broken.
class Programme {
 public:
  struct Term {
    int column;
    double factor;
  };
  struct Row {
    std::vector<int> columns;
    std::vector<double> factors;
    double low, high;
  };

  /// A column with its cost; `high` infinite: no upper bound. They count from 1.
  int column(double cost, bool whole, double high) {
    costs.push_back(cost);
    is_whole.push_back(whole);
    highs.push_back(high);
    return columns();
  }
  void at_most(const std::vector<Term>& terms, double high) { rows.push_back(row(terms, -kInfinite, high)); }
  void equal(const std::vector<Term>& terms, double value) { rows.push_back(row(terms, value, value)); }
  void implied_at_most(const std::vector<Term>& terms, double high) { implied.push_back(row(terms, -kInfinite, high)); }
  int columns() const { return static_cast<int>(costs.size()); }

  std::vector<double> costs, highs;
  std::vector<bool> is_whole;
  std::vector<Row> rows, implied;

 private:
  static Row row(const std::vector<Term>& terms, double low, double high) {
    Row out{{}, {}, low, high};
    for (const Term& term : terms) {
      out.columns.push_back(term.column - 1);
      out.factors.push_back(term.factor);
    }
    return out;
  }
};

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
    if (!std::isfinite(least_price_)) least_price_ = 1;
    double hours = 0;
    for (const FleetPeriod& period : p_.periods) hours += period.hours;
    for (std::size_t g = 0; g < p_.kinds.size(); ++g) {
      const FleetKind& kind = p_.kinds[g];
      const bool can = kind.committed && *kind.committed < kind.price;
      committed_.push_back(can ? lp_.column(priced(*kind.committed) * hours, true, kInfinite) : 0);
      if (can && !p_.committed.empty()) lp_.equal({{committed_.back(), 1}}, p_.committed[g]);
    }
    for (const FleetPeriod& period : p_.periods) add_period(period);
    if (p_.most_kinds) limit_kinds();
  }

  const Programme& programme() const { return lp_; }
  /// What the programme's costs are counted in.
  double unit() const { return least_price_; }
  /// Of the fleets of one cost, requests go where they load least of it: what a share is worth in instances.
  std::vector<double> share_costs() const {
    std::vector<double> out(static_cast<std::size_t>(lp_.columns()), 0.0);
    for (std::size_t t = 0; t < periods_.size(); ++t)
      for (std::size_t g = 0; g < p_.kinds.size(); ++g) {
        const FleetKind& kind = p_.kinds[g];
        const double price = std::isfinite(kind.price) ? kind.price : kind.committed.value_or(0);
        for (std::size_t b = 0; b < p_.rate.size(); ++b)
          if (const int column = periods_[t][g].share[b]; column > 0)
            out[static_cast<std::size_t>(column - 1)] =
                price / least_price_ * p_.rate[b] * p_.periods[t].scale / kind.capacity[b];
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
      lp_.equal(terms, 1);
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
    lp_.at_most(load, 0);
    if (c.used == 0) {
      if (!p_.only_bound) serve_with_some(g, c, scale);
      return;
    }
    std::vector<Programme::Term> all{{c.used, 0}};
    for (const int share : c.share) {
      if (share == 0) continue;
      all.push_back({share, 1});
      all.front().factor -= 1;
      lp_.implied_at_most({{share, 1}, {c.used, -1}}, 0);
    }
    lp_.at_most(all, 0);
    std::vector<Programme::Term> least{{c.used, 1 + p_.spare}, {c.more, -1}};
    if (committed_[g] > 0) least.push_back({committed_[g], -1});
    lp_.at_most(least, 0);
  }

  /// Who serves anything is there, however little it loads: where the load alone says so of whole instances only, or
  /// not even of them.
  void serve_with_some(std::size_t g, const PeriodColumns& c, double scale) {
    for (std::size_t b = 0; b < c.share.size(); ++b) {
      if (c.share[b] == 0 || p_.rate[b] * scale >= p_.kinds[g].capacity[b]) continue;
      std::vector<Programme::Term> terms{{c.share[b], 1}, {c.more, -1}};
      if (committed_[g] > 0) terms.push_back({committed_[g], -1});
      if (p_.rate[b] * scale >= kSomeLoad * p_.kinds[g].capacity[b])
        lp_.implied_at_most(terms, 0);
      else
        lp_.at_most(terms, 0);
    }
  }

  /// In least prices. Of fleets of one cost the one of fewest instances, by less than a cost is told apart by.
  double priced(double price) const { return price / least_price_ + kTie; }

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
    if (!terms.empty()) lp_.at_most(terms, most);
  }

  /// A kind counts once, in however many periods it is used.
  void limit_kinds() {
    std::vector<Programme::Term> all;
    for (std::size_t g = 0; g < p_.kinds.size(); ++g) {
      const int ever = lp_.column(0, true, 1);
      for (const auto& kinds : periods_) lp_.at_most({{kinds[g].used, 1}, {ever, -1}}, 0);
      all.push_back({ever, 1});
    }
    lp_.at_most(all, *p_.most_kinds);
  }

  const FleetProblem& p_;
  bool counts_use_ = false;
  double least_price_ = 0;
  Programme lp_;
  std::vector<int> committed_;
  std::vector<std::vector<PeriodColumns>> periods_;
};

}  // namespace gpusel::answer
