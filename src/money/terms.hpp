// What a term commits to and what is paid under it: hours as they run, rounded as the provider bills them, or whole
// periods; and what traffic out of a cloud costs in tiers.
#pragma once

#include <optional>
#include <vector>

#include "money/billing.hpp"
#include "money/duty.hpp"
#include "money/exchange.hpp"

namespace gpusel::money {

/// A capacity block is reserved for whole days.
inline constexpr double kBlockHours = 24;

/// What is promised to be paid, used or not.
struct Commitment {
  double hours = 0;          // of one period; 0: paid as used
  bool whole_month = false;  // nothing is promised, but the rate holds for a whole month; less use costs that at most
  bool by_day = false;       // periods are days, bought only for those that count
  double longest_hours = 0;  // without a break, after which it ends; 0: no end is known

  bool is_as_used() const { return hours <= 0; }
  bool is_promise() const { return hours > 0 && !whole_month; }
  /// That a period lasts; nothing where nothing is promised, or by the day.
  catalog::Number months() const;
};
Commitment commitment_of(catalog::Term term, const Billing& billing = {});

/// Terms that are paid in full within so many months, longest last: what a service that is needed for as long may be
/// rented on.
std::vector<catalog::Term> terms_used_up(double months);

/// Hours that work goes on without a break: to its end round the clock, else the time of one start.
double longest_stretch(const Duty& duty, catalog::Number job_hours);

/// Hours that are paid for.
struct Paid {
  double day = 0;  // the month's share of each day that counts
  double month = 0;
  double year = 0;
  catalog::Number commitment;  // of one period; nothing where paid as used
  catalog::Number job;         // nothing for a service that runs on
  bool at_most = false;        // day, month and year
  bool job_at_most = false;
  // What on-demand would cost is less than all hours at the term's rate: hours that nobody counts.
  bool bounded = false;  // day, month and year
  bool job_bounded = false;
};
/// `job_hours`: of work at full speed.
Paid paid_hours(const Commitment& commitment, const Duty& duty, const Billing& billing, catalog::Number job_hours);

/// A discount that grows with use never makes it dearer than on demand: bounds are that at most, in hours at the term's
/// rate. `ratio`: the on-demand price over that rate; `as_used`: hours paid on demand.
void bound_by_on_demand(Paid& paid, const Paid& as_used, double ratio);

/// Hours from a job's start to its end under a duty cycle.
double elapsed_hours(double job_hours, const Duty& duty);

/// Money over time, in one currency.
struct Amounts {
  catalog::Number hour, day, month, year, commitment, job;

  Amounts& operator+=(const Amounts& other);
  Amounts operator*(double factor) const;
};
/// Walks them with their names.
template <class AnyAmounts, class Visitor>
void visit_amounts(AnyAmounts& amounts, Visitor&& v) {
  v("hour", amounts.hour);
  v("day", amounts.day);
  v("month", amounts.month);
  v("year", amounts.year);
  v("commitment", amounts.commitment);
  v("job", amounts.job);
}
/// Hours paid at a rate per hour.
Amounts amounts_of(double rate, const Paid& paid);
/// What costs so much every month: its share of a day that counts, twelve times it a year.
Amounts monthly(double per_month, const Duty& duty, catalog::Number job_hours);

/// What so much traffic of one month costs, in the record's currency; nothing where a tier cannot be read.
catalog::Number egress_cost(const catalog::Egress& egress, double gb);

}  // namespace gpusel::money
