// How prices move with time: pairs of prices of one offer, and the few figures that sum them up for each kind of
// seller, term, provider and GPU. docs/method.md#the-price-today has the arithmetic.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "base/values/date.hpp"
#include "catalog/records/market.hpp"

namespace gpusel::catalog {

class Catalog;
struct Tables;

/// A month as prices are aged by it.
inline constexpr double kDaysPerMonth = 365.25 / 12;

/// Prices as a rate of changes and what a change is: of all sellers of a kind, of one of them, or of one of its GPUs.
struct Drift {
  std::string_view id;  // "cloud.on-demand", "cloud.on-demand.runpod", "cloud.on-demand.runpod.h100-sxm-80gb"
  std::optional<ProviderKind> seller;
  std::optional<Term> term;
  std::string_view provider;  // empty: every one of that kind
  std::string_view gpu;       // empty: every one
  Number changes_per_month;   // of one offer's price
  Number change;              // mean of ln(price after ÷ price before) of one change
  Number spread;              // its standard deviation
  Number longest_months;      // between two prices of a pair: further than that a drift is not carried on
  Number pairs;
  Number offers;  // that they are of

  /// What a price grows by in a month, on average: ln of the factor.
  double per_month() const { return changes_per_month.value_or(0) * change.value_or(0); }
};

template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, Drift>
void visit_fields(Record& d, Visitor&& v) {
  constexpr Range kLogarithm{-10, 10};
  v(Field{.path = "id", .json = "id", .required = true}, d.id);
  v(Field{.path = "seller", .json = "seller", .required = true}, d.seller);
  v(Field{.path = "term", .json = "term", .required = true}, d.term);
  v(Field{.path = "provider", .json = "provider"}, d.provider);
  v(Field{.path = "gpu", .json = "gpu"}, d.gpu);
  v(Field{.path = "changes_per_month", .json = "changes_per_month", .range = {0, 100}, .required = true},
    d.changes_per_month);
  v(Field{.path = "change", .json = "change", .range = kLogarithm, .required = true}, d.change);
  v(Field{.path = "spread", .json = "spread", .range = {0, 10}, .required = true}, d.spread);
  v(Field{.path = "longest_months", .json = "longest_months", .range = {0, 1200}}, d.longest_months);
  v(Field{.path = "pairs", .json = "pairs", .range = {0, 1e9}}, d.pairs);
  v(Field{.path = "offers", .json = "offers", .range = {0, 1e9}}, d.offers);
}

/// Two prices of one offer, one after the other, with at least the month of each known.
struct PricePair {
  const Offer* before = nullptr;
  const Offer* after = nullptr;
  double months = 0;  // between them
  double change = 0;  // ln(after ÷ before)

  /// A list price that was only rounded otherwise did not change.
  bool is_change() const;
};

/// The pairs of neighbours in each offer's history, the offer itself last; prices of the user's own are no part of it.
std::vector<PricePair> price_pairs(const Tables& tables);
std::vector<PricePair> price_pairs(const Catalog& catalog);

/// Who sells an instance, as far as its price goes: machines of others than the provider are a marketplace's.
ProviderKind seller_kind(const Instance& instance, const Provider& provider);

/// The drift of those pairs: a row for each kind of seller and term, in which each provider has one voice, below it one
/// for each provider, drawn towards that, and below it one for each GPU. Rows have no id.
std::vector<Drift> measure_drift(std::span<const PricePair> pairs, std::span<const Instance> instances,
                                 std::span<const Provider> providers);
/// The drift of the prices in `tables`, in the order of ids, besides what they state of drift themselves.
void add_measured_drift(Tables& tables);

/// The figures of one group of pairs, drawn towards `towards` where they are few; null: taken as they are.
/// `weights`: of each pair.
Drift fit_drift(std::span<const PricePair> pairs, std::span<const double> weights, const Drift* towards);

/// Moves of the prices of one GPU by one kind of seller on one term.
struct PriceMoves {
  std::string_view gpu;  // empty: no GPU
  ProviderKind seller = ProviderKind::cloud;
  Term term = Term::on_demand;
  std::size_t pairs = 0;
  std::size_t offers = 0;
  std::size_t rose = 0;
  std::size_t fell = 0;
  double months = 0;     // that the pairs span, of an offer in the middle
  double change = 0;     // from the first to the last price, of an offer in the middle: a share
  double per_month = 0;  // mean growth: a share
  Date first = {}, last = {};
};
/// By GPU, seller and term.
std::vector<PriceMoves> price_moves(const Catalog& catalog);

}  // namespace gpusel::catalog
