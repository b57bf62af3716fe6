// Prices and discounts of the user's own, in place of published ones.
#include "catalog/read/own_prices.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>

#include "catalog/read/own_table.hpp"
#include "catalog/read/priced_name.hpp"
#include "catalog/snapshot/load.hpp"
#include "support/program.hpp"

namespace own_prices_test {

using namespace gpusel;
using namespace gpusel::catalog;

namespace {

constexpr const char* kMarket = "/tests/data/market";

OwnPrices own_of(const std::vector<std::string>& discounts, const std::vector<std::string>& prices) {
  OwnPrices own;
  own.as_of = Date{2026, 11, 20};
  for (const auto& text : discounts) own.discounts.push_back(*parse_discount(text));
  for (const auto& text : prices) own.prices.push_back(*parse_price(text));
  return own;
}

std::expected<Catalog, Errors> try_load(const std::vector<std::string>& discounts,
                                        const std::vector<std::string>& prices = {}) {
  return load({.replacement = test::kSource + kMarket, .overlays = {}, .own = own_of(discounts, prices)});
}
Catalog load_with(const std::vector<std::string>& discounts, const std::vector<std::string>& prices = {}) {
  auto loaded = try_load(discounts, prices);
  if (!loaded) throw std::runtime_error(loaded.error().front().message);
  return std::move(*loaded);
}
std::string error_of(const std::vector<std::string>& discounts, const std::vector<std::string>& prices = {}) {
  const auto loaded = try_load(discounts, prices);
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().front().kind == ErrorKind::usage);
  return loaded.error().front().message;
}

const Offer& offer(const Catalog& catalog, std::string_view sku, Term term, std::string_view region = {}) {
  for (const Offer& one : catalog.offers_of(**catalog.instance(sku)))
    if (one.term == term && (region.empty() || catalog.region_of(one).id == region)) return one;
  throw std::runtime_error("no such offer");
}

}  // namespace

TEST_CASE("a discount is off every published price of a provider but spot", "[own]") {
  const Catalog catalog = load_with({"north=0.25"});
  CHECK(offer(catalog, "n.t4.1", Term::on_demand, "us-1").amount == Approx(0.375));  // of 0.5
  CHECK(offer(catalog, "n.h100.8", Term::on_demand, "us-1").amount == Approx(36));
  const Catalog plain = load_with({"north:reserved-1y=0.5"});
  CHECK(offer(plain, "n.t4.1", Term::on_demand, "us-1").amount == Approx(0.5));
  for (const Offer& one : catalog.offers())
    if (one.term == Term::spot || catalog.instances()[one.instance].provider != "north")
      CHECK_FALSE(is_own(catalog.origin_of(one)));
}

TEST_CASE("the narrowest discount counts, alone", "[own]") {
  const Catalog catalog = load_with({"n.t4.1=10%", "north=50%", "n.t4=20%"});
  CHECK(offer(catalog, "n.t4.1", Term::on_demand, "us-1").amount == Approx(0.45));
  CHECK(offer(catalog, "n.t4.4", Term::on_demand, "us-1").amount == Approx(1.6));
  CHECK(offer(catalog, "n.a100.8", Term::on_demand, "us-1").amount == Approx(12));
  const Catalog by_term = load_with({"north:on-demand=10%", "north=50%"});
  CHECK(offer(by_term, "n.t4.1", Term::on_demand, "us-1").amount == Approx(0.45));
}

TEST_CASE("a discounted price says so and keeps where and when it was published", "[own]") {
  const Catalog catalog = load_with({"north=0.25"});
  const Offer& one = offer(catalog, "n.t4.1", Term::on_demand, "us-1");
  CHECK(catalog.origin_of(one).source == kOwnDiscount);
  CHECK(catalog.origin_of(one).note == "your discount of 25 % off north-list");
  CHECK(Date::from_packed(one.as_of).text() == "2026-11-01");
  REQUIRE(catalog.source(kOwnDiscount) != nullptr);
  CHECK(catalog.origin_text().find("own prices") != std::string_view::npos);
}

