// Requests that are drawn: as many as asked, as long and as spread as they should be, the same at every rate.
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "serve/load/demand.hpp"
#include "serve/load/random.hpp"

namespace serve_load_test {

using namespace gpusel::serve;
using gpusel::job::Length;

namespace {

double gap_cv(const gpusel::job::Requests& requests) {
  double sum = 0;
  double squares = 0;
  const auto& all = requests.all;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const double gap = all[i].arrival - all[i - 1].arrival;
    sum += gap;
    squares += gap * gap;
  }
  const auto count = static_cast<double>(all.size() - 1);
  const double mean = sum / count;
  return std::sqrt(squares / count - mean * mean) / mean;
}

}  // namespace

TEST_CASE("random numbers have the mean and the spread of their distribution") {
  Random random(1, 1);
  constexpr int kCount = 200'000;
  double gaps = 0;
  double normals = 0;
  double squares = 0;
  double gammas = 0;
  double gamma_squares = 0;
  for (int i = 0; i < kCount; ++i) {
    gaps += random.gap();
    const double normal = random.normal();
    normals += normal;
    squares += normal * normal;
    const double gamma = random.gamma(0.25);
    gammas += gamma;
    gamma_squares += gamma * gamma;
  }
  CHECK(gaps / kCount == Approx(1).epsilon(0.01));
  CHECK(normals / kCount == Approx(0).margin(0.01));
  CHECK(squares / kCount == Approx(1).epsilon(0.01));
  CHECK(gammas / kCount == Approx(1).epsilon(0.02));
  CHECK(gamma_squares / kCount - 1 == Approx(4).epsilon(0.05));  // variance 1 ÷ shape
}

