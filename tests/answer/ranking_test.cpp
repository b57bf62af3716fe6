// What must hold of every ranking, whatever the catalogue says.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/words/message.hpp"
#include "support/market.hpp"

namespace ranking_test {

using namespace gpusel;
using test::Limit;
using test::Market;

namespace {

const std::string kJob = R"({"model": "llama-7b", "task": "finetune", "method": "lora"})";

/// One cloud with two equal machines at the given hourly prices.
Market two_offers(const std::string& first, const std::string& second) {
  return test::market_of({{"one", "l40s", {{"on-demand", first}}}, {"two", "l40s", {{"on-demand", second}}}});
}

std::set<std::string> names(const answer::Advice& advice) {
  const auto list = test::ranking(advice);
  return {list.begin(), list.end()};
}

}  // namespace

TEST_CASE("of two equal instances the cheaper ranks first") {
  const Market first(two_offers("0.9", "1.0")), second(two_offers("1.1", "1.0"));
  CHECK(test::ranking(first.recommend(kJob)) == std::vector<std::string>{"p/one", "p/two"});
  CHECK(test::ranking(second.recommend(kJob)) == std::vector<std::string>{"p/two", "p/one"});
}

TEST_CASE("equal instances at equal prices keep the same order every time") {
  const Market market(two_offers("1", "1"));
  const auto advice = market.recommend(kJob);
  CHECK(test::ranking(advice) == std::vector<std::string>{"p/one", "p/two"});
  CHECK(advice.recommendations[0].score == advice.recommendations[1].score);
}

TEST_CASE("costs that differ in the tenth digit are the same, and only what is weighed is a part of a score") {
  for (const double price : {0.11, 1.1, 2.3, 4.7, 8.9}) {
    const Market market(format(R"(
sources: {{list: {{publisher: P, document: prices, date: 2026-11-20, confidence: documented}}}}
providers: [{{id: p, name: P, country: US, kind: cloud, regions: {{r: {{country: US}}}}}}]
families:
  - provider: p
    id: f
    gpu: l40s
    interconnect: {{kind: none}}
    sources: [list]
    sizes: [{{sku: a, gpus: 1, vcpu: 16, memory_gib: 128}}, {{sku: b, gpus: 1, vcpu: 16, memory_gib: 128}},
            {{sku: c, gpus: 1, vcpu: 16, memory_gib: 128}}, {{sku: d, gpus: 1, vcpu: 16, memory_gib: 128}}]
prices:
  - {{provider: p, region: r, term: on-demand, currency: USD, as_of: 2026-11-20, source: list,
     per_hour: {{a: {:.12}, b: {:.12}, c: {:.12}, d: {:.12}}}}}
)",
                               price * (1 + 2e-10), price, price * (1 - 1e-6), price * 2));
    const auto advice = market.recommend(R"({"model": "llama-3.1-8b", "task": "inference"})");
    CHECK(test::ranking(advice) == std::vector<std::string>{"p/c", "p/a", "p/b", "p/d"});
    CHECK(advice.recommendations.back().score == Approx(50).epsilon(1e-5));  // at twice the cost
    for (const auto& r : advice.recommendations)
      for (const auto& part : r.parts) CHECK(part.weight != 0);
  }
}

TEST_CASE("parts of a score add up to it and ranks are dense") {
  const auto objective = GENERATE(job::ObjectiveKind::cost, job::ObjectiveKind::speed, job::ObjectiveKind::balanced);
  const auto advice = Market::shipped().recommend(kJob, {}, {objective, {}});
  REQUIRE(advice.recommendations.size() > 50);
  int rank = 0;
  double last = 100;
  for (const auto& r : advice.recommendations) {
    double sum = 0;
    for (const auto& part : r.parts) {
      sum += part.points;
      CHECK(part.points == Approx(100 * part.weight * part.value).margin(1e-9));
    }
    CHECK(r.score == Approx(sum).margin(1e-9));
    CHECK(r.score >= 0);
    CHECK(r.score <= last + 1e-9);
    CHECK(r.rank == ++rank);
    last = r.score;
  }
}