TEST_CASE("an own price stands in every region of the instance, undiscounted", "[own]") {
  const Catalog catalog = load_with({"north=0.5"}, {"n.t4.1=30CNY"});
  std::size_t regions = 0;
  for (const Offer& one : catalog.offers_of(**catalog.instance("n.t4.1"))) {
    if (one.term != Term::on_demand) continue;
    ++regions;
    CHECK(one.amount == 30);
    CHECK(catalog.currency_of(one).code() == "CNY");
    CHECK(catalog.origin_of(one).source == kOwnPrice);
    CHECK(Date::from_packed(one.as_of).text() == "2026-11-20");
  }
  CHECK(regions == 2);  // us-1 and eu-1
  CHECK(offer(catalog, "n.t4.4", Term::on_demand, "us-1").amount == Approx(1));
}

TEST_CASE("of several own prices of one subject the last counts", "[own]") {
  const Catalog catalog = load_with({}, {"n.t4.1=9", "n.t4.1:spot=8", "n.t4.1=7", "n.t4.1=0.3"});
  CHECK(offer(catalog, "n.t4.1", Term::on_demand, "us-1").amount == Approx(0.3));
  CHECK(offer(catalog, "n.t4.1", Term::spot, "us-1").amount == Approx(8));
}

TEST_CASE("a table of own prices has one price of one subject and date, none of a day to come", "[own]") {
  const auto table = [](const std::string& rows) {
    const std::string path = test::scratch_file("own.csv", "instance,price,date\n" + rows);
    return read_own_table(path, Date{2026, 11, 20});
  };
  const auto error = [&](const std::string& rows) {
    const auto own = table(rows);
    REQUIRE_FALSE(own);
    const std::string& where = own.error().front().where;
    return where.substr(where.find("own.csv")) + ": " + own.error().front().message;
  };
  CHECK(error("n.t4.1,0.3\nn.t4.1,0.4\n") == "own.csv:3:8: another price of n.t4.1 is on line 2");
  // On-demand is the term where none is said, and letters are those of any case.
  CHECK(error("n.t4.1,0.3\nN.T4.1:on-demand,0.4\n") == "own.csv:3:18: another price of N.T4.1:on-demand is on line 2");
  CHECK_FALSE(table("n.t4.1,0.3\nn.t4.1: on-demand,0.4\n").has_value());
  CHECK(table("n.t4.1,0.3\nn.t4.1:spot,0.1\n").has_value());
  CHECK(error("n.t4.1,0.3,2026-12-24\n") == "own.csv:2:12: 2026-12-24 is in the future");
  CHECK(table("n.t4.1,0.3\nn.t4.1,0.3\n")->prices.size() == 1);
  CHECK(table("n.t4.1,0.3,2026-11-21\n")->prices.size() == 1);  // it is that day further east
  const auto younger = table("n.t4.1,0.3,2026-05-01\nn.t4.1,0.4,2026-06-01\nn.t4.1,0.5,2026-04-01\n");
  REQUIRE(younger->prices.size() == 1);
  CHECK(younger->prices[0].per_hour.amount == 0.4);
}

TEST_CASE("an own price says how far it is from the published ones", "[own]") {
  const Catalog catalog = load_with({}, {"n.h100.8=0.48", "n.t4.1=0.25"});
  const auto of = [&](std::string_view sku) {
    return catalog.origin_of(offer(catalog, sku, Term::on_demand, "us-1")).to_published;
  };
  const auto published = [](std::string_view sku) {
    double nearest = 0;
    const Catalog market = load_with({});
    for (const Offer& one : market.offers_of(**market.instance(sku)))
      if (nearest == 0 || one.per_hour() < nearest) nearest = one.per_hour();
    return nearest;
  };
  CHECK(*of("n.h100.8") == Approx(0.48 / published("n.h100.8")).epsilon(0.01));
  // 0.5 on demand, 0.2 on spot: the nearer by its ratio.
  CHECK(*of("n.t4.1") == Approx(1.25));
  CHECK_FALSE(catalog.origin_of(offer(catalog, "n.t4.4", Term::on_demand, "us-1")).to_published);
}

