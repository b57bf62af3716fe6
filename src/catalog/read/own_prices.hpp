// What a user pays in place of what is published: discounts and prices given on the command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/values/date.hpp"
#include "base/values/error.hpp"
#include "base/values/money.hpp"
#include "catalog/records/market.hpp"

namespace gpusel::catalog {

/// Keys of the sources that such prices name.
inline constexpr std::string_view kOwnPrice = "own-price";
inline constexpr std::string_view kOwnDiscount = "own-discount";

/// The provider of machines that the user has.
inline constexpr std::string_view kOwnProvider = "own";

/// Whether a price is the user's own or discounted by the user.
inline bool is_own(const Origin& origin) { return origin.source == kOwnPrice || origin.source == kOwnDiscount; }

/// A share off all published prices of a provider, a family or a SKU: of one term, or of all but spot.
struct OwnDiscount {
  std::string subject;  // "aws", "aws:spot", "aws/p4d", "p4d.24xlarge:reserved-1y"
  double share = 0;
};
/// The whole instance's price per hour, on-demand or on another term.
struct OwnPrice {
  std::string subject;  // "p4d.24xlarge", "aws/p4d.24xlarge:spot"
  Money per_hour;
  Date as_of = {};  // unknown: as all of them
};
struct OwnPrices {
  std::vector<OwnDiscount> discounts;
  std::vector<OwnPrice> prices;
  Date as_of;  // of the prices: the day on which they are said

  bool empty() const { return discounts.empty() && prices.empty(); }
};

/// "aws=0.32", "aws:reserved-1y=10%".
Result<OwnDiscount> parse_discount(std::string_view text);
/// "p4d.24xlarge=4.2", "p4d.24xlarge:spot=30CNY".
Result<OwnPrice> parse_price(std::string_view text);

}  // namespace gpusel::catalog
