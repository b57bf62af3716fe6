#include "money/over_time/reliability.hpp"

#include <algorithm>
#include <cmath>

#include "base/values/bisect.hpp"
#include "base/values/normal.hpp"

namespace gpusel::money {

namespace {

/// Expected time over that of the work above which a run is said never to end.
constexpr double kHopeless = 100;
/// A first chance below e to minus this is summed up from the normal distribution that the many have become.
constexpr double kManyInterruptions = 500;

/// Equally likely speeds by which a distribution is summed up.
constexpr int kLikely = 50;

double mean_hours(const Interruptions& stops) { return 1 / stops.per_hour; }

/// How often a run is interrupted: each of its `attempts` intervals until it is done once.
struct Count {
  double attempts = 1;
  double mean = 0;

  explicit Count(const Run& run)
      : attempts(run.interval.raw() > 0 ? std::max(1.0, run.work / run.interval) : 1), mean(run.interruptions) {}

  double deviation() const { return std::sqrt(mean * (1 + mean / attempts)); }

  /// The chance of at most `count`.
  double share(double count) const {
    const double fails = mean / (attempts + mean);
    const double first = attempts * std::log1p(-fails);
    if (-first > kManyInterruptions) return normal_share((std::floor(count) + 0.5 - mean) / deviation());
    double term = std::exp(first);
    double sum = term;
    for (double k = 1; k <= count && sum < 1; ++k) sum += term *= (k - 1 + attempts) / k * fails;
    return std::min(1.0, sum);
  }

  /// The least number that `share` of all runs do not exceed.
  double quantile(double wanted) const {
    double low = -1;
    double high = std::ceil(mean + 40 * deviation() + 40);
    while (high - low > 1) {
      const double middle = std::floor((low + high) / 2);
      (share(middle) >= wanted ? high : low) = middle;
    }
    return high;
  }
};

/// What one interruption adds to the time, on average.
Seconds cost_of_one(const Run& run) { return (run.wall - run.undisturbed) / run.interruptions; }

}  // namespace

double hourly_rate(double share) { return -std::log1p(-share) / kHoursPerMonth; }

double share_of_month(double per_hour) { return -std::expm1(-per_hour * kHoursPerMonth); }

Seconds young_interval(const Interruptions& stops) {
  if (stops.per_hour <= 0) return {};
  return seconds(3600 * std::sqrt(2 * in_hours(stops.checkpoint) * mean_hours(stops)));
}

Seconds daly_interval(const Interruptions& stops) {
  if (stops.per_hour <= 0) return {};
  const double write = in_hours(stops.checkpoint);
  const double between = mean_hours(stops);
  if (write >= 2 * between) return seconds(3600 * between);
  const double ratio = write / (2 * between);
  return seconds(3600 * (std::sqrt(2 * write * between) * (1 + std::sqrt(ratio) / 3 + ratio / 9) - write));
}

double time_factor(const Interruptions& stops, Seconds interval) {
  const double tau = in_hours(interval);
  const double write = in_hours(stops.checkpoint);
  if (stops.per_hour <= 0) return (tau + write) / tau;
  return std::exp(stops.per_hour * in_hours(stops.restart)) * std::expm1(stops.per_hour * (tau + write)) /
         (stops.per_hour * tau);
}

bool Run::ends() const { return wall <= work * kHopeless; }

Run expected_run(const Interruptions& stops, Seconds work, Seconds interval) {
  Run run;
  run.work = run.undisturbed = work;
  Interruptions counted = stops;
  if (interval.raw() > 0 && interval < work) {
    run.interval = interval;
    run.undisturbed = work * (1 + stops.checkpoint / interval);
  } else {
    counted.checkpoint = {};  // the last one is not needed any more
  }
  run.wall = work * time_factor(counted, run.interval.raw() > 0 ? interval : work);
  run.interruptions = stops.per_hour * in_hours(run.wall);
  run.restarting = run.wall * -std::expm1(-stops.per_hour * in_hours(stops.restart));
  run.chance_of_none = std::exp(-stops.per_hour * in_hours(run.undisturbed));
  return run;
}

Run best_run(const Interruptions& stops, Seconds work) {
  const Run none = expected_run(stops, work, {});
  const Run some = expected_run(stops, work, daly_interval(stops));
  return some.wall < none.wall ? some : none;
}

Run piecewise_run(const Interruptions& stops, Seconds work) {
  Run run;
  run.work = run.undisturbed = work;
  run.wall = work * std::exp(stops.per_hour * in_hours(stops.restart));
  run.interruptions = stops.per_hour * in_hours(run.wall);
  run.restarting = run.wall - work;
  run.chance_of_none = std::exp(-stops.per_hour * in_hours(work));
  return run;
}

Run with_waiting(Run run, double share, Seconds each) {
  run.waiting = each * (run.interruptions * share);
  run.wall += run.waiting;
  return run;
}

Seconds time_for_share(const Run& run, double share) {
  if (!run.ends() || run.interruptions <= 0) return run.wall;
  return run.undisturbed + cost_of_one(run) * Count(run).quantile(share);
}

double chance_within(const Run& run, Seconds deadline) {
  if (!run.ends() || deadline < run.undisturbed) return 0;
  if (run.interruptions <= 0) return 1;
  return Count(run).share(std::floor((deadline - run.undisturbed) / cost_of_one(run)));
}

std::vector<double> equally_likely(double low, double high) {
  std::vector<double> values;
  const double median = std::sqrt(low * high);
  const double sigma = std::log(high / median) / normal_quantile(0.9);
  for (int i = 0; i < kLikely; ++i) values.push_back(median * std::exp(sigma * normal_quantile((i + 0.5) / kLikely)));
  return values;
}

double chance_within(std::span<const Run> likely, Seconds deadline) {
  double sum = 0;
  for (const Run& run : likely) sum += chance_within(run, deadline);
  return sum / static_cast<double>(likely.size());
}

Seconds time_for_share(std::span<const Run> likely, double share) {
  Seconds longest{};
  for (const Run& run : likely) longest = std::max(longest, time_for_share(run, share));
  return seconds(
      first_that([&](double time) { return chance_within(likely, seconds(time)) >= share; }, 0, longest.raw()));
}

}  // namespace gpusel::money
