// How sure a ranking is, of invented prices that make it plain.
#include <catch2/catch.hpp>

#include "base/words/message.hpp"
#include "support/market.hpp"

namespace evidence_test {

using namespace gpusel;
using test::Market;

namespace {

/// Fine-tuning on two machines of one cloud with these GPUs and prices.
answer::Advice rank_two(std::string_view gpu, double price, std::string_view other, double other_price) {
  const Market market(format(R"(
sources: {{list: {{publisher: P, document: prices, date: 2026-11-20, confidence: documented}}}}
providers: [{{id: p, name: P, country: US, kind: cloud, regions: {{r: {{country: US}}}}}}]
families:
  - provider: p
    id: f
    interconnect: {{kind: none}}
    sources: [list]
    sizes:
      - {{sku: one, gpu: {}, gpus: 1, vcpu: 16, memory_gib: 128}}
      - {{sku: two, gpu: {}, gpus: 1, vcpu: 16, memory_gib: 128}}
prices:
  - {{provider: p, region: r, term: on-demand, currency: USD, as_of: 2026-11-20, source: list,
     per_hour: {{one: {}, two: {}}}}}
)",
                             gpu, other, price, other_price));
  return market.recommend(R"({"model": "llama-7b", "task": "finetune", "method": "lora", "tokens": "1e9"})");
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

}  // namespace evidence_test
