// The price expected today: by hand, at its limits, and against what came.
#include "money/expected.hpp"

#include <catch2/catch.hpp>

#include <cmath>

#include "money/expected_check.hpp"
#include "support/market.hpp"

namespace expected_test {

using namespace gpusel;
using catalog::ProviderKind;
using catalog::Term;
using money::TooOld;
using test::Market;

namespace {

catalog::Drift drift(double rate, double change, double spread, double longest = 100) {
  catalog::Drift out;
  out.changes_per_month = rate;
  out.change = change;
  out.spread = spread;
  out.longest_months = longest;
  return out;
}

const Market& market() {
  static const Market made(R"(
sources: {list: {publisher: Round, document: price list, date: 2026-11-01, confidence: documented}}
providers:
  - {id: round, name: Round, kind: cloud, regions: {here: {country: US}}}
  - {id: square, name: Square, kind: cloud, regions: {here: {country: US}}}
  - {id: big, name: Big, kind: hyperscaler, regions: {here: {country: US}}}
  - {id: wide, name: Wide, kind: cloud, regions: {east: {country: US}, west: {country: US}, south: {country: US}}}
families:
  - {provider: round, id: r, gpu: l4, sources: [list], sizes: [{sku: r.l4, gpus: 1}, {sku: r.hosts, gpus: 1, third_party_hosts: true}]}
  - {provider: round, id: t, gpu: t4, sources: [list], sizes: [{sku: r.t4, gpus: 1}]}
  - {provider: square, id: s, gpu: l4, sources: [list], sizes: [{sku: s.l4, gpus: 1}, {sku: s.year, gpus: 1}, {sku: s.none, gpus: 1}]}
  - {provider: big, id: b, gpu: l4, sources: [list], sizes: [{sku: b.l4, gpus: 1}]}
  - {provider: wide, id: w, gpu: l4, sources: [list], sizes: [{sku: w.l4, gpus: 1}]}
drift:
  - {id: cloud.on-demand, seller: cloud, term: on-demand, changes_per_month: 1, change: 0.1, spread: 0.05, longest_months: 12}
  - {id: cloud.on-demand.round, seller: cloud, term: on-demand, provider: round, changes_per_month: 1, change: 0.2, spread: 0.05}
  - {id: cloud.on-demand.round.l4, seller: cloud, term: on-demand, provider: round, gpu: l4, changes_per_month: 1, change: 0.3, spread: 0.05}
prices:
  - {provider: round, region: here, term: on-demand, currency: USD, as_of: 2026-05-20, source: list, per_hour: {r.l4: 2, r.t4: 2, r.hosts: 2}}
  - {provider: round, region: here, term: reserved-1y, currency: USD, as_of: 2026-05-20, source: list, per_hour: {r.l4: 1}}
  - {provider: square, region: here, term: on-demand, currency: USD, as_of: 2026-05-20, source: list, per_hour: {s.l4: 2}}
  - {provider: square, region: here, term: on-demand, currency: USD, as_of: 2026, source: list, per_hour: {s.year: 2}}
  - {provider: square, region: here, term: on-demand, currency: USD, source: list, per_hour: {s.none: 2}}
  - {provider: big, region: here, term: on-demand, currency: USD, as_of: 2024-05-20, source: list, per_hour: {b.l4: 2}}
  - {provider: wide, region: west, term: on-demand, currency: USD, as_of: 2026-05-20, source: list, per_hour: {w.l4: 2.000004}}
  - {provider: wide, region: east, term: on-demand, currency: USD, as_of: 2026-11-10, source: list, per_hour: {w.l4: 2}}
  - {provider: wide, region: south, term: on-demand, currency: USD, as_of: 2026-05-20, source: list, per_hour: {w.l4: 2.2}}
)");
  return made;
}

const catalog::Offer& offer(std::string_view sku, Term term = Term::on_demand) {
  const auto instance = market().catalog().instance(sku);
  REQUIRE(instance);
  for (const catalog::Offer& one : market().catalog().offers_of(**instance))
    if (one.term == term) return one;
  throw std::runtime_error("no such offer");
}

constexpr Date kToday{2026, 11, 20};

}  // namespace

TEST_CASE("a price of which nothing is known, or of today, is as it was published") {
  const auto unknown = money::price_today(2, 12, nullptr);
  CHECK(unknown.low == 2);
  CHECK(unknown.mid == 2);
  CHECK(unknown.high == 2);
  const auto some = drift(0.5, 0.1, 0.2);
  const auto today = money::price_today(2, 0, &some);
  CHECK(today.low == 2);
  CHECK(today.mid == 2);
  CHECK(today.high == 2);
}

TEST_CASE("prices that are changed by nothing stay, however often") {
  const auto still = drift(2, 0, 0);
  const auto price = money::price_today(2, 12, &still);
  CHECK(price.low == 2);
  CHECK(price.mid == 2);
  CHECK(price.high == 2);
}

TEST_CASE("a price that has more likely than not stayed is expected to have stayed, exactly") {
  // After 4 months e^-0.4 = 67 of 100 have not changed; all that did have risen.
  const auto some = drift(0.1, 0.3, 0.01);
  const auto price = money::price_today(2, 4, &some);
  CHECK(price.mid == 2);
  CHECK(price.low == 2);
  CHECK(price.high > 2 * std::exp(0.25));
}

TEST_CASE("where half have changed, the tenth that fell furthest is a fifth of those") {
  // In a month e^-ln 2 = half have not changed; 0.693 / 0.5 changes each of the others, of a standard deviation of 0.2.
  const auto some = drift(std::log(2.0), 0, 0.2);
  const double deviation = 0.2 * std::sqrt(2 * std::log(2.0));
  const auto price = money::price_today(1, 1, &some);
  CHECK(price.low == Approx(std::exp(-0.841621 * deviation)).epsilon(1e-4));
  CHECK(price.mid == 1);
  CHECK(price.high == Approx(std::exp(0.841621 * deviation)).epsilon(1e-4));
}

TEST_CASE("of many changes the sum is normal: mean, spread and range by hand") {
  // 200 changes of a hundredth each, with a standard deviation of 0.02, their number one of sqrt(200).
  const auto some = drift(20, 0.01, 0.02);
  const double deviation = std::sqrt(200 * 0.02 * 0.02 + 200 * 0.01 * 0.01);
  const auto price = money::price_today(3, 10, &some);
  CHECK(price.mid == Approx(3 * std::exp(2.0)).epsilon(1e-3));
  CHECK(price.low == Approx(3 * std::exp(2 - 1.28155 * deviation)).epsilon(1e-3));
  CHECK(price.high == Approx(3 * std::exp(2 + 1.28155 * deviation)).epsilon(1e-3));
}

TEST_CASE("a range widens with age and keeps its order") {
  const auto some = drift(0.3, 0.05, 0.1);
  double width = 0;
  for (const double months : {0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0}) {
    const auto price = money::price_today(1, months, &some);
    CHECK(price.low <= price.mid);
    CHECK(price.mid <= price.high);
    CHECK(price.high - price.low >= width);
    width = price.high - price.low;
  }
}

TEST_CASE("a drift is carried no further than it was seen, a spread is") {
  const auto near = drift(5, 0.1, 0.1, 6);
  const auto six = money::price_today(1, 6, &near);
  const auto sixty = money::price_today(1, 60, &near);
  CHECK(sixty.mid == Approx(six.mid).epsilon(1e-6));
  CHECK(sixty.high > six.high);
}

TEST_CASE("a price is too old by who asks it and on which term") {
  const auto judge = [](std::string_view as_of, ProviderKind seller, Term term) {
    return money::too_old(Date::parse(as_of).value_or(Date{}), kToday, seller, term);
  };
  CHECK(judge("2026-10-21", ProviderKind::marketplace, Term::on_demand) == TooOld::no);
  CHECK(judge("2026-10-20", ProviderKind::marketplace, Term::on_demand) == TooOld::marketplace);
  CHECK(judge("2026-10-21", ProviderKind::hyperscaler, Term::spot) == TooOld::no);
  CHECK(judge("2026-10-20", ProviderKind::hyperscaler, Term::spot) == TooOld::spot);
  CHECK(judge("2026-05-24", ProviderKind::cloud, Term::on_demand) == TooOld::no);
  CHECK(judge("2026-05-23", ProviderKind::cloud, Term::on_demand) == TooOld::cloud);
  CHECK(judge("2020-01-01", ProviderKind::hyperscaler, Term::on_demand) == TooOld::no);
  CHECK(judge("2026", ProviderKind::hyperscaler, Term::on_demand) == TooOld::undated);
  CHECK(judge("", ProviderKind::hyperscaler, Term::reserved_3y) == TooOld::undated);
  CHECK(judge("2026-11", ProviderKind::hyperscaler, Term::on_demand) == TooOld::no);
}

TEST_CASE("an offer moves by what is known of its GPU at its provider, else of its provider, else of its kind") {
  const money::PriceOutlook outlook(market().catalog(), kToday);
  CHECK(outlook.drift_of(offer("r.l4"))->id == "cloud.on-demand.round.l4");
  CHECK(outlook.drift_of(offer("r.t4"))->id == "cloud.on-demand.round");
  CHECK(outlook.drift_of(offer("s.l4"))->id == "cloud.on-demand");
  CHECK(outlook.drift_of(offer("r.l4", Term::reserved_1y))->id == "cloud.on-demand.round.l4");
  CHECK(outlook.drift_of(offer("r.hosts")) == nullptr);
  CHECK(outlook.drift_of(offer("b.l4")) == nullptr);
}

TEST_CASE("a price that was seen again elsewhere is as young as that, and the younger place is named") {
  const catalog::Catalog& catalog = market().catalog();
  const money::PriceOutlook outlook(catalog, kToday);
  const auto in = [&](std::string_view region) -> const catalog::Offer& {
    for (const catalog::Offer& one : catalog.offers_of(**catalog.instance("w.l4")))
      if (catalog.region_of(one).id == region) return one;
    throw std::runtime_error("no such offer");
  };
  CHECK(outlook.expected(in("west")).high == Approx(outlook.expected(in("east")).high));
  CHECK(outlook.expected(in("south")).high / 2.2 > outlook.expected(in("east")).high / 2);
  CHECK(catalog.place_among_equals(in("east")) < catalog.place_among_equals(in("west")));
}

TEST_CASE("a price without a day stays in the middle of the widest range, and is ordered as a quarter dearer") {
  const money::PriceOutlook outlook(market().catalog(), kToday);
  for (const std::string_view sku : {"s.year", "s.none"}) {
    const auto price = outlook.expected(offer(sku));
    CHECK(price.too_old == TooOld::undated);
    CHECK(price.mid == 2);
    CHECK(price.high == Approx(money::price_today(2, 12, outlook.drift_of(offer(sku))).high));
    CHECK(price.order() == 2.5);
  }
  const auto dated = outlook.expected(offer("s.l4"));
  CHECK(dated.too_old == TooOld::cloud);
  CHECK(dated.order() == Approx(1.25 * dated.mid));
  CHECK(dated.mid > 2);
  const auto list = outlook.expected(offer("b.l4"));
  CHECK(list.too_old == TooOld::no);
  CHECK(list.order() == 2);
  CHECK((list * 3).order() == 6);
}

TEST_CASE("what is too old has the range of its kind, and is never taken to be cheaper than published") {
  catalog::Drift falling = drift(2, -0.1, 0.05);
  falling.seller = ProviderKind::cloud;
  falling.term = Term::on_demand;
  catalog::Drift still = falling;  // of a provider whose prices were never seen to change
  still.provider = "square";
  still.changes_per_month = 0;
  const catalog::Drift both[] = {falling, still};
  const money::PriceOutlook outlook(market().catalog(), kToday, both);
  const auto fallen = outlook.expected(offer("r.l4"));
  CHECK(fallen.mid < 1);
  CHECK(fallen.order() == 2.5);
  const auto unmoved = outlook.expected(offer("s.l4"));
  CHECK(unmoved.mid == 2);
  CHECK(unmoved.low == Approx(fallen.low));
  CHECK(unmoved.order() == 2.5);
  CHECK((unmoved * 2).order() == 5);
}

TEST_CASE("what the user has agreed does not move") {
  const money::PriceOutlook outlook(market().catalog(), kToday);
  catalog::Offer own = offer("r.l4");
  own.kind = catalog::PriceKind::own;
  own.as_of = 0;
  const auto price = outlook.expected(own);
  CHECK(price.low == 2);
  CHECK(price.high == 2);
  CHECK(price.too_old == TooOld::no);
}

TEST_CASE(
    "of prices that were kept aside the expected one is nearer than the old one, and not farther for list prices") {
  for (const money::OutlookCheck& check : money::check_outlook(Market::dated().catalog())) {
    INFO(to_text(check.seller) << ' ' << to_text(check.term) << ' ' << check.offers);
    CHECK(check.expected_error <= check.old_error + 1e-9);
    CHECK(check.expected_mean <= check.old_mean + 1e-9);
    if (check.seller == ProviderKind::cloud || check.term == Term::spot) CHECK(check.expected_mean < check.old_mean);
    CHECK(check.covered >= 0.7);
    CHECK(check.old_mean < 1);  // an error is a share of the price
  }
}

TEST_CASE("a spot price is not expected above the on-demand price of the same machine") {
  const Market spot(R"(
sources: {list: {publisher: Round, document: price list, date: 2026-11-01, confidence: documented}}
providers: [{id: round, name: Round, kind: cloud, regions: {here: {country: US}, there: {country: US}}}]
families: [{provider: round, id: r, gpu: l4, sources: [list], sizes: [{sku: r.l4, gpus: 1}]}]
drift: [{id: cloud.spot, seller: cloud, term: spot, changes_per_month: 1, change: 0.1, spread: 0.3, longest_months: 12}]
prices:
  - {provider: round, regions: [here, there], term: spot, currency: USD, as_of: 2026-05-20, source: list, per_hour: {r.l4: 1}}
  - {provider: round, region: here, term: on-demand, currency: USD, as_of: 2026-11-20, source: list, per_hour: {r.l4: 1.2}}
)");
  const money::PriceOutlook outlook(spot.catalog(), kToday);
  std::vector<money::PriceToday> found;  // here, there
  for (const std::string_view region : {"here", "there"})
    for (const catalog::Offer& one : spot.catalog().offers_of(spot.catalog().instances().front()))
      if (one.term == Term::spot && spot.catalog().region_of(one).id == region) found.push_back(outlook.expected(one));
  REQUIRE(found.size() == 2);
  CHECK(found[0].low == found[1].low);
  CHECK(found[0].mid == 1.2);
  CHECK(found[0].high == 1.2);
  CHECK(found[1].mid > 1.5);
}

}  // namespace expected_test
