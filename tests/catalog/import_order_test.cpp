// Lists of several days: the same catalogue in whatever order they are imported, and what each changes.
#include <algorithm>
#include <random>

#include "imports.hpp"

namespace import_order_test {

using namespace gpusel;
using namespace gpusel::test;
using catalog::Offer;

namespace {

const std::string kHead =
    "InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Region,AvailabilityZone,Price,SpotPrice\n";

const catalog::Catalog& known() {
  static const catalog::Catalog shipped = embedded();
  return shipped;
}

Import of_day(const std::string& name, const std::string& text, Date day) {
  catalog::ImportRequest request{catalog::ImportFormat::skypilot, {scratch_file(name, text)}, "aws", day, {}};
  request.trust = true;
  auto done = catalog::import_market(request, known());
  if (!done) throw std::runtime_error(done.error().front().message);
  return std::move(*done);
}

/// A folder as `catalog import --out FOLDER/` writes it.
std::string written(const Import& import, bool listed = true) {
  const std::string place = scratch_directory();
  if (!catalog::write_market_yaml(place, catalog::market_yaml(import.market, {.listed = listed})))
    throw std::runtime_error("not written");
  return place;
}

/// Each price of these SKUs that stands, with its history.
Lines told(const catalog::Catalog& catalog) {
  Lines lines;
  for (const char* sku : {"aws/g5.xlarge", "aws/g6.xlarge", "aws/p5.48xlarge", "aws/new.large"}) {
    const auto instance = catalog.instance(sku);
    if (!instance) continue;
    for (const Offer& offer : catalog.offers_of(**instance)) {
      std::string line = format("{} {} {} {} {}", sku, catalog.region_of(offer).id, to_text(offer.term), offer.as_of,
                                offer.per_hour());
      for (const Offer& old : catalog.history_of(offer)) line += format(", {} {}", old.as_of, old.per_hour());
      lines.push_back(std::move(line));
    }
  }
  std::ranges::sort(lines);
  return lines;
}

/// A list of some of the SKUs in some regions, at prices of its own.
std::string drawn_list(std::mt19937& random) {
  std::string text = kHead;
  std::uniform_real_distribution<double> factor(0.5, 2);
  for (const auto& [sku, price] : {std::pair("g5.xlarge", 1.0), {"g6.xlarge", 0.8}, {"p5.48xlarge", 55.0}})
    for (const char* region : {"us-east-1", "eu-west-1", "eu-north-1"})
      if (random() % 3 != 0) text += format("{},,,,,,{},{}a,{:.4f},\n", sku, region, region, price * factor(random));
  return text + format("new.large,4,16,,,,us-east-1,us-east-1a,{:.4f},\n", factor(random));
}

}  // namespace

TEST_CASE("import: lists of several days give the same catalogue in every order", "[import]") {
  constexpr Date kDays[] = {{2025, 3, 1}, {2026, 11, 1}, {2026, 11, 20}};
  std::mt19937 random(33);  // NOLINT: the same lists each time
  for (int draw = 0; draw < 4; ++draw) {
    std::vector<std::string> places;
    for (const Date day : kDays) places.push_back(written(of_day("aws.csv", drawn_list(random), day)));
    std::ranges::sort(places);
    Lines first;
    do {
      const auto laid = catalog::load({.replacement = {}, .overlays = places});
      REQUIRE(laid);
      const Lines lines = told(*laid);
      if (first.empty()) first = lines;
      CHECK(lines == first);
    } while (std::ranges::next_permutation(places).found);
    CHECK(first.size() > 3);
  }
}

TEST_CASE("import: the younger of two prices in one import stands, the older is its history", "[import]") {
  const Import result = import_text(ImportFormat::generic_csv, "own.csv",
                                    "provider,sku,region,country,term,currency,price_per_hour,gpu,gpu_count,as_of\n"
                                    "north,x-1,here,DE,on-demand,USD,3,h100-sxm-80gb,1,2026-01-01\n"
                                    "north,x-1,here,DE,on-demand,USD,4,h100-sxm-80gb,1,2026-03-01\n"
                                    "north,x-1,here,DE,on-demand,USD,2,h100-sxm-80gb,1,2025-01-01\n");
  REQUIRE(result.market.offers().size() == 1);  // --as-of makes all of one day: the cheapest
  CHECK(result.market.offers()[0].per_hour() == 2);
  catalog::ImportRequest request;
  request.format = ImportFormat::generic_csv;
  request.trust = true;
  request.files = {scratch_file("own.csv",
                                "provider,sku,region,country,term,currency,price_per_hour,gpu,gpu_count,as_of\n"
                                "north,x-1,here,DE,on-demand,USD,3,h100-sxm-80gb,1,2026-01-01\n"
                                "north,x-1,here,DE,on-demand,USD,4,h100-sxm-80gb,1,2026-03-01\n"
                                "north,x-1,here,DE,on-demand,USD,2,h100-sxm-80gb,1,2025-01-01\n")};
  const auto dated = catalog::import_market(request, known());
  REQUIRE(dated);
  REQUIRE(dated->market.offers().size() == 1);
  CHECK(dated->market.offers()[0].per_hour() == 4);
  const auto history = dated->market.history_of(dated->market.offers()[0]);
  REQUIRE(history.size() == 2);
  CHECK(history[0].per_hour() == 2);
  CHECK(history[1].per_hour() == 3);
  const auto changes = catalog::provider_changes(dated->market, catalog::offers_by_name(known()));
  CHECK(changes.at("north").fresh == 1);
  CHECK(changes.at("north").older == 2);
  const auto laid = catalog::load({.replacement = {}, .overlays = {written(*dated, false)}});
  REQUIRE(laid);
  const auto instance = laid->instance("north/x-1");
  REQUIRE(instance);
  REQUIRE(laid->offers_of(**instance).size() == 1);
  CHECK(laid->offers_of(**instance)[0].per_hour() == 4);
  CHECK(laid->history_of(laid->offers_of(**instance)[0]).size() == 2);
}

TEST_CASE("import: each provider's prices are told from those of the catalog", "[import]") {
  const auto row = [](const char* sku, double price) {
    return kHead + format("{},,,,,,us-east-1,us-east-1a,{},\n", sku, price);
  };
  const auto count = [&](const std::string& list, Date day) {
    const Import import = of_day("aws.csv", list, day);
    return catalog::provider_changes(import.market, catalog::offers_by_name(known())).at("aws");
  };
  CHECK(count(row("g5.xlarge", 1.25), {2026, 11, 20}).moved == 1);
  CHECK(count(row("g5.xlarge", 1.25), {2026, 11, 20}).younger == 1);
  CHECK(count(row("g5.xlarge", 1.25), {2020, 1, 1}).older == 1);
  CHECK(count(row("new.large", 1.25), {2026, 11, 20}).fresh == 1);
}

TEST_CASE("import: a contract stands whatever a list says later", "[import]") {
  const std::string contract =
      scratch_file("own.yaml",
                   "prices:\n  - {provider: aws, region: us-east-1, term: on-demand, currency: "
                   "USD, as_of: 2026-01-01, source: aws-vantage-2026-01, kind: own, per_hour: "
                   "{g5.xlarge: 0.5}}\n");
  const Import list = of_day("aws.csv", kHead + "g5.xlarge,,,,,,us-east-1,us-east-1a,1.25,\n", {2026, 11, 20});
  const std::string place = written(list);
  for (const auto& overlays : {std::vector{contract, place}, std::vector{place, contract}}) {
    const auto laid = catalog::load({.replacement = {}, .overlays = overlays});
    REQUIRE(laid);
    const Lines lines = told(*laid);
    CHECK(std::ranges::any_of(lines, [](const std::string& line) {
      return line.starts_with("aws/g5.xlarge us-east-1 on-demand 20260101 0.5,");
    }));
  }
  const auto agreed = catalog::load({.replacement = {}, .overlays = {contract}});
  REQUIRE(agreed);
  CHECK(catalog::provider_changes(list.market, catalog::offers_by_name(*agreed)).at("aws").younger == 0);
}

TEST_CASE("import: an old price of one region is history where the seller asks one price everywhere", "[import]") {
  const auto list = [&](Date day, double price) {
    catalog::ImportRequest request{
        catalog::ImportFormat::skypilot,
        {scratch_file("vms.csv",
                      "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,"
                      "SpotPrice\n" +
                          format("gpu_1x_a6000,A6000,1.0,14.0,100.0,{},us-east-1,,\n", price))},
        "lambda",
        day,
        {}};
    request.trust = true;
    auto done = catalog::import_market(request, known());
    REQUIRE(done);
    return std::move(*done);
  };
  const auto standing = [](const catalog::Catalog& catalog) {
    Lines lines;
    const auto instance = catalog.instance("lambda/gpu_1x_a6000");
    for (const Offer& offer : catalog.offers_of(**instance))
      if (offer.term == catalog::Term::on_demand)
        lines.push_back(format("{} {}", catalog.region_of(offer).id, offer.per_hour()));
    return lines;
  };
  const Import old = list({2023, 10, 9}, 0.8);
  CHECK(catalog::provider_changes(old.market, catalog::offers_by_name(known())).at("lambda").older == 1);
  const auto with_old = catalog::load({.replacement = {}, .overlays = {written(old)}});
  REQUIRE(with_old);
  CHECK(standing(*with_old) == standing(known()));
  const auto instance = with_old->instance("lambda/gpu_1x_a6000");
  REQUIRE(instance);
  const Offer& everywhere = with_old->offers_of(**instance)[0];
  REQUIRE_FALSE(with_old->history_of(everywhere).empty());
  CHECK(with_old->history_of(everywhere)[0].per_hour() == 0.8);
  // A younger one is a price of that region, in whatever order both are laid.
  const std::string places[] = {written(old), written(list({2030, 1, 1}, 1.9))};
  for (const auto& order : {std::vector{places[0], places[1]}, std::vector{places[1], places[0]}}) {
    const auto both = catalog::load({.replacement = {}, .overlays = order});
    REQUIRE(both);
    CHECK(std::ranges::count(standing(*both), "us-east-1 1.9") == 1);
    CHECK(std::ranges::count(standing(*both), "us-east-1 0.8") == 0);
  }
}

TEST_CASE("import: a second import into a folder can be read without the first", "[import]") {
  const Import first =
      of_day("aws.csv",
             kHead + "g5.xlarge,4,16,,,,us-east-1,us-east-1a,1.1,\n" + "new.large,4,16,,,,us-east-1,us-east-1a,1.1,\n",
             {2026, 11, 1});
  const auto laid = catalog::load({.replacement = {}, .overlays = {written(first)}});
  REQUIRE(laid);
  catalog::ImportRequest request{catalog::ImportFormat::skypilot,
                                 {scratch_file("aws.csv", kHead + "new.large,4,16,,,,us-east-1,us-east-1a,1.3,\n")},
                                 "aws",
                                 {2026, 11, 20},
                                 {}};
  const auto second = catalog::import_market(request, *laid);
  REQUIRE(second);
  CHECK(catalog::load({.replacement = {}, .overlays = {written(*second)}}));
}

}  // namespace import_order_test
