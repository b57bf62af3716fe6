// The nearest equivalents of an instance.
#include "answer/lists/like.hpp"

#include <catch2/catch.hpp>

#include "support/market.hpp"

namespace like_test {

using namespace gpusel;
using answer::Alike;
using test::Market;

namespace {

std::vector<Alike> like(const Market& market, const std::string& sku, const answer::ListQuestion& asked = {}) {
  const auto scale = answer::read_similarity(market.catalog().documents("similarity"));
  REQUIRE(scale.has_value());
  REQUIRE_FALSE(scale->figures.empty());
  const auto base = market.catalog().instance(sku);
  REQUIRE(base.has_value());
  answer::ListQuestion question = asked;
  question.today = Date(2026, 11, 20);
  auto alike = answer::instances_like(**base, question, *scale, market.catalog(), market.coefficients());
  REQUIRE(alike.has_value());
  return std::move(alike->alike);
}

const Alike& find(const std::vector<Alike>& alike, const std::string& sku) {
  for (const Alike& one : alike)
    if (one.listed.instance->sku == sku) return one;
  throw std::runtime_error("no " + sku);
}

}  // namespace

TEST_CASE("the base comes first, other clouds before its own, the most alike first") {
  const auto alike = like(Market::small(), "n.t4.1");
  CHECK(alike.front().listed.instance->sku == "n.t4.1");
  CHECK(alike.front().similarity == Approx(100));
  CHECK(alike.front().differences.empty());
  CHECK(alike.front().ratios.price == Approx(1));
  bool own_cloud = false;
  double before = 100;
  for (std::size_t i = 1; i < alike.size(); ++i) {
    const bool own = alike[i].listed.instance->provider == "north";
    if (own && !own_cloud) before = 100;
    CHECK((own || !own_cloud));
    own_cloud = own;
    CHECK(alike[i].similarity <= before);
    CHECK(alike[i].similarity > 0);
    before = alike[i].similarity;
  }
}

TEST_CASE("a family stands for its smallest instance") {
  const auto& catalog = Market::shipped().catalog();
  CHECK((*answer::base_called("gn7i", catalog))->sku == "ecs.gn7i-c8g1.2xlarge");
  CHECK((*answer::base_called("aws/g5.2xlarge", catalog))->sku == "g5.2xlarge");
  const auto g5 = answer::base_called("g5", catalog);
  REQUIRE(g5.has_value());
  CHECK((*g5)->sku == "g5.xlarge");
  const auto wrong = answer::base_called("p99zz", catalog);
  REQUIRE_FALSE(wrong.has_value());
  CHECK(wrong.error().where == "--like");
}

TEST_CASE("accelerators of the base's vendor come first, and of like machines the priced ones") {
  const Market& market = Market::shipped();
  for (const char* sku : {"tpu-v4-8", "p4d.24xlarge"}) {
    const auto alike = like(market, sku);
    const std::string_view vendor = market.catalog().gpu_of(*alike.front().listed.instance)->vendor;
    bool others = false;
    for (const Alike& one : alike) {
      const auto* gpu = market.catalog().gpu_of(*one.listed.instance);
      const bool own = gpu != nullptr && gpu->vendor == vendor;
      CHECK((!own || !others));
      others = !own;
    }
  }
  const Market twins(R"(
providers:
  - {id: west, name: West, kind: marketplace, regions: {any: {name: anywhere}}}
  - {id: east, name: East, kind: marketplace, regions: {any: {name: anywhere}}}
families:
  - {provider: west, id: w, gpu: l40s, sources: [west-list], sizes: [{sku: w.base, gpus: 1}]}
  - provider: east
    id: e
    gpu: l40s
    sources: [west-list]
    sizes: [{sku: e.unpriced, gpus: 1}, {sku: e.priced, gpus: 1}]
prices:
  - {provider: west, region: any, term: on-demand, currency: USD, source: west-list, per_hour: {w.base: 1}}
  - {provider: east, region: any, term: on-demand, currency: USD, source: west-list, per_hour: {e.priced: 2}}
sources:
  west-list: {publisher: West, document: list, date: 2026-06-01, confidence: documented}
)");
  CHECK(like(twins, "w.base")[1].listed.instance->sku == "e.priced");
}

TEST_CASE("what is retired or has no GPU is no equivalent, and limits hold") {
  for (const Alike& one : like(Market::small(), "n.h100.8")) {
    CHECK(one.listed.instance->sku != "n.v100.8");
    CHECK(one.listed.instance->sku != "n.cpu.16");
  }
  answer::ListQuestion south;
  south.constraints.clouds = {"south"};
  const auto alike = like(Market::small(), "n.t4.1", south);
  CHECK(alike.size() == 3);  // the base, which no limit drops, and South's two
  answer::ListQuestion by_price;
  by_price.sort_by = {"price"};
  CHECK(like(Market::small(), "n.t4.1", by_price)[1].listed.instance->sku == "s.a10.6");
}

TEST_CASE("ratios are of whole instances over the base") {
  const auto alike = like(Market::small(), "n.t4.1");
  const Alike& four = find(alike, "n.t4.4");
  CHECK(four.ratios.price == Approx(4));
  CHECK(four.ratios.gpu_memory == Approx(4));
  CHECK(four.ratios.bandwidth == Approx(4));
  CHECK(four.ratios.dense16 == Approx(4));
  const auto others = like(Market::small(), "s.a10.1");
  const Alike& slice = find(others, "s.a10.6");
  CHECK(*slice.ratios.dense16 == Approx(1.0 / 6));
  CHECK(*slice.ratios.gpu_memory == Approx(4.0 / 24));
}

TEST_CASE("alikeness is the same both ways, and another GPU is named first") {
  const Market& market = Market::shipped();
  const auto from_g5 = like(market, "aws/g5.2xlarge");
  const auto from_gn7i = like(market, "aliyun/ecs.gn7i-c8g1.2xlarge");
  const Alike& there = find(from_g5, "ecs.gn7i-c8g1.2xlarge");
  const Alike& back = find(from_gn7i, "g5.2xlarge");
  CHECK(there.similarity == Approx(back.similarity));
  REQUIRE_FALSE(there.differences.empty());
  CHECK(there.differences.front().fact == rules::Fact::gpu);
  CHECK(there.differences.front().base == "a10g");
  CHECK(there.differences.front().other == "a10");
}

TEST_CASE("an eightfold H100 is most like the eightfold H100s of the others") {
  const auto alike = like(Market::shipped(), "p5.48xlarge");
  for (std::size_t i = 1; i <= 5; ++i) {
    CHECK(alike[i].listed.instance->gpu == "h100-sxm-80gb");
    CHECK(alike[i].listed.instance->gpu_count == 8.0);
    CHECK(alike[i].listed.instance->provider != "aws");
  }
}

TEST_CASE("a scale that cannot work is refused") {
  for (const char* text :
       {"similarity: {figures: [{fact: gpuu, weight: 1}]}", "similarity: {figures: [{fact: region, weight: 1}]}",
        "similarity: {figures: [{fact: gpu, weight: -1}]}", "similarity: {figures: 3}", "similarity: {}",
        "similarity: {figures: [], unlike: 2}"}) {
    auto document = parse_yaml(text, "own.yaml");
    REQUIRE(document.has_value());
    const std::vector documents{std::move(*document)};
    CAPTURE(text);
    CHECK_FALSE(answer::read_similarity(documents).has_value());
  }
}

}  // namespace like_test