TEST_CASE("own weights replace those of the objective") {
  const auto speed_only = Market::small().recommend(kJob, {}, {job::ObjectiveKind::cost, {{"speed", 1.0}}});
  const auto& rows = speed_only.recommendations;
  REQUIRE(rows.size() > 2);
  // The fastest wins outright when speed is all that counts.
  const auto fastest = std::max_element(
      rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.tokens_per_s() < b.tokens_per_s(); });
  CHECK(fastest == rows.begin());
}

TEST_CASE("rules leave a hundredth of a score at least") {
  constexpr std::string_view kRule = "replica-over-nodes-trust";
  Market market = Market::own_small();
  for (rules::Rule& rule : market.rules)
    if (rule.id == kRule) rule.points = -200;
  const auto advice = market.recommend(R"({"model": "llama-3.1-8b", "task": "inference"})");
  const auto found = std::ranges::find_if(advice.recommendations, [&](const answer::Recommendation& one) {
    return std::ranges::find(one.parts, kRule, &answer::ScorePart::name) != one.parts.end();
  });
  REQUIRE(found != advice.recommendations.end());
  REQUIRE(found->parts.front().name == "cost");
  CHECK(found->score == Approx(found->parts.front().points / 100));
}

TEST_CASE("no marked candidate is dominated and every other one is") {
  const auto advice = Market::shipped().recommend(kJob);
  const auto& rows = advice.recommendations;
  for (const auto& r : rows) {
    const bool dominated = std::any_of(rows.begin(), rows.end(), [&](const auto& other) {
      const bool no_worse = other.cost.total <= r.cost.total && other.tokens_per_s() >= r.tokens_per_s();
      const bool better = other.cost.total < r.cost.total || other.tokens_per_s() > r.tokens_per_s();
      return no_worse && better;
    });
    CAPTURE(r.rank, r.instance->sku);
    CHECK(r.pareto == !dominated);
  }
}

TEST_CASE("a limit never adds a candidate") {
  const auto limit =
      GENERATE(Limit{"min_vram", "40GB"}, Limit{"max_vram", "24GB"}, Limit{"nvlink", "true"}, Limit{"max_price", "2"},
               Limit{"cloud", "aws,aliyun"}, Limit{"residency", "eu"}, Limit{"min_capability", "8.0"},
               Limit{"vcpus_min", "16"}, Limit{"memory_min", "128"}, Limit{"deadline", "6h"}, Limit{"budget", "30"},
               Limit{"rdma", "true"}, Limit{"formats", "fp8"}, Limit{"max_price_age", "60d"}, Limit{"gpu", "A100,H100"},
               Limit{"deny_list", "^p"}, Limit{"gpus_max", "2"});
  CAPTURE(limit.key, limit.value);
  for (const std::vector<Limit>& counted : {std::vector<Limit>{}, {{"nodes", "2"}}}) {
    const auto free = Market::shipped().recommend(kJob, counted);
    auto limits = counted;
    limits.push_back(limit);
    const auto limited = Market::shipped().recommend(kJob, limits);
    const auto all = names(free), left = names(limited);
    CHECK(std::includes(all.begin(), all.end(), left.begin(), left.end()));
    CHECK(left.size() < all.size());
  }
}

