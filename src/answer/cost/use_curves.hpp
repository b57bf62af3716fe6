// What a month costs at every share of use, one way to pay after the other, and where one becomes the cheaper.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "answer/cost/break_even.hpp"
#include "answer/search/recommend.hpp"

namespace gpusel::answer {

/// kept_running: rented, and paid for in hours without work, too.
enum class Payment : std::uint8_t { term, kept_running, buying, tokens };

/// One way to pay for one recommendation. Money is in the answer's currency.
struct UseCurve {
  Payment payment = Payment::term;
  std::optional<catalog::Term> term;        // of rented ones
  const catalog::Offer* offer = nullptr;    // of terms
  const catalog::Region* region = nullptr;  // of terms
  int rank = 0;
  std::vector<std::pair<double, double>> points;  // hours of use a month, cost of that month

  /// Between two points on the line between them; beyond, as at the end.
  double at(double hours) const;
};

/// Where a way becomes cheaper than another, as break_evens() has it.
struct UseCrossing {
  std::size_t curve = 0, from = 0;  // places in the list; from there on the first is the cheaper
  double hours = 0;                 // of use a month
  double cost = 0;                  // of that month
};

struct UseCurves {
  CostAnswer costs;        // of the recommendations that are paid for in the curves, the best first
  BreakEvens of_best;      // of the first of them
  BreakEvens break_evens;  // of the last of them
  std::vector<UseCurve> curves;
  std::vector<UseCrossing> crossings;

  const CostItem& item() const { return costs.items.back(); }
};

/// Terms stand at their cheapest places; where a break-even compares them in another, they are drawn there, too.
/// For the best recommendation, and where it is sold in one way only and has no other, for the first beside it that is
/// sold in several. `question` says limits, currency and duty cycle; its subjects are not looked at. The answer points
/// into `advice`'s catalogue. Errors: those of costs().
Result<UseCurves> use_curves(const Advice& advice, CostQuestion question, const BreakEvenWishes& wishes,
                             const catalog::Catalog& catalog, const physics::Coefficients& coefficients);

}  // namespace gpusel::answer
