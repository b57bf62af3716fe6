// What names of places are taken for, over the shipped regions: properties that hold whatever has a price.
#include "catalog/places/places.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <set>

#include "support/market.hpp"

namespace places_test {

using namespace gpusel;
using catalog::Region;

namespace {

const catalog::Catalog& known() { return test::Market::shipped().catalog(); }

using Names = std::set<std::string>;

Names regions_of(std::string_view name) {
  const auto place = catalog::locate(name, known());
  REQUIRE(place);
  Names names;
  for (const Region* region : place->regions) names.insert(format("{}/{}", region->provider, region->id));
  return names;
}

bool covers(std::string_view name, const std::string& region) { return regions_of(name).contains(region); }

Names countries_of(std::string_view name) {
  const auto place = catalog::locate(name, known());
  REQUIRE(place);
  Names codes;
  for (const Region* region : place->regions)
    if (!region->country.empty()) codes.insert(std::string(region->country));
  return codes;
}

}  // namespace

TEST_CASE("a region id means the region of every provider that calls one so", "[places]") {
  CHECK(regions_of("us-west-1") == Names{"aliyun/us-west-1", "aws/us-west-1"});
  CHECK(regions_of("US-WEST-1") == regions_of("us-west-1"));
  CHECK(regions_of("westus3") == Names{"azure/westus3"});
  CHECK(regions_of("West US 3") == regions_of("westus3"));
}

TEST_CASE("a city is where its regions are, under whatever ids", "[places]") {
  const Names frankfurt = regions_of("frankfurt");
  for (const char* region : {"aws/eu-central-1", "gcp/europe-west3", "azure/germanywestcentral", "oci/eu-frankfurt-1",
                             "aliyun/eu-central-1", "tencent/eu-frankfurt"})
    CHECK(frankfurt.contains(region));
  CHECK(regions_of("法兰克福") == frankfurt);
  // One id of two providers may be two places.
  CHECK(covers("jakarta", "aws/ap-southeast-3"));
  CHECK(covers("jakarta", "aliyun/ap-southeast-5"));
  CHECK_FALSE(covers("jakarta", "aws/ap-southeast-5"));
}

TEST_CASE("countries, continents and the Union are told apart", "[places]") {
  CHECK(countries_of("germany") == Names{"DE"});
  CHECK(regions_of("germany") == regions_of("DE"));
  CHECK(regions_of("德国") == regions_of("deutschland"));
  CHECK(covers("europe", "aws/eu-west-2"));
  CHECK_FALSE(covers("eu", "aws/eu-west-2"));  // London
  CHECK_FALSE(countries_of("eu").contains("CH"));
  for (const std::string& region : regions_of("eu")) CHECK(covers("europe", region));
  for (const char* name : {"us", "usa", "United States", "美国"}) CHECK(countries_of(name) == Names{"US"});
  CHECK(covers("asia", "gcp/asia-northeast1"));
  CHECK(covers("apac", "aws/ap-southeast-2"));
  CHECK_FALSE(covers("asia", "aws/ap-southeast-2"));
  CHECK(regions_of("japan") == regions_of("日本"));
  CHECK(covers("tokyo", "azure/japaneast"));
}

TEST_CASE("Chinese names and those of consoles are known", "[places]") {
  CHECK(covers("杭州", "aliyun/cn-hangzhou"));
  CHECK(regions_of("华东1") == Names{"aliyun/cn-hangzhou"});
  CHECK(regions_of("华东1（杭州）") == regions_of("华东1"));
  CHECK(covers("华东", "aliyun/cn-shanghai"));
  CHECK(covers("中国", "tencent/ap-guangzhou"));
  CHECK_FALSE(covers("中国", "aliyun/cn-hongkong"));
  CHECK(countries_of("中国香港") == Names{"HK"});
  CHECK(regions_of("hong kong") == regions_of("hongkong"));
}

TEST_CASE("a name of nothing is answered with the nearest", "[places]") {
  const auto nothing = catalog::locate("frankfrut", known());
  REQUIRE_FALSE(nothing);
  CHECK(nothing.error().kind == ErrorKind::usage);
  CHECK(nothing.error().hint.find("'frankfurt'") != std::string::npos);
  const auto city = catalog::countries_called("tokyo", known());
  REQUIRE_FALSE(city);
  CHECK(city.error().hint == "write jp");
}

TEST_CASE("every region that is shipped lies on a continent or says why not", "[places]") {
  for (const Region& region : known().regions()) {
    CAPTURE(std::string(region.provider), std::string(region.id));
    if (region.country.empty()) {
      CHECK_FALSE(region.name.empty());
      continue;
    }
    int continents = 0;
    for (const catalog::Place& place : known().places())
      if (place.kind == catalog::PlaceKind::continent && catalog::lies_in(region, place, known())) ++continents;
    CHECK(continents == 1);
  }
}

TEST_CASE("every region of the large clouds is known, whether it has a price or not", "[places]") {
  std::map<std::string_view, int> count;
  for (const Region& region : known().regions()) ++count[region.provider];
  CHECK(count["aws"] >= 38);
  CHECK(count["azure"] >= 65);
  CHECK(count["gcp"] >= 43);
  CHECK(count["oci"] >= 44);
  CHECK(count["aliyun"] >= 36);
  CHECK(count["tencent"] >= 25);
}

}  // namespace places_test
