// What queueing theory says of a server, and the simulator with it.
#include <catch2/catch.hpp>
#include <cmath>

#include "serve/load/random.hpp"
#include "serve/simulate.hpp"

namespace queue_theory_test {

using namespace gpusel::serve;

namespace {

enum class Service { fixed, random };
enum class Gaps { random, even };

constexpr double kTick = 1e-4;  // s of service per prompt token, where service is random

/// One request at a time, each one token long: mean seconds of waiting where a service takes a second on average.
double mean_wait(Service service, Gaps gaps, double load, std::size_t count) {
  StepTimes times;
  Requests requests;
  Random arrivals(3, 1);
  Random lengths(3, 2);
  double at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    at += (gaps == Gaps::even ? 1 : arrivals.gap()) / load;
    const double tokens = service == Service::fixed ? 1 : std::max(1.0, std::round(lengths.gap() / kTick));
    requests.all.push_back({at, static_cast<std::uint32_t>(tokens), 1, 0, 0});
  }
  (service == Service::fixed ? times.fixed : times.between) = service == Service::fixed ? 1 : kTick;
  Scheduling scheduling;
  scheduling.max_sequences = 1;
  scheduling.batched_tokens = 100'000'000;
  scheduling.kv_tokens = 100'000'000;
  const Run run = serve_requests(requests, times, scheduling, {}, 0, {}, 1);
  double sum = 0;
  for (const Served& served : run.served) sum += served.queued;
  return sum / static_cast<double>(count);
}

}  // namespace

TEST_CASE("a fixed service behind random arrivals waits as M/D/1 says") {
  for (const double load : {0.3, 0.6, 0.9}) {
    CAPTURE(load);
    CHECK(mean_wait(Service::fixed, Gaps::random, load, 3'000'000) == Approx(load / (2 * (1 - load))).epsilon(0.01));
  }
}

TEST_CASE("a random service behind random arrivals waits as M/M/1 says") {
  for (const double load : {0.3, 0.6, 0.9}) {
    CAPTURE(load);
    CHECK(mean_wait(Service::random, Gaps::random, load, 6'000'000) == Approx(load / (1 - load)).epsilon(0.01));
  }
}

TEST_CASE("arrivals at even distances never wait for a shorter service") {
  for (const double load : {0.3, 0.6, 0.9}) CHECK(mean_wait(Service::fixed, Gaps::even, load, 1000) < 1e-3);
}

TEST_CASE("whoever asks only what is in time is told the same share, or that too many are late") {
  Setup setup;
  setup.times.fixed = 1;
  setup.scheduling.max_sequences = 1;
  setup.scheduling.kv_tokens = 1'000'000;
  const auto demand = [](double load) {
    Demand out;
    out.input = Length::fixed(1);
    out.output = Length::fixed(1);
    out.rate = load;
    return out;
  };
  Goal goal;
  goal.targets.ttft = 3;
  for (const double load : {0.3, 0.6}) {
    CAPTURE(load);
    const Outcome whole = trial(setup, demand(load), goal, {}, {});
    const Reached told = reached(0.5, setup, demand(load), goal, {}, {});
    CHECK(whole.in_time.all > 0.5);
    CHECK(told.share == whole.in_time.all);
    CHECK(told.steady);
    CHECK(reaches(whole.in_time.all, setup, demand(load), goal, {}, {}));
    CHECK_FALSE(reaches(whole.in_time.all + 0.01, setup, demand(load), goal, {}, {}));
  }
  CHECK(reached(0.5, setup, demand(1.3), goal, {}, {}).share == 0);
  // Nobody is late yet, and each is later than the one before.
  goal.targets.ttft = 1e6;
  CHECK_FALSE(reached(0.5, setup, demand(1.3), goal, {}, {}).steady);
}

TEST_CASE("each wait follows from the one before it") {
  // Lindley's recursion, request by request.
  StepTimes times;
  times.fixed = 0.5;
  times.between = 0.001;
  Requests requests;
  Random random(5, 1);
  double at = 0;
  for (int i = 0; i < 5000; ++i) {
    at += random.gap();
    requests.all.push_back({at, static_cast<std::uint32_t>(1 + random.share() * 800), 1, 0, 0});
  }
  Scheduling scheduling;
  scheduling.max_sequences = 1;
  scheduling.kv_tokens = 1'000'000;
  const Run run = serve_requests(requests, times, scheduling, {}, 0, {}, 1);
  double free = 0;
  for (std::size_t i = 0; i < requests.all.size(); ++i) {
    const auto& request = requests.all[i];
    const double begins = std::max(free, request.arrival);
    free = begins + times.fixed + times.between * request.input;
    REQUIRE(run.served[i].queued == Approx(begins - request.arrival).margin(1e-3));
    REQUIRE(run.served[i].ttft == Approx(free - request.arrival).margin(1e-3));
  }
}

TEST_CASE("several servers behind one queue wait less than each behind its own") {
  Requests requests;
  Random random(9, 1);
  double at = 0;
  for (int i = 0; i < 200'000; ++i) requests.all.push_back({at += random.gap() / 1.6, 1, 1, 0, 0});
  StepTimes times;
  times.fixed = 1;
  Scheduling scheduling;
  scheduling.max_sequences = 1;
  scheduling.kv_tokens = 1000;
  const auto wait = [&](Router router) {
    Fleet fleet;
    fleet.replicas = 2;
    fleet.router = router;
    const Run run = serve_requests(requests, times, scheduling, fleet, 0, {}, 1);
    double sum = 0;
    for (const Served& served : run.served) sum += served.queued;
    return sum / static_cast<double>(requests.all.size());
  };
  // In turn, services of one length are those of one queue before both: M/D/2, at a load of 0.8 half the wait of M/M/2,
  // which is 0.8² ÷ (1 − 0.8²) services. Two queues of their own, behind arrivals divided by chance, would wait 2.
  CHECK(wait(Router::round_robin) == Approx(0.64 / 0.36 / 2).epsilon(0.03));
  CHECK(wait(Router::least_requests) >= wait(Router::round_robin));
  CHECK(wait(Router::least_requests) < 1.1);
}

}  // namespace queue_theory_test
