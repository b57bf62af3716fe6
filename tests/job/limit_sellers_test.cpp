// Who may sell: --not-cloud, --market and --country over an invented market of three sellers.
#include <catch2/catch.hpp>

#include <algorithm>

#include "support/market.hpp"

namespace limit_sellers_test {

using namespace gpusel;
using test::Limit;
using test::Market;

namespace {

constexpr const char* kSellers = R"(
sources: {list: {publisher: P, document: prices, date: 2026-11-01, confidence: documented}}
providers:
  - {id: firm, name: Firm, country: US, kind: cloud, regions: {us: {country: US}}}
  - {id: fair, name: Fair, country: US, kind: marketplace, regions: {us: {country: US}}}
  - {id: home, name: Home, country: CN, kind: cloud, regions: {cn: {country: CN}},
     serves: {countries: [CN], source: list}}
families:
  - {provider: firm, id: f, interconnect: {kind: none}, sources: [list], sizes: [
      {sku: one, gpu: l40s, gpus: 1, vcpu: 16, memory_gib: 128}]}
  - {provider: fair, id: f, interconnect: {kind: none}, sources: [list], sizes: [
      {sku: two, gpu: l40s, gpus: 1, vcpu: 16, memory_gib: 128}]}
  - {provider: home, id: f, interconnect: {kind: none}, sources: [list], sizes: [
      {sku: three, gpu: l40s, gpus: 1, vcpu: 16, memory_gib: 128}]}
prices:
  - {provider: firm, region: us, term: on-demand, currency: USD, as_of: 2026-11-01, source: list, per_hour: {one: 1}}
  - {provider: fair, region: us, term: on-demand, currency: USD, as_of: 2026-11-01, source: list, per_hour: {two: 1}}
  - {provider: home, region: cn, term: on-demand, currency: USD, as_of: 2026-11-01, source: list, per_hour: {three: 1}}
)";

using Names = std::vector<std::string>;

/// Who is left, by name.
Names left(const std::vector<Limit>& limits) {
  static const Market market(kSellers);
  Names found =
      test::ranking(market.recommend(R"({"model": "llama-7b", "task": "finetune", "method": "lora"})", limits));
  std::ranges::sort(found);
  return found;
}

}  // namespace

TEST_CASE("whom nobody wants is left out", "[limit_sellers]") {
  CHECK(left({{"market", "true"}}) == Names{"fair/two", "firm/one", "home/three"});
  CHECK(left({{"market", "true"}, {"not_cloud", "firm"}}) == Names{"fair/two", "home/three"});
  CHECK(left({{"market", "true"}, {"not_cloud", "firm,fair"}}) == Names{"home/three"});
}

TEST_CASE("marketplaces and clouds that serve their own country only are left out by a word, unless they are named",
          "[limit_sellers]") {
  CHECK(left({{"market", "false"}}) == Names{"firm/one"});
  CHECK(left({{"market", "false"}, {"cloud", "firm,fair"}}) == Names{"fair/two", "firm/one"});
  CHECK(left({{"market", "false"}, {"residency", "cn"}}) == Names{"home/three"});
}

TEST_CASE("unasked, an answer is of those with whom a company signs a contract", "[limit_sellers]") {
  CHECK(left({}) == left({{"market", "false"}}));
  CHECK(left({{"country", "de"}}) == Names{"firm/one"});
  CHECK(left({{"country", "cn"}}) == Names{"firm/one", "home/three"});  // who takes customers of that country only
  CHECK(left({{"cloud", "fair,home"}}) == Names{"fair/two", "home/three"});
}

TEST_CASE("who does not serve the reader's country is left out, unless he is named", "[limit_sellers]") {
  CHECK(left({{"country", "de"}, {"market", "true"}}) == Names{"fair/two", "firm/one"});
  CHECK(left({{"country", "cn"}, {"market", "true"}}) == Names{"fair/two", "firm/one", "home/three"});
  CHECK(left({{"country", "de"}, {"cloud", "home"}}) == Names{"home/three"});
}

}  // namespace limit_sellers_test