TEST_CASE("an own price is named where most terms of the instance are priced", "[own]") {
  const Catalog catalog = load_with({}, {"n.t4.1=0.3"});
  std::map<std::string_view, int> terms;
  for (const Offer& one : catalog.offers_of(**catalog.instance("n.t4.1"))) ++terms[catalog.region_of(one).id];
  REQUIRE(terms["us-1"] > terms["eu-1"]);
  CHECK(catalog.place_among_equals(offer(catalog, "n.t4.1", Term::on_demand, "us-1")) <
        catalog.place_among_equals(offer(catalog, "n.t4.1", Term::on_demand, "eu-1")));
}

TEST_CASE("an own price may be of a term that is not published", "[own]") {
  const Catalog catalog = load_with({}, {"north/n.h100.8:reserved-3y=20"});
  CHECK(offer(catalog, "n.h100.8", Term::reserved_3y, "us-1").amount == 20);
  CHECK(offer(catalog, "n.h100.8", Term::on_demand, "us-1").amount == 48);
}

TEST_CASE("what has no published price at all can have an own one", "[own]") {
  const Catalog shipped = *load({});
  const auto unpriced = std::ranges::find_if(shipped.instances(), [](const Instance& i) { return i.offer_count == 0; });
  REQUIRE(unpriced != shipped.instances().end());
  const std::string name = std::string(unpriced->provider) + "/" + std::string(unpriced->sku);
  OwnPrices own = own_of({}, {name + "=4.2"});
  const auto catalog = load({.replacement = {}, .overlays = {}, .own = own});
  REQUIRE(catalog);
  const auto offers = catalog->offers_of(**catalog->instance(name));
  REQUIRE(offers.size() == 1);
  CHECK(offers[0].amount == 4.2);
  CHECK(catalog->region_of(offers[0]).provider == unpriced->provider);
}

TEST_CASE("names that mean nothing are refused with the nearest that do", "[own]") {
  CHECK(error_of({"nort=0.1"}) == "'nort' is not a provider, GPU, family or instance");
  CHECK(error_of({"north:spott=0.1"}) == "no term 'spott'");
  CHECK(error_of({}, {"n.t4.2=1"}) == "unknown instance 'n.t4.2'");
  CHECK(error_of({}, {"north=1"}) == "unknown instance 'north'");
  CHECK(error_of({}, {"n.t4.1=1XYZ"}) == "no exchange rate for XYZ");
}

TEST_CASE("what is no price and no share is refused", "[own]") {
  for (const char* wrong : {"", "n.t4.1", "=3", "n.t4.1=", "n.t4.1=free", "n.t4.1=0", "n.t4.1=-1", "n.t4.1=2 florins",
                            "n.t4.1=1e300", "n.t4.1=nan"})
    CHECK_FALSE(parse_price(wrong));
  for (const char* wrong : {"", "aws", "aws=", "=0.3", "aws=1", "aws=100%", "aws=-0.1", "aws=32"})
    CHECK_FALSE(parse_discount(wrong));
}

TEST_CASE("a name that a GPU goes by means all instances with it", "[own]") {
  const Catalog published = load_with({});
  const Catalog catalog = load_with({"t4=10%"});
  std::set<std::string_view> providers;
  for (std::size_t i = 0; i < catalog.offers().size(); ++i) {
    const Offer& one = catalog.offers()[i];
    const Instance& instance = catalog.instances()[one.instance];
    const Gpu* gpu = catalog.gpu_of(instance);
    const bool meant = gpu != nullptr && gpu->id.starts_with("t4") && one.term != Term::spot;
    CHECK(one.amount == Approx(published.offers()[i].amount * (meant ? 0.9 : 1)));
    if (meant) providers.insert(instance.provider);
  }
  CHECK(!providers.empty());
}

TEST_CASE("a family called like a GPU is written with its provider", "[own]") {
  const auto shipped = load({});
  REQUIRE(shipped);
  for (const char* name : {"h100", "a100", "h200", "b200", "v100", "l4", "l40s"}) {
    CAPTURE(name);
    const auto meant = priced_name(name, *shipped);
    REQUIRE(meant);
    CHECK(meant->kind == Priced::gpu);
    CHECK(std::count(meant->instances.begin(), meant->instances.end(), true) > 10);
    if (meant->also.empty()) continue;
    const auto narrow = priced_name(meant->also, *shipped);
    REQUIRE(narrow);
    CHECK(narrow->kind > Priced::gpu);
  }
}

}  // namespace own_prices_test
