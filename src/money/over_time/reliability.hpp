// Runs that are interrupted: how often to write a checkpoint, how long a job takes and is paid for, and whether it is
// in time. Interruptions come at random and independently of each other, at a constant rate, restarts included.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/values/units.hpp"

namespace gpusel::money {

/// How often a job is stopped, and what each stop costs.
struct Interruptions {
  double per_hour = 0;  // of the whole job: the sum over its nodes
  Seconds checkpoint;   // to write one, while nothing else goes on
  Seconds restart;      // from an interruption until the work goes on from the last checkpoint

  Interruptions operator+(double more_per_hour) const { return {per_hour + more_per_hour, checkpoint, restart}; }
};

/// The rate of something that happens to `share` of all within a month, and the reverse.
double hourly_rate(double share_of_month);
double share_of_month(double per_hour);

/// The interval between checkpoints that loses the least, to the first order (Young 1974). Zero where nothing
/// interrupts or writing takes no time.
Seconds young_interval(const Interruptions& stops);
/// The same with the higher-order terms (Daly 2006).
Seconds daly_interval(const Interruptions& stops);

/// Expected time over the time of the work alone, with a checkpoint after every `interval` of work (Daly 2006):
/// e^(R/M) · (e^((τ + δ)/M) − 1) · M/τ. Infinite where it is too large for a number.
double time_factor(const Interruptions& stops, Seconds interval);

/// What is to be expected of a run.
struct Run {
  Seconds interval;          // of work between checkpoints; zero: none is written
  Seconds work;              // alone
  Seconds undisturbed;       // with its checkpoints
  Seconds wall;              // expected, with its interruptions
  Seconds restarting;        // of that, spent in restarts
  Seconds waiting;           // of that, until capacity is there again: nothing runs, and nothing is paid for
  double interruptions = 0;  // expected number
  double chance_of_none = 1;

  double factor() const { return wall / work; }
  /// The same over the time that is paid for.
  double paid_factor(bool restarts_paid) const {
    return (wall - waiting - (restarts_paid ? Seconds{} : restarting)) / work;
  }
  /// False where it would practically never be done.
  bool ends() const;
};

/// With a checkpoint after every `interval` of work; zero: without any, beginning anew after each interruption.
Run expected_run(const Interruptions& stops, Seconds work, Seconds interval);
/// With Daly's interval, or without checkpoints where that takes less.
Run best_run(const Interruptions& stops, Seconds work);
/// Work that loses nothing when it is stopped, because it is done piece by piece: only restarts are added.
Run piecewise_run(const Interruptions& stops, Seconds work);

/// A run of which `share` of the interruptions leave nothing to run on until capacity is back, after `each` on average.
Run with_waiting(Run run, double share, Seconds each);

/// The time within which `share` of all runs end. The number of interruptions is that of repeated attempts at each
/// interval (negative binomial), and each costs its mean.
Seconds time_for_share(const Run& run, double share);
/// The share of all runs that end within `deadline`.
double chance_within(const Run& run, Seconds deadline);

/// Equally likely values of what lies between `low` and `high` in 80 of 100 cases, as a lognormal distribution has it.
std::vector<double> equally_likely(double low, double high);
/// The same of a run whose speed is not sure, too: any of `likely` with the same chance.
double chance_within(std::span<const Run> likely, Seconds deadline);
Seconds time_for_share(std::span<const Run> likely, double share);

}  // namespace gpusel::money
