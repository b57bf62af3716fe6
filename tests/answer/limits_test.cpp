// Each limit keeps exactly what meets it. The market is tests/data/market: ten instances.
#include <catch2/catch.hpp>

#include <algorithm>

#include "support/market.hpp"

namespace limits_test {

using namespace gpusel;
using test::Limit;
using test::Market;

namespace {

using Names = std::vector<std::string>;

/// Which instances can run a model so small that only limits decide.
Names left_by_alone(const std::vector<Limit>& limits) {
  auto names = test::ranking(Market::small().recommend(
      R"({"model": "qwen2.5-0.5b", "task": "inference", "input_tokens": 128, "output_tokens": 128})", limits));
  std::sort(names.begin(), names.end());
  return names;
}

/// The same of all sellers.
Names left_by(std::vector<Limit> limits) {
  limits.push_back({"market", "true"});
  return left_by_alone(limits);
}

}  // namespace

TEST_CASE("without limits everything with a GPU that is still sold is a candidate") {
  CHECK(left_by({}) == Names{"bazaar/2x-l40s", "bazaar/8x-4090", "north/n.a100.8", "north/n.h100.8", "north/n.t4.1",
                             "north/n.t4.4", "south/s.a10.1", "south/s.a10.6"});
}

TEST_CASE("marketplaces are left out unless they are asked for, by a word or by name") {
  CHECK(left_by_alone({}) ==
        Names{"north/n.a100.8", "north/n.h100.8", "north/n.t4.1", "north/n.t4.4", "south/s.a10.1", "south/s.a10.6"});
  CHECK(left_by_alone({{"market", "false"}}) == left_by_alone({}));
  CHECK(left_by_alone({{"cloud", "bazaar"}}) == Names{"bazaar/2x-l40s", "bazaar/8x-4090"});
}

TEST_CASE("limits on the GPU keep what meets them") {
  CHECK(left_by({{"min_vram", "80GB"}}) == Names{"north/n.a100.8", "north/n.h100.8"});
  CHECK(left_by({{"max_vram", "16GB"}}) == Names{"north/n.t4.1", "north/n.t4.4", "south/s.a10.6"});
  CHECK(left_by({{"min_total_vram", "192"}}) == Names{"bazaar/8x-4090", "north/n.a100.8", "north/n.h100.8"});
  CHECK(left_by({{"max_total_vram", "24"}}) == Names{"north/n.t4.1", "south/s.a10.1", "south/s.a10.6"});
  CHECK(left_by({{"min_bandwidth", "1500"}}) == Names{"north/n.a100.8", "north/n.h100.8"});
  CHECK(left_by({{"min_capability", "8.9"}}) == Names{"bazaar/2x-l40s", "bazaar/8x-4090", "north/n.h100.8"});
  CHECK(left_by({{"formats", "fp8"}}) == Names{"bazaar/2x-l40s", "bazaar/8x-4090", "north/n.h100.8"});
  CHECK(left_by({{"gpu", "H100:8"}}) == Names{"north/n.h100.8"});
  CHECK(left_by({{"gpu", "2x L40S"}}) == Names{"bazaar/2x-l40s"});
  CHECK(left_by({{"gpu", "gpu_name=RTX_4090 num_gpus>=4"}}) == Names{"bazaar/8x-4090"});
  CHECK(left_by({{"gpu", "nvidia:A100,H100:40GB..80GB:1..8"}}) == Names{"north/n.a100.8", "north/n.h100.8"});
  CHECK(left_by({{"gpus_min", "2"}, {"gpus_max", "4"}}) == Names{"bazaar/2x-l40s", "north/n.t4.4"});
}

TEST_CASE("limits on wiring and host keep what meets them") {
  CHECK(left_by({{"nvlink", "true"}}) == Names{"north/n.a100.8", "north/n.h100.8"});
  CHECK(left_by({{"interconnect", "nvswitch"}}) == Names{"north/n.a100.8", "north/n.h100.8"});
  CHECK(left_by({{"interconnect", "sxm"}}) == Names{"north/n.a100.8", "north/n.h100.8"});
  CHECK(left_by({{"rdma", "true"}}) == Names{"north/n.a100.8", "north/n.h100.8"});
  CHECK(left_by({{"vcpus_min", "64+"}}) == Names{"bazaar/8x-4090", "north/n.a100.8", "north/n.h100.8"});
  CHECK(left_by({{"memory_min", "60..200"}}) == Names{"north/n.t4.4", "south/s.a10.1"});
}

TEST_CASE("an unknown figure does not meet a limit") {
  // The bazaar does not say what network its hosts have.
  CHECK(left_by({{"min_network", "1"}}) ==
        Names{"north/n.a100.8", "north/n.h100.8", "north/n.t4.1", "north/n.t4.4", "south/s.a10.1", "south/s.a10.6"});
}

TEST_CASE("limits on place and provider keep what meets them") {
  CHECK(left_by({{"cloud", "south-cloud"}}) == Names{"south/s.a10.1", "south/s.a10.6"});
  CHECK(left_by({{"region", "eu-1"}}) == Names{"north/n.h100.8", "north/n.t4.1"});
  CHECK(left_by({{"infra", "north/eu-1"}}) == Names{"north/n.h100.8", "north/n.t4.1"});
  CHECK(left_by({{"residency", "eu"}}) == Names{"north/n.h100.8", "north/n.t4.1"});
  CHECK(left_by({{"residency", "cn"}}) == Names{"south/s.a10.1", "south/s.a10.6"});
  CHECK(left_by({{"residency", "cn,eu"}}) == Names{"north/n.h100.8", "north/n.t4.1", "south/s.a10.1", "south/s.a10.6"});
  CHECK(left_by({{"family", "n.t4"}}) == Names{"north/n.t4.1", "north/n.t4.4"});
  CHECK(left_by({{"allow_list", "^n\\."}, {"deny_list", "t4"}}) == Names{"north/n.a100.8", "north/n.h100.8"});
}

TEST_CASE("limits on money keep what meets them, in the answer's currency") {
  // 6 CNY / 6.70459 = 0.895 USD.
  CHECK(left_by({{"max_price", "0.9"}}) == Names{"north/n.t4.1", "south/s.a10.1", "south/s.a10.6"});
  CHECK(left_by({{"max_price", "0.89"}}) == Names{"north/n.t4.1", "south/s.a10.6"});
  CHECK(left_by({{"term", "spot"}}) == Names{"north/n.h100.8", "north/n.t4.1"});
  CHECK(left_by({{"max_price_age", "60d"}}).size() == 6);
  CHECK(left_by({{"include_unavailable", "true"}}).size() == 9);
}

TEST_CASE("the cheapest offer that meets the limits is the one that counts") {
  const std::string job = R"({"model": "qwen2.5-0.5b", "task": "inference"})";
  const auto hourly = [&](const std::vector<Limit>& limits) {
    const auto advice = Market::small().recommend(job, limits);
    for (const auto& r : advice.recommendations)
      if (r.instance->sku == "n.t4.1") return r.cost.hourly;
    return -1.0;
  };
  CHECK(hourly({}) == Approx(0.5));
  CHECK(hourly({{"term", "any"}}) == Approx(0.2));
  CHECK(hourly({{"residency", "eu"}}) == Approx(0.6 / 0.88739));
}

TEST_CASE("limits that exclude each other are named") {
  const auto limits = GENERATE(std::vector<Limit>{{"min_vram", "80GB"}, {"max_vram", "24GB"}},
                               std::vector<Limit>{{"gpus_min", "8"}, {"gpus_max", "2"}},
                               std::vector<Limit>{{"nodes", "4"}, {"max_nodes", "2"}});
  CAPTURE(limits[0].key);
  const auto advice = Market::small().try_recommend(R"({"model": "llama-7b", "task": "inference"})", limits);
  REQUIRE_FALSE(advice.has_value());
  CHECK(advice.error().kind == ErrorKind::unsatisfied);
  for (const Limit& limit : limits) {
    std::string flag = "--" + limit.key;
    std::replace(flag.begin(), flag.end(), '_', '-');
    CAPTURE(advice.error().message, flag);
    CHECK(advice.error().message.find(flag) != std::string::npos);
  }
}

TEST_CASE("when nothing is left the answer says which limit to give up") {
  const auto advice = Market::small().recommend(R"({"model": "llama-7b", "task": "finetune"})", {{"max_price", "0.1"}});
  CHECK(advice.recommendations.empty());
  CHECK_FALSE(advice.rejected.empty());
  REQUIRE(std::any_of(advice.alternatives.begin(), advice.alternatives.end(),
                      [](const auto& a) { return a.message.starts_with("--max-price "); }));
}

TEST_CASE("a smaller method that costs much less is named") {
  // The same machine is named once: with what saves most, which spot and another framework would be.
  const auto advice =
      Market::small().recommend(R"({"model": "llama-7b", "task": "finetune", "framework": "hf-trainer"})",
                                {{"cloud", "north,south"}, {"term", "any"}});
  const auto smaller = std::ranges::find(advice.alternatives, "method", &answer::Alternative::key);
  REQUIRE(smaller != advice.alternatives.end());
  CHECK(smaller->value == "lora");
  CHECK(smaller->best.cost.total < 0.97 * advice.recommendations[0].cost.total);
}

}  // namespace limits_test
