// What a host decodes and a storage brings decides the ranking, and every answer has the same speed of one machine.
#include <catch2/catch.hpp>

#include "answer/lists/compare.hpp"
#include "physics/kinds/coefficients.hpp"
#include "support/job.hpp"
#include "support/market.hpp"

namespace feed_answer_test {

using namespace gpusel;
using namespace gpusel::answer;
using test::Market;

namespace {

/// Eight fast GPUs with twelve vCPUs each, and one slow one with eight.
const Market& fast_and_slow() {
  static const Market market(R"(
sources: {list: {publisher: P, document: prices, date: 2026-11-01, confidence: documented}}
providers:
  - {id: aa, name: A, country: US, kind: cloud, regions: {r: {country: US}}}
families:
  - {provider: aa, id: f, interconnect: {kind: none}, sources: [list], sizes: [{sku: slow, gpu: t4, gpus: 1, vcpu: 8, memory_gib: 64, network_gbps: 100}]}
  - {provider: aa, id: g, gpu: h100-sxm-80gb, interconnect: {kind: nvswitch, gbs_per_gpu: 900}, sources: [list], sizes: [{sku: fast, gpus: 8, vcpu: 96, memory_gib: 1000, network_gbps: 100}]}
prices:
  - {provider: aa, region: r, term: on-demand, currency: USD, as_of: 2026-11-01, source: list, per_hour: {slow: 0.5, fast: 10}}
storage:
  - {id: disk, provider: aa, name: Disk, kind: block, currency: USD, per_gb_month: 0.1, read_gbs: 0.02, source: list}
  - {id: bucket, provider: aa, name: Bucket, kind: object, currency: USD, per_gb_month: 0.02, read_gbs_per_node: 10, source: list}
)");
  return market;
}

Question question(const std::string& words) {
  Question asked;
  asked.request = test::request(words);
  asked.today = Date(2026, 11, 20);
  asked.alternatives = false;
  return asked;
}

Advice advise(const Question& asked) {
  const Market& market = fast_and_slow();
  auto found = recommend(asked, market.catalog(), market.rules, market.coefficients());
  if (!found) throw std::runtime_error(found.error().message);
  return std::move(*found);
}

const Recommendation& of(const Advice& advice, std::string_view sku) {
  for (const Recommendation& one : advice.recommendations)
    if (one.instance->sku == sku) return one;
  throw std::runtime_error("no " + std::string(sku));
}

const std::string kTraining = "task=pretrain model=resnet-18";

}  // namespace

TEST_CASE("GPUs that nobody feeds do not lead") {
  const Advice advice = advise(question(kTraining));
  CHECK(advice.recommendations.front().instance->sku == "slow");
  const Recommendation& fast = of(advice, "fast");
  const double decoded = 96 * test::coefficients().counted->samples.loader_rate.value;
  CHECK(fast.plan().rate == Approx(decoded));
  CHECK(fast.plan().bound_by == "loader");
  // 1,281,167 images, 90 times.
  CHECK(fast.cost.worked == Approx(1281167 * 90 / decoded / 3600));
  for (const Recommendation& one : advice.recommendations)
    CHECK(one.plan().rate <= one.machine().host.vcpus * one.machine().nodes *
                                 test::coefficients().counted->samples.loader_rate.value * (1 + 1e-9));
  CHECK(advise(question(kTraining + " loader=dali")).recommendations.front().instance->sku == "fast");
}

TEST_CASE("compare and estimate have the speed that recommend has") {
  const Market& market = fast_and_slow();
  const double ranked = of(advise(question(kTraining)), "fast").plan().rate;
  const auto compared = compare(std::vector<std::string>{"fast", "slow"}, question(kTraining), market.catalog(),
                                market.rules, market.coefficients());
  REQUIRE(compared);
  CHECK(compared->items[0].planned->plan.rate == Approx(ranked));
}

TEST_CASE("storage that is named is where the data are read") {
  Question asked = question(kTraining + " loader=preprocessed epochs=1");
  const double fast = of(advise(asked), "fast").plan().rate;
  asked.extras.storage_kind = catalog::StorageKind::block;
  const Recommendation slow = of(advise(asked), "fast");
  CHECK(slow.plan().rate == Approx(0.02e9 / (224.0 * 224 * 3)));
  CHECK(slow.plan().bound_by == "storage");
  CHECK(fast > slow.plan().rate);
}

}  // namespace feed_answer_test
