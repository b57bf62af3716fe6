// Interrupted runs: checkpoint intervals, expected times, deadlines; worked by hand, checked by properties and against
// a simulation.
#include "money/over_time/reliability.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

namespace reliability_test {

using namespace gpusel;
using namespace gpusel::money;

namespace {

Seconds hours(double n) { return seconds(3600 * n); }

/// One interruption a day, five minutes to write, a quarter of an hour to restart.
const Interruptions kDaily{1.0 / 24, hours(1.0 / 12), hours(0.25)};

/// Hours of one run as it happens: work in intervals, each written; any interruption costs the interval and a restart
/// that may be interrupted too.
double simulate(const Interruptions& stops, double work, double interval, std::mt19937_64& random) {
  std::exponential_distribution<double> wait(stops.per_hour);
  double clock = 0;
  double next = wait(random);
  const auto passes = [&](double length) {
    if (next >= length) {
      next -= length;
      clock += length;
      return true;
    }
    clock += next;
    next = wait(random);
    return false;
  };
  for (double done = 0; done < work - 1e-9; done += interval)
    while (!passes(interval + in_hours(stops.checkpoint)))
      while (!passes(in_hours(stops.restart))) {
      }
  return clock;
}

}  // namespace

TEST_CASE("a share of a month and an hourly rate are each other's reverse") {
  CHECK(hourly_rate(0.2) == Approx(0.000305676).epsilon(1e-5));  // −ln 0.8 / 730
  for (const double share : {0.0, 0.05, 0.2, 0.95}) CHECK(share_of_month(hourly_rate(share)) == Approx(share));
}

TEST_CASE("the interval between checkpoints is Young's and Daly's") {
  CHECK(in_hours(young_interval(kDaily)) == Approx(2));  // √(2 · 1/12 · 24)
  // 2 · (1 + √(1/576)/3 + (1/576)/9) − 1/12
  CHECK(in_hours(daly_interval(kDaily)) == Approx(1.9448302).epsilon(1e-7));
  CHECK(in_hours(daly_interval({1.0 / 24, hours(48), {}})) == Approx(24));  // writing takes two means: one mean
  CHECK(daly_interval({0, hours(1), hours(1)}).raw() == 0);
  CHECK(young_interval({0, hours(1), hours(1)}).raw() == 0);
}

TEST_CASE("the expected time is Daly's") {
  // e^(0.25/24) · (e^((2 + 1/12)/24) − 1) · 24/2
  CHECK(time_factor(kDaily, hours(2)) == Approx(1.0996098).epsilon(1e-6));
  // Without checkpoints, two days of work in pieces of two days: e^(0.25/24) · (e² − 1) · 24/48
  const Run none = expected_run(kDaily, hours(48), {});
  CHECK(none.factor() == Approx(3.2279783).epsilon(1e-6));
  CHECK(none.chance_of_none == Approx(std::exp(-2)));
  CHECK(none.interval.raw() == 0);
  CHECK(expected_run({0, hours(1), hours(1)}, hours(10), {}).wall == hours(10));
}

TEST_CASE("restarts are a part of the time, by how often and how long") {
  const Run run = expected_run(kDaily, hours(48), hours(2));
  CHECK(run.interruptions == Approx(run.wall / hours(24)));
  CHECK(run.paid_factor(true) == Approx(run.factor()));
  CHECK(run.paid_factor(false) == Approx(run.factor() * std::exp(-0.25 / 24)));
}

TEST_CASE("Daly's interval is where the expected time is least") {
  for (const double per_hour : {1e-4, 1e-3, 1e-2, 0.1})
    for (const double write : {1.0 / 120, 1.0 / 12, 0.5}) {
      const Interruptions stops{per_hour, hours(write), hours(0.25)};
      const double at_daly = time_factor(stops, daly_interval(stops));
      double least = at_daly;
      for (double interval = write / 10; interval < 40 / per_hour; interval *= 1.01)
        least = std::min(least, time_factor(stops, hours(interval)));
      INFO(per_hour << " per hour, " << write << " h to write");
      CHECK(at_daly <= least * 1.0005);
      CHECK(at_daly <= time_factor(stops, young_interval(stops)) * (1 + 1e-12));
    }
}

TEST_CASE("more interruptions, longer restarts and slower checkpoints never save time") {
  double before = 1;
  for (const double per_hour : {0.0, 1e-5, 1e-4, 1e-3, 1e-2, 0.1}) {
    const double factor = best_run({per_hour, hours(0.1), hours(0.25)}, hours(500)).factor();
    CHECK(factor >= before);
    before = factor;
    CHECK(best_run({per_hour, hours(0.1), hours(0.5)}, hours(500)).factor() >= factor);
    CHECK(best_run({per_hour, hours(0.2), hours(0.25)}, hours(500)).factor() >= factor);
  }
}

TEST_CASE("a job shorter than the interval writes no checkpoint") {
  CHECK(best_run({1e-4, hours(0.1), hours(0.25)}, hours(1)).interval.raw() == 0);
  CHECK(best_run({1e-2, hours(0.1), hours(0.25)}, hours(500)).interval.raw() > 0);
}

TEST_CASE("the model is what a simulation of it gives") {
  std::mt19937_64 random(7);
  const Run run = expected_run(kDaily, hours(48), hours(2));
  constexpr int kRuns = 20'000;
  const Seconds late = time_for_share(run, 0.95);
  const Seconds deadline = run.wall;
  double sum = 0;
  double in_95 = 0;
  double in_time = 0;
  for (int i = 0; i < kRuns; ++i) {
    const double took = simulate(kDaily, 48, 2, random);
    sum += took;
    in_95 += took <= in_hours(late) ? 1 : 0;
    in_time += took <= in_hours(deadline) ? 1 : 0;
  }
  CHECK(sum / kRuns == Approx(in_hours(run.wall)).epsilon(0.005));
  CHECK(in_95 / kRuns > 0.93);
  CHECK(in_time / kRuns == Approx(chance_within(run, deadline)).margin(0.1));
}

TEST_CASE("the chance to be in time grows with the deadline and agrees with the time for a share") {
  for (const double per_hour : {1e-3, 1e-2, 0.05, 2.0}) {  // the last one is interrupted a thousand times
    const Run run = best_run({per_hour, hours(0.05), hours(0.1)}, hours(400));
    CHECK(chance_within(run, run.undisturbed - hours(0.001)) == 0);
    double before = 0;
    for (const double more : {1.0, 1.01, 1.05, 1.2, 1.5, 3.0}) {
      const double chance = chance_within(run, run.undisturbed * more);
      CHECK(chance >= before);
      before = chance;
    }
    CHECK(chance_within(run, time_for_share(run, 0.95) + seconds(1)) >= 0.95);
    CHECK(time_for_share(run, 0.95) >= time_for_share(run, 0.5));
  }
  // Once in two days, two days without a checkpoint: the chance of none is that of the first attempt.
  const Run once = expected_run({1.0 / 48, {}, seconds(1)}, hours(48), {});
  CHECK(chance_within(once, hours(48)) == Approx(std::exp(-1)).epsilon(1e-4));
}

TEST_CASE("of very many interruptions the number is normal, half a step above what is counted") {
  Run run;
  run.interval = hours(1);
  run.work = hours(1e6);
  run.wall = hours(1000);  // each of them costs an hour
  run.interruptions = 1000;
  // mean 1000, deviation sqrt(1000 * 1.001) = 31.64; the normal share of 0.5 / 31.64 and of 30.5 / 31.64
  CHECK(chance_within(run, hours(1000)) == Approx(0.50630).epsilon(1e-4));
  CHECK(chance_within(run, hours(1030)) == Approx(0.83245).epsilon(1e-4));
}

TEST_CASE("a run that is shorter than its interval is one attempt") {
  Run run;
  run.interval = hours(10);
  run.work = run.undisturbed = hours(1);
  run.wall = hours(2);
  run.interruptions = 0.5;  // two hours each
  // Fails with 0.5 / 1.5 each time: no failure 2/3, at most one 8/9.
  CHECK(chance_within(run, hours(1)) == Approx(2.0 / 3));
  CHECK(chance_within(run, hours(3.001)) == Approx(8.0 / 9));
}

TEST_CASE("what will never end is said to, and what is never interrupted takes its time") {
  CHECK_FALSE(expected_run({1, {}, hours(1)}, hours(1000), {}).ends());
  CHECK(chance_within(expected_run({1, {}, hours(1)}, hours(1000), {}), hours(1e9)) == 0);
  const Run quiet = best_run({0, hours(1), hours(1)}, hours(10));
  CHECK(quiet.wall == hours(10));
  CHECK(time_for_share(quiet, 0.95) == hours(10));
  CHECK(chance_within(quiet, hours(10)) == 1);
}

TEST_CASE("work in pieces loses the restarts only") {
  const Run run = piecewise_run({0.01, hours(1), hours(0.5)}, hours(100));
  CHECK(in_hours(run.wall) == Approx(100 * std::exp(0.005)));
  CHECK(run.paid_factor(false) == Approx(1));
  CHECK(run.interruptions == Approx(std::exp(0.005)));  // one in a hundred hours
  CHECK(run.chance_of_none == Approx(std::exp(-1)));
}

TEST_CASE("a speed that is not sure spreads the time of a run") {
  const auto values = equally_likely(80, 125);
  REQUIRE(values.size() == 50);
  CHECK(std::count_if(values.begin(), values.end(), [](double v) { return v < 80; }) == 5);    // 10 of 100
  CHECK(std::count_if(values.begin(), values.end(), [](double v) { return v < 100; }) == 25);  // its median is 100
  std::vector<Run> runs;
  for (const double speed : values) runs.push_back(piecewise_run({}, seconds(3600 * 100 * 100 / speed)));
  CHECK(chance_within(runs, seconds(3600 * 125.0001)) == Approx(0.9));
  CHECK(chance_within(runs, seconds(3600 * 100.0001)) == Approx(0.5));
  CHECK(chance_within(runs, time_for_share(runs, 0.95)) >= 0.95);
}

}  // namespace reliability_test
