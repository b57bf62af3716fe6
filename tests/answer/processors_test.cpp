// CPU instances beside GPU ones: ranked by the same cost, never offered what they cannot do, and GPUs never for video
// that they cannot encode.
#include <algorithm>
#include <catch2/catch.hpp>

#include "support/market.hpp"

namespace processors_test {

using namespace gpusel;
using test::Market;

namespace {

/// A processor, a card with encoders, one without and a small one, each at its price.
const std::string kMarket = R"(
sources: {list: {publisher: P, document: prices, date: 2026-11-01, confidence: documented}}
providers: [{id: p, name: P, country: US, kind: cloud, regions: {r: {country: US}}}]
families:
  - provider: p
    id: f
    interconnect: {kind: none}
    cpu: Intel Xeon 8488C
    sources: [list]
    sizes:
      - {sku: cpu, gpus: 0, vcpu: 16, memory_gib: 64}
      - {sku: large-cpu, gpus: 0, vcpu: 32, memory_gib: 128}
      - {sku: l4, gpu: l4, gpus: 1, vcpu: 16, memory_gib: 64}
      - {sku: a100, gpu: a100-sxm-80gb, gpus: 1, vcpu: 16, memory_gib: 64}
prices:
  - {provider: p, region: r, term: on-demand, currency: USD, as_of: 2026-11-01, source: list,
     per_hour: {cpu: 0.7, large-cpu: 1.4, l4: 0.8, a100: 0.9}}
egress:
  - {id: p, provider: p, currency: USD, source: list, tiers: ["100=0", "=0.1"]}
)";

const Market& market() {
  static const Market made(kMarket);
  return made;
}

std::vector<std::string> skus(const std::string& job) { return test::ranking(market().recommend(job)); }

bool offers(const std::string& job, const std::string& sku) {
  const auto list = skus(job);
  return std::find(list.begin(), list.end(), sku) != list.end();
}

}  // namespace

TEST_CASE("data is prepared on processors, the smaller of equal cost first") {
  const auto list = skus(R"({"task": "preprocess"})");
  REQUIRE(list.size() == 4);
  CHECK(list[0] == "p/cpu");
  CHECK(list[1] == "p/large-cpu");
}

TEST_CASE("a card without encoders is offered for no transcoding, at any price") {
  for (const std::string codec : {"h264", "hevc", "av1"})
    CHECK_FALSE(offers(R"({"task": "transcode", "codec": ")" + codec + R"("})", "p/a100"));
  CHECK(skus(R"({"task": "transcode", "codec": "av1"})")[0] == "p/l4");
  CHECK(offers(R"({"task": "transcode"})", "p/cpu"));
}

TEST_CASE("so many streams take so many instances, and their traffic is priced beside") {
  const auto advice = market().recommend(R"({"task": "transcode", "ladder": "none", "streams": 100})");
  REQUIRE_FALSE(advice.recommendations.empty());
  for (const auto& r : advice.recommendations) {
    CAPTURE(r.instance->sku);
    CHECK(r.plan().rate >= 100);
    // 100 streams of 6 Mbit/s are 270 GB an hour.
    REQUIRE(r.cost.egress_hourly());
    CHECK(*r.cost.egress_hourly() == Approx(27 - 10 / 730.0));  // 10 a month are free
  }
}

TEST_CASE("a GPU for a few streams is said to wait") {
  const auto advice = market().recommend(R"({"task": "transcode", "ladder": "none", "streams": 1})");
  const auto l4 = std::find_if(advice.recommendations.begin(), advice.recommendations.end(),
                               [](const auto& r) { return r.instance->sku == "l4"; });
  REQUIRE(l4 != advice.recommendations.end());
  CHECK(std::any_of(l4->remarks.begin(), l4->remarks.end(), [](const auto& m) { return m.rule == "idle-gpu"; }));
}

TEST_CASE("language models are still not for instances without a GPU") {
  CHECK_FALSE(offers(R"({"model": "llama-7b", "task": "finetune", "method": "lora"})", "p/cpu"));
}

TEST_CASE("what nobody said is not known: neither the memory of data without an amount nor the price of traffic") {
  const auto advice = test::Market::shipped().recommend(R"({"task": "preprocess"})", {{"cloud", "aws"}});
  REQUIRE_FALSE(advice.recommendations.empty());
  CHECK_FALSE(physics::is_known(advice.recommendations.front().memory()));
  const auto sized = test::Market::shipped().recommend(R"({"task": "preprocess", "data_gb": "2"})", {{"cloud", "aws"}});
  CHECK(physics::is_known(sized.recommendations.front().memory()));
  const auto streams = test::Market::shipped().recommend(R"({"task": "transcode"})", {{"cloud", "vast,aws"}});
  for (const auto& r : streams.recommendations) {
    CAPTURE(r.instance->sku);
    CHECK(r.cost.egress_hourly().has_value() == (r.instance->provider == "aws"));
  }
}

TEST_CASE("training is not sized by a rate of requests, which a row of many keys may have") {
  const auto advice = test::Market::shipped().recommend(
      R"({"task": "pretrain", "model": "resnet-50", "request_rate": "5"})", {{"cloud", "aws"}});
  CHECK_FALSE(advice.work.counted->demand);
  CHECK(std::any_of(advice.notes.begin(), advice.notes.end(),
                    [](const std::string& note) { return note.starts_with("request_rate has no effect"); }));
}

}  // namespace processors_test
