// One question in two forms, and the same physics wherever a figure appears.
#include <catch2/catch.hpp>

#include "gpusel/advise/estimate.hpp"
#include "support/market.hpp"

using namespace gpusel;
using test::Market;

namespace {

advise::EstimateAnswer answer(const std::string& job) {
  const auto document = parse_json(job, "job");
  REQUIRE(document.has_value());
  const auto request = workload::read_request(document->root);
  REQUIRE(request.has_value());
  auto result = advise::answer_estimate(*request, Market::shipped().catalog(), Market::shipped().coefficients(), true);
  REQUIRE(result.has_value());
  return std::move(*result);
}

}  // namespace

TEST_CASE("an estimate of the recommended machine gives the recommended figures") {
  const auto advice = Market::small().recommend(R"({"model": "llama-7b", "task": "finetune"})",
                                                {{"gpu", "H100"}, {"term", "on-demand"}});
  REQUIRE(advice.recommendations.size() == 1);
  const auto& r = advice.recommendations.front();
  const auto estimate = answer(
      R"({"model": "llama-7b", "task": "finetune", "gpu": "h100-sxm-80gb", "gpus": 8, "interconnect": "nvswitch"})");
  CHECK(plan::tokens_per_s(estimate.choice) == Approx(r.tokens_per_s()));
  CHECK(in_gib(plan::memory_of(estimate.choice).total()) == Approx(in_gib(r.memory().total())));
}

TEST_CASE("every figure of the memory breakdown is explained") {
  const auto estimate = answer(R"({"model": "llama-7b", "task": "finetune", "gpu": "a100-sxm-80gb", "gpus": 8})");
  const auto explained = [&](std::string_view quantity) {
    for (const auto& line : estimate.trace)
      if (line.quantity == quantity && !line.formula.empty() && !line.value.empty()) return true;
    return false;
  };
  for (const auto* quantity : {"memory.weights", "memory.gradients", "memory.optimizer", "memory.activations"}) {
    CAPTURE(quantity);
    CHECK(explained(quantity));
  }
}

TEST_CASE("an interval holds the estimate it is for") {
  const auto estimate = answer(R"({"model": "llama-3.1-8b", "task": "inference", "gpu": "l4"})");
  const auto& range = estimate.intervals.tokens_per_s;
  CHECK(range.low < plan::tokens_per_s(estimate.choice));
  CHECK(plan::tokens_per_s(estimate.choice) < range.high);
}
