// Where one way to pay becomes cheaper than another. Amounts of one call are in one currency; what is never cheaper
// is nothing.
#pragma once

#include <optional>

#include "money/billing.hpp"
#include "money/over_time/reliability.hpp"

namespace gpusel::money {

/// Hours of use per month from which a commitment that costs so much per month, used or not, is cheaper than paying
/// for those hours. Nothing where even 730 hours on demand cost less. `on_demand`: what hours of a month are charged.
std::optional<double> break_even_hours(double committed_per_month, double on_demand_per_hour,
                                       const Billing& on_demand = {});

/// Months of that use after which a commitment's whole sum is less than what was paid for the hours. Nothing where
/// its own length does not suffice.
std::optional<double> break_even_months(double committed_in_all, double months, double on_demand_per_hour,
                                        double hours_per_month, const Billing& on_demand = {});

/// Spot against on-demand for one job. Both fail; spot is taken away besides.
struct SpotCase {
  double spot_per_hour = 0;  // all nodes
  double on_demand_per_hour = 0;
  Interruptions failures;     // of the hardware, all nodes
  double taken_per_hour = 0;  // interruptions of spot, all nodes
  Seconds work;
  std::optional<Seconds> interval;  // between checkpoints; absent: the best of each
  bool piecewise = false;           // work that loses nothing when it is stopped
  bool restarts_paid = true;
  Seconds regain;  // until spot capacity is back for all nodes, after it was taken away: not paid for
};

/// Spot, and on demand while spot has no capacity.
struct SpotMix {
  Run run;
  double on_demand_share = 0;  // of the time
  double cost = 0;
};

struct SpotAnswer {
  Run spot, on_demand;
  double spot_cost = 0;  // expected, of the whole job
  double on_demand_cost = 0;
  SpotMix mix;
  /// The spot price at which both cost the same.
  double break_even_price = 0;
  /// Interruptions of spot per hour, all nodes, at which both cost the same; nothing where spot is never cheaper.
  std::optional<double> break_even_rate;
};
SpotAnswer compare_spot(const SpotCase& asked);

/// Serving a model oneself against paying for its tokens.
struct TokenCase {
  double fixed_per_month = 0;               // paid for the machines, however much they do
  double per_hour_of_work = 0;              // paid besides; 0 where they are paid for without work, too
  double price_per_million = 0;             // of the other's tokens
  double tokens_per_s = 0;                  // that the machines do at full load
  double hours_per_month = kHoursPerMonth;  // in which there may be work
  double used_hours = kHoursPerMonth;       // in which there is
};
struct TokenAnswer {
  double own_price_per_million = 0;  // at full load
  double own_price_in_use = 0;       // in the hours used
  double capacity_per_month = 0;     // tokens
  /// Per month; nothing where each hour of work costs more than the other asks for its tokens.
  std::optional<double> break_even_tokens;
  /// Share of the capacity that must be used; nothing where all of it is not enough.
  std::optional<double> utilization;
  bool cheaper_in_use = false;
};
TokenAnswer compare_tokens(const TokenCase& asked);

/// One price per million of all tokens, read and written, for requests of that shape.
double blended_price(double in_per_million, double out_per_million, double in_tokens, double out_tokens);

/// Buying the machines against renting them.
struct OwnCase {
  double price = 0;  // to buy
  double watts = 0;  // at the wall, under load
  double pue = 1;    // power of the whole site over that of the machines
  double power_per_kwh = 0;
  double hosting_per_kw_month = 0;
  double years = 0;  // of use, after which it is worth nothing
  double rent_per_hour = 0;
  double hours_per_month = kHoursPerMonth;  // of use, and of rent
};
struct OwnAnswer {
  double power_per_hour = 0;  // of use
  double hosting_per_month = 0;
  double rent_per_month = 0;
  double running_per_month = 0;  // power and hosting
  double owned_per_month = 0;    // with the price spread over the years
  double owned_per_hour = 0;     // of use
  /// Months after which renting has cost more; nothing where running it costs as much as renting.
  std::optional<double> months;
  /// Hours of use per month from which owning is cheaper over the years; nothing where it never is.
  std::optional<double> hours_per_month;
};
OwnAnswer compare_owning(const OwnCase& asked);

}  // namespace gpusel::money
