// What queueing theory says of requests that come at random, and the steps of a replica with it.
#include "physics/serving/loaded_steps.hpp"

#include <catch2/catch.hpp>
#include <cmath>

namespace loaded_steps_test {

using namespace gpusel;
using namespace gpusel::physics;

namespace {

/// How likely a wait is no longer than `time` behind random arrivals with a service of one second (Erlang's formula for
/// M/D/1).
double waits_up_to(double time, double load) {
  double sum = 0;
  double factorial = 1;
  for (int k = 0; k <= time; ++k) {
    if (k > 0) factorial *= k;
    const double left = load * (time - k);
    sum += std::pow(-left, k) / factorial * std::exp(left);
  }
  return (1 - load) * sum;
}

/// Prompts of a second each, one after the other, and nothing that decodes.
LoadedSteps prompts_alone(double load) {
  LoadedSteps steps;
  steps.arrivals_per_s = load;
  steps.first_part = steps.further_part = steps.alone = seconds(1);
  steps.reads_alone = true;
  steps.in_flight = load;
  steps.room = 1000;
  steps.stay = seconds(1);
  return steps;
}

/// Steps of 10 ms that prompts of 50 ms lengthen.
LoadedSteps decoding(double arrivals_per_s) {
  LoadedSteps steps;
  steps.arrivals_per_s = arrivals_per_s;
  steps.bare = seconds(0.010);
  steps.first_part = steps.further_part = seconds(0.050);
  steps.parts_of_step = 4;
  steps.alone = seconds(0.055);
  steps.in_flight = 20;
  steps.room = 1000;
  steps.per_token = seconds(0.010 / (1 - 0.050 * arrivals_per_s));
  steps.steps = 99;
  steps.stay = seconds(1);
  return steps;
}

}  // namespace

TEST_CASE("prompts one after the other wait as M/D/1 says") {
  for (const double load : {0.3, 0.6, 0.8}) {
    const Percentiles ttft = LoadedTimes(prompts_alone(load)).ttft();
    CAPTURE(load);
    CHECK(ttft.mean.raw() == Approx(1 + load / (2 * (1 - load))).epsilon(0.02));
    for (const auto& [percent, time] :
         {std::pair(0.90, ttft.p90), std::pair(0.95, ttft.p95), std::pair(0.99, ttft.p99)}) {
      CAPTURE(percent, time.raw());
      CHECK(waits_up_to(time.raw() * 1.05 - 1, load) >= percent);
      CHECK(waits_up_to(time.raw() * 0.95 - 1, load) <= percent);
    }
  }
}

TEST_CASE("gaps between tokens are steps without a prompt, and those with one") {
  // Of the time, prompts take a tenth; so many steps have none that n steps and 2 n · 50 ms arrivals make up a second
  const Percentiles itl = LoadedTimes(decoding(2)).itl();
  CHECK(itl.p50.raw() == Approx(0.010).epsilon(0.01));
  CHECK(itl.p95.raw() == Approx(0.010).epsilon(0.02));  // 2 of 90 steps have a prompt
  CHECK(itl.p99.raw() == Approx(0.060).epsilon(0.02));
  CHECK(itl.mean.raw() == Approx(1.0 / 90).epsilon(0.02));
  // With 10 a second a fifth of 50 steps has one or two
  CHECK(LoadedTimes(decoding(10)).itl().p90.raw() == Approx(0.060).epsilon(0.02));
}

TEST_CASE("a prompt waits for half a step and is read in the next") {
  // 5 ms, then 10 ms and its own 50
  CHECK(LoadedTimes(decoding(0.1)).ttft().p50.raw() == Approx(0.065).epsilon(0.02));
  LoadedSteps ahead = decoding(0.1);
  ahead.ahead = true;
  CHECK(LoadedTimes(ahead).ttft().p50.raw() == Approx(0.075).epsilon(0.02));
  LoadedSteps served = decoding(0.1);
  served.overhead = seconds(0.1);
  CHECK(LoadedTimes(served).ttft().p50.raw() == Approx(0.165).epsilon(0.02));
}

TEST_CASE("a prompt of three steps is read in three") {
  LoadedSteps longer = decoding(0.1);
  longer.parts = 12;
  longer.first_part = seconds(0.050 / 4);
  CHECK(LoadedTimes(longer).ttft().p50.raw() == Approx(0.005 + 3 * (0.010 + 0.050)).epsilon(0.02));
}

TEST_CASE("more arrivals, less room and longer prompts never make a request faster") {
  const auto slower = [](const LoadedSteps& than, const LoadedSteps& steps) {
    const LoadedTimes before(than);
    const LoadedTimes after(steps);
    for (const auto figure : {&Percentiles::p50, &Percentiles::p95, &Percentiles::p99}) {
      CHECK(after.ttft().*figure >= before.ttft().*figure * 0.985);  // a bin
      CHECK(after.itl().*figure >= before.itl().*figure * 0.985);
      CHECK(after.e2e().*figure >= before.e2e().*figure * 0.985);
    }
  };
  for (double rate = 1; rate < 16; rate += 1) slower(decoding(rate), decoding(rate + 1));
  LoadedSteps full = decoding(8);
  full.room = 22;
  slower(decoding(8), full);
  LoadedSteps heavy = decoding(8);
  heavy.first_part = heavy.further_part = seconds(0.060);
  slower(decoding(8), heavy);
}

TEST_CASE("more arrivals than can be read leave finite figures") {
  const LoadedTimes times(decoding(1000));
  CHECK(std::isfinite(times.ttft().p999.raw()));
  CHECK(times.ttft().p999 > times.ttft().p50);
  CHECK(std::isfinite(times.itl().p999.raw()));
}

TEST_CASE("who comes to an idle replica is answered a step later where one is scheduled ahead") {
  // Nothing else runs but for one in a thousand.
  LoadedSteps steps = decoding(2);
  steps.in_flight = 1e-3;
  CHECK(LoadedTimes(steps).ttft().p95.raw() == Approx(0.055).epsilon(0.02));
  steps.ahead = true;
  CHECK(LoadedTimes(steps).ttft().p50.raw() == Approx(0.055 + steps.bare.raw()).epsilon(0.02));
  CHECK(LoadedTimes(steps).ttft().p95.raw() == Approx(0.055 + steps.bare.raw()).epsilon(0.02));
}

}  // namespace loaded_steps_test
