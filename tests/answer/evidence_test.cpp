// How sure a ranking is, of invented prices that make it plain.
#include <catch2/catch.hpp>

#include <cmath>

#include "base/values/normal.hpp"
#include "base/words/message.hpp"
#include "support/market.hpp"

namespace evidence_test {

using namespace gpusel;
using test::Market;

namespace {

Market two_machines(std::string_view gpu, double price, std::string_view other, double other_price) {
  return test::market_of({{"one", std::string(gpu), {{"on-demand", format("{}", price)}}},
                          {"two", std::string(other), {{"on-demand", format("{}", other_price)}}}});
}

/// Fine-tuning on two machines of one cloud with these GPUs and prices.
answer::Advice rank_two(std::string_view gpu, double price, std::string_view other, double other_price) {
  return two_machines(gpu, price, other, other_price)
      .recommend(R"({"model": "llama-7b", "task": "finetune", "method": "lora", "tokens": "1e9"})");
}

/// The same as a service without an end, whose speeds err on their own.
answer::Advice serve_on_two(double price, double other_price) {
  return two_machines("l40s", price, "l4", other_price)
      .recommend(R"({"model": "llama-3.1-8b", "task": "inference", "mode": "online", "concurrency": 16})");
}

}  // namespace

TEST_CASE("the first of two equal machines is the best up to the price of the second") {
  const answer::Advice advice = rank_two("l40s", 1, "l40s", 1.25);
  REQUIRE(advice.recommendations.size() == 2);
  const auto& first = advice.recommendations[0];
  const auto& second = advice.recommendations[1];
  REQUIRE(first.switch_hourly);
  REQUIRE(second.switch_hourly);
  CHECK(*first.switch_hourly == Approx(1.25));
  CHECK(*second.switch_hourly == Approx(1));
  CHECK(*first.switch_speed == Approx(0.8));
  CHECK(*second.switch_speed == Approx(1.25));
  // One GPU's speed and one seller's prices err alike for both.
  REQUIRE(advice.evidence);
  CHECK(advice.evidence->best_probability == Approx(1).epsilon(1e-9));
  CHECK(advice.evidence->regret == Approx(0).margin(1e-9));
  CHECK(advice.evidence->tests.empty());
}

TEST_CASE("no test of a speed is worth more than the choice may be regretted, and the most worth comes first") {
  const answer::Advice advice = rank_two("l40s", 1, "l4", 0.4);
  REQUIRE(advice.evidence);
  const answer::Evidence& evidence = *advice.evidence;
  CHECK(evidence.best_probability > 0);
  CHECK(evidence.best_probability < 1);
  CHECK(evidence.regret > 0);
  CHECK(evidence.regret < advice.recommendations.front().cost.total);
  REQUIRE_FALSE(evidence.tests.empty());
  for (const auto& test : evidence.tests) {
    CHECK(test.worth <= evidence.regret * (1 + 1e-9));
    CHECK(test.worth - test.cost <= evidence.tests.front().worth - evidence.tests.front().cost);
  }
}

TEST_CASE("nine of ten is sure enough to need no word") {
  CHECK(answer::Evidence{.best_probability = 0.9, .tests = {}}.settled());
  CHECK_FALSE(answer::Evidence{.best_probability = 0.899, .tests = {}}.settled());
}

TEST_CASE("of two speeds that err on their own the chance and the regret are those of log-normal costs") {
  for (const double other_price : {0.3, 0.36, 0.4}) {
    const answer::Advice advice = serve_on_two(1, other_price);
    REQUIRE(advice.recommendations.size() == 2);
    REQUIRE(advice.evidence);
    const auto& all = advice.recommendations;
    const auto spread = [&](std::size_t i) {
      const auto& range = all[i].intervals.rate;
      return std::log(range.high / range.low) / (2 * 1.2815515655);  // 80 of 100 lie within
    };
    const double own = spread(0), others = spread(1), both = std::hypot(own, others);
    REQUIRE(both > 0);
    const double ratio = answer::order_cost(all[1], advice.work) / answer::order_cost(all[0], advice.work);
    CAPTURE(other_price, ratio, own, others);
    CHECK(advice.evidence->best_probability == Approx(normal_share(std::log(ratio) / both)).margin(0.03));
    // E[max(a − b, 0)] of two log-normal costs a and b, against what the first costs in a month.
    const double a = std::exp(own * own / 2), b = ratio * std::exp(others * others / 2);
    const double d = std::log(a / b) / both + both / 2;
    const double regret = a * normal_share(d) - b * normal_share(d - both);
    CHECK(advice.evidence->regret == Approx(regret * *all[0].cost.sums().month).epsilon(0.1));
  }
}

}  // namespace evidence_test
