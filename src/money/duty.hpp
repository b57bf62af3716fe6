// How much of the time rented hardware runs and is used: hours a day, days a month, starts, and what is paid for them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/values/number.hpp"
#include "base/values/units.hpp"
#include "job/request/option.hpp"

namespace gpusel::money {

using gpusel::parse_share;

inline constexpr double kDaysPerMonth = kHoursPerMonth / 24;

/// Hours for which the service or the job must be there, and the share of them that does work. A month is 730 hours,
/// so that at most 730 / 24 days are in it.
struct Duty {
  double hours_per_day = 24;
  double days_per_month = kDaysPerMonth;
  double utilization = 1;      // of those hours, the share in which there is work
  bool scale_to_zero = false;  // hours without work are switched off
  std::optional<double> starts_per_day;
  std::optional<double> cold_start_s;   // of one start, paid and of no use
  std::optional<double> days_asked;     // where a month does not have so many
  std::optional<double> months;         // that a service is needed; nothing: no end is known
  std::vector<std::string_view> given;  // keys of duty_options() that were said

  /// On a day that counts; absent: none round the clock, else one.
  double starts() const { return starts_per_day.value_or(hours_per_day < 24 || scale_to_zero ? 1 : 0); }
  /// Hours of work on a day that counts.
  double used_per_day() const { return hours_per_day * utilization; }
  /// Hours that run on a day that counts, with the cold starts; before billing rounds them.
  double run_per_day() const;
  double used_per_month() const { return used_per_day() * days_per_month; }
  double run_per_month() const { return run_per_day() * days_per_month; }
  /// Runs without a break: every hour of every day is paid for.
  bool is_always_on() const { return run_per_month() > kHoursPerMonth - 1e-6; }
  /// Works in every hour of every day.
  bool works_always() const { return used_per_month() > kHoursPerMonth - 1e-6; }
  bool is_given() const { return !given.empty(); }
  bool operator==(const Duty&) const = default;
};

/// Error: starts and work take longer than the hours in which they would have to be.
Status check(const Duty& duty);

/// --hours-per-day, --days, --months, --utilization, --scale-to-zero, --starts-per-day, --cold-start.
std::span<const job::Option<Duty>> duty_options();

}  // namespace gpusel::money