TEST_CASE("what a limit leaves is as it is without the limit, on as many nodes and for as much") {
  // Small GPUs hold little more than their share, with a chance of less than 0.9.
  const std::string job = R"({"model": "llama-3.1-70b", "task": "finetune", "min_fit": 0.5})";
  const Limit small{"max_vram", "24GB"};
  const auto free = Market::shipped().recommend(job), limited = Market::shipped().recommend(job, {small});
  REQUIRE_FALSE(free.recommendations.empty());
  REQUIRE_FALSE(limited.recommendations.empty());
  // 70e9 parameters of 16 bytes are 1,043 GiB; the most that eight GPUs of 24 GB have is 192 GB.
  for (const auto& r : limited.recommendations) CHECK(r.machine().nodes > 1);
  std::map<const catalog::Instance*, const answer::Recommendation*> all;
  for (const auto& r : free.recommendations) all.emplace(r.instance, &r);
  for (const auto& r : limited.recommendations) {
    CAPTURE(r.instance->sku);
    REQUIRE(all.contains(r.instance));
    CHECK(all.at(r.instance)->machine().nodes == r.machine().nodes);
    CHECK(all.at(r.instance)->cost.total == r.cost.total);
  }
}

TEST_CASE("a looser deadline loses nothing and makes no training dearer") {
  const std::string job = R"({"model": "llama-3.2-1b", "task": "pretrain", "tokens": 2e10})";
  std::map<const catalog::Instance*, double> before;
  for (const char* deadline : {"24h", "96h", "700h"}) {
    const auto advice = Market::shipped().recommend(job, {{"deadline", deadline}});
    std::map<const catalog::Instance*, double> now;
    for (const auto& r : advice.recommendations) now.emplace(r.instance, r.cost.total);
    for (const auto& [instance, total] : before) {
      CAPTURE(deadline, instance->sku);
      REQUIRE(now.contains(instance));
      CHECK(now.at(instance) <= total * 1.001);  // node times that differ by less are equal
    }
    before = std::move(now);
  }
  CHECK(before.size() > 100);
}

TEST_CASE("every instance is either recommended or rejected with a reason") {
  const auto advice = Market::shipped().recommend(kJob);
  std::set<const catalog::Instance*> seen;
  for (const auto& r : advice.recommendations) CHECK(seen.insert(r.instance).second);
  for (const auto& r : advice.rejected) {
    CHECK(seen.insert(r.instance).second);
    CHECK_FALSE(r.rule.empty());
    CHECK_FALSE(r.message.empty());
  }
  CHECK(seen.size() == Market::shipped().catalog().instances().size());
}

TEST_CASE("an old price is warned of once") {
  const auto advice = test::Market::shipped().recommend(R"({"task": "inference", "model": "llama-3.1-8b"})");
  for (const auto& r : advice.recommendations) {
    CAPTURE(r.instance->sku);
    CHECK(std::ranges::count_if(r.remarks, [](const auto& remark) {
            return remark.rule == "old-price" || remark.rule == "price-too-old" || remark.rule == "undated-price";
          }) <= 1);
  }
}

TEST_CASE("the nearest latency is one that admits its machine") {
  const auto& market = test::Market::small();
  const std::string job = R"({"task": "inference", "model": "llama-3.1-8b", "request_rate": 1, "ttft": )";
  const auto none = market.recommend(job + "1}");
  REQUIRE(none.recommendations.empty());
  const auto nearest = std::ranges::find(none.alternatives, "ttft", &answer::Alternative::key);
  REQUIRE(nearest != none.alternatives.end());
  const auto asked = market.recommend(job + nearest->value + "}");
  CHECK(
      std::ranges::any_of(asked.recommendations, [&](const auto& r) { return r.instance == nearest->best.instance; }));
}

TEST_CASE("the nearest latency relaxes the target that is missed by most") {
  const auto none = test::Market::small().recommend(
      R"({"task": "inference", "model": "llama-3.1-8b", "request_rate": 1, "ttft": 100000, "tpot": 0.5})");
  REQUIRE(none.recommendations.empty());
  const auto has = [&](std::string_view key) {
    return std::ranges::find(none.alternatives, key, &answer::Alternative::key) != none.alternatives.end();
  };
  CHECK(has("tpot"));
  CHECK_FALSE(has("ttft"));
}

}  // namespace ranking_test
