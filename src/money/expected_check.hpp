// How near the expected price comes to what is asked later, against the old price taken as it is.
#pragma once

#include <vector>

#include "catalog/catalog.hpp"

namespace gpusel::money {

/// Of one kind of seller and term; errors are shares of the later price, those of an offer in the middle.
struct OutlookCheck {
  catalog::ProviderKind seller = catalog::ProviderKind::cloud;
  catalog::Term term = catalog::Term::on_demand;
  std::size_t offers = 0;     // with two prices at least a month apart
  double months = 0;          // between the first and the last of them, of an offer in the middle
  double old_error = 0;       // of the first price, taken for the last
  double expected_error = 0;  // of the price expected at the day of the last
  double old_mean = 0;        // means of the same
  double expected_mean = 0;
  double covered = 0;  // share of last prices in the range of 80 of 100
};

/// Each offer from its first to its last price, by a drift that was measured without the prices of its GPU at its
/// provider; by seller and term.
std::vector<OutlookCheck> check_outlook(const catalog::Catalog& catalog);

}  // namespace gpusel::money
