// From a published price and a duration to money. Amounts of two currencies meet only through a
// dated exchange rate, and the answer says which.
#pragma once

#include <optional>
#include <vector>

#include "gpusel/base/money.hpp"
#include "gpusel/base/units.hpp"
#include "gpusel/catalog/catalog.hpp"

namespace gpusel::cost {

/// The rate that turned one currency into another.
struct Exchange {
  double rate = 1;  // units of the answer's currency per unit of the offer's
  Date as_of;       // the older of the two rates behind it
};

/// Rates from every currency of a catalogue into one, looked up once.
class Converter {
 public:
  /// Error: the catalogue has no rate for `to`.
  static Result<Converter> into(Currency to, const catalog::Catalog& catalog);

  Currency currency() const { return to_; }
  /// Nothing for a currency without a rate.
  const Exchange* exchange(Currency from) const;

 private:
  struct Rate {
    Currency from;
    Exchange exchange;
  };
  explicit Converter(Currency to) : to_(to) {}
  Currency to_;
  std::vector<Rate> rates_;
};

/// What a plan costs under one offer, in the answer's currency.
struct JobCost {
  double hourly = 0;  // all nodes
  double hours = 0;   // of the job, or of a month of service
  double total = 0;   // hourly × hours, or × the hours of all subscribed periods
  std::optional<double> per_million_tokens;
  std::optional<double> per_unit;       // of work that is counted in items of its own
  std::string_view unit;                // what per_unit is for: "million images"
  double licence_hourly = 0;            // of hourly, what a graphics licence costs on top of the offer
  std::optional<double> egress_hourly;  // traffic to the internet, not in hourly; nothing where no price is known
  Money offer;                          // one node and hour, as published
  std::optional<Exchange> exchange;     // where it was converted
};

/// A job of that length on `nodes` nodes.
struct Usage {
  int nodes = 1;
  Seconds duration;
  double tokens_per_s = 0;    // of all nodes, 0 where it has no meaning
  double units_per_hour = 0;  // of what a price of counted work is for, all nodes
  std::string_view unit = {};
  double licence_per_hour = 0;  // of one node, in the answer's currency
  Seconds period = {};          // paid whole, used or not; zero: paid as used
};

/// What a subscription is paid in: a month of 730 hours, a year of 8760; zero for terms paid as used.
Seconds subscription_period(catalog::Term term);

/// Nothing where there is no exchange rate.
std::optional<JobCost> job_cost(Money offer_per_hour, const Converter& converter, const Usage& usage);

}  // namespace gpusel::cost