TEST_CASE("arrivals have the rate and the spread that are asked for") {
  Demand demand;
  for (const double cv : {0.0, 0.5, 1.0, 3.5}) {
    CAPTURE(cv);
    demand.process.gap_cv = cv;
    const auto requests = draw(demand, 100'000, 5, 1);
    CHECK(100'000 / requests.all.back().arrival == Approx(5).epsilon(0.03));
    CHECK(gap_cv(requests) == Approx(cv).epsilon(0.04).margin(1e-4));
  }
}

TEST_CASE("minutes differ by more than chance where they should") {
  Demand demand;
  demand.process = {1, 0.5};
  const auto requests = draw(demand, 200'000, 10, 1);
  std::vector<double> minutes(static_cast<std::size_t>(requests.all.back().arrival / 60));
  for (const auto& request : requests.all)
    if (const auto minute = static_cast<std::size_t>(request.arrival / 60); minute < minutes.size())
      minutes[minute] += 1;
  double sum = 0;
  double squares = 0;
  for (const double count : minutes) {
    sum += count;
    squares += count * count;
  }
  const auto count = static_cast<double>(minutes.size());
  const double mean = sum / count;
  CHECK(mean == Approx(600).epsilon(0.02));
  CHECK(std::sqrt(squares / count - mean * mean) / mean == Approx(0.5).epsilon(0.15));
}

TEST_CASE("bursts and busy minutes leave the mean rate as it was asked for") {
  Demand demand;
  demand.process = {9.4, 1.04};
  const auto requests = draw(demand, 200'000, 6, 1);
  CHECK(200'000 / requests.all.back().arrival == Approx(6).epsilon(0.05));
  for (std::size_t i = 1; i < requests.all.size(); ++i) REQUIRE(requests.all[i].arrival >= requests.all[i - 1].arrival);
}

TEST_CASE("of many replicas a part gets its share of each burst, as requests that are thinned at random") {
  Demand demand;
  demand.rate = 40;
  demand.process.gap_cv = 4;
  const auto all = draw(demand, 200'000, demand.rate, 1);
  gpusel::job::Requests thinned;
  Random random(1, 99);
  for (const auto& request : all.all)
    if (random.share() < 0.1) thinned.all.push_back(request);
  const Demand part = demand.part(0.1);
  CHECK(part.rate == Approx(4));
  CHECK(part.process.gap_cv == Approx(std::sqrt(1 + 0.1 * 15)));
  CHECK(gap_cv(thinned) == Approx(part.process.gap_cv).epsilon(0.05));
  demand.process.gap_cv = 1;
  CHECK(demand.part(0.1).process.gap_cv == 1);
}

TEST_CASE("the minutes of a short run have the spread of all minutes") {
  Demand demand;
  demand.process.minute_cv = 1;
  demand.rate = 20;
  constexpr int kTogether = 60;
  CHECK(demand.enough_minutes() == kTogether);
  const auto all = draw(demand, 20 * 60 * (kTogether + 1), demand.rate, 3);
  std::vector<double> rates(kTogether + 1);
  for (const auto& request : all.all)
    if (const auto minute = static_cast<std::size_t>(request.arrival / 60); minute < rates.size())
      rates[minute] += 1.0 / 60;
  CHECK(rates.front() == Approx(20).epsilon(0.1));  // what warms up
  double mean = 0, busy = 0;
  for (std::size_t i = 1; i < rates.size(); ++i) mean += rates[i] / kTogether;
  CHECK(mean == Approx(20).epsilon(0.03));
  // Of an exponential variable's minutes, those of more than three times the mean have (1 + 3)·e^-3 = 20 % of the
  // requests.
  for (std::size_t i = 1; i < rates.size(); ++i)
    if (rates[i] > 60) busy += rates[i] / (20 * kTogether);
  CHECK(busy == Approx(0.2).margin(0.06));
}

TEST_CASE("what is asked does not change with how fast it is asked") {
  Demand demand;
  demand.input = {500, 1, {}};
  demand.output = {100, 0.7, {}};
  const auto slow = draw(demand, 1000, 1, 3);
  const auto fast = draw(demand, 2000, 4, 3);
  for (std::size_t i = 0; i < 1000; ++i) {
    REQUIRE(slow.all[i].input == fast.all[i].input);
    REQUIRE(slow.all[i].output == fast.all[i].output);
    REQUIRE(slow.all[i].arrival == Approx(4 * fast.all[i].arrival));
  }
  CHECK(draw(demand, 10, 1, 4).all[5].input != slow.all[5].input);
}

TEST_CASE("lengths are distributed as they are given, and go together as they should") {
  Demand demand;
  demand.input.quantiles = {{0.1, 100}, {0.5, 1000}, {0.9, 4000}};
  demand.output = {200, 0.8, {}};
  demand.correlation = 0.6;
  auto requests = draw(demand, 50'000, 1, 1).all;
  double both = 0;
  for (const auto& request : requests) both += (request.input > 1000) == (request.output > 200) ? 1 : 0;
  // Of normal variables, 1/2 + asin(0.6)/π are on the same side.
  CHECK(both / 50'000 == Approx(0.5 + std::asin(0.6) / M_PI).margin(0.01));
  std::ranges::sort(requests, {}, &gpusel::job::LoggedRequest::input);
  CHECK(requests[25'000].input == Approx(1000).epsilon(0.03));
  CHECK(requests[45'000].input == Approx(4000).epsilon(0.03));
  CHECK(requests.back().input == 4000);
}

TEST_CASE("a session's prompts hold what came before") {
  Demand demand;
  demand.users = {4, 2.0, 3};
  demand.input = Length::fixed(100);
  demand.output = Length::fixed(50);
  const auto requests = draw(demand, 9, 0, 1);
  REQUIRE(requests.all.size() == 9);
  CHECK(requests.all[0].follows == 0);
  CHECK(requests.all[1].follows == 1);
  CHECK(requests.all[2].input == 100 + 2 * 150);
  CHECK(requests.all[0].prefix == requests.all[2].prefix);
  CHECK(requests.all[3].prefix != requests.all[2].prefix);
}

TEST_CASE("a log is stretched to the rate that is asked, and of a long one the fastest piece is kept") {
  gpusel::job::Requests log;
  // A quiet half at one a second, a busy one at ten.
  for (int i = 0; i < 200; ++i) log.all.push_back({i < 100 ? i : 100 + (i - 100) / 10.0, 100, 10, 0, 0});
  Demand demand;
  demand.log_rate = demand.rate = 199 / log.all.back().arrival;
  demand.log = std::make_shared<const gpusel::job::Requests>(log);
  const auto as_it_is = draw(demand, 1000, demand.rate, 1);
  REQUIRE(as_it_is.all.size() == 200);
  CHECK(as_it_is.all[150].arrival == log.all[150].arrival);
  const auto twice = draw(demand, 1000, 2 * demand.rate, 1);
  CHECK(twice.all[150].arrival == Approx(log.all[150].arrival / 2));
  CHECK(draw(demand, 50, demand.rate, 1).all.size() == 50);
  const Demand piece = busiest(demand, 50);
  CHECK(piece.log->all.size() == 50);
  CHECK(piece.rate == Approx(10));
  CHECK(piece.log->all.front().arrival == 0);
  demand.rate *= 3;
  CHECK(busiest(demand, 50).rate == Approx(30));
  CHECK(busiest(demand, 500).log == demand.log);
}

}  // namespace serve_load_test
