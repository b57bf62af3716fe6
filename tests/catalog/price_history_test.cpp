// A price has a history: what stands of several prices of one offer, and what is measured of how they move.
#include "catalog/records/drift.hpp"

#include <catch2/catch.hpp>

#include <cmath>

#include "catalog/snapshot/tables.hpp"
#include "listing.hpp"

namespace price_history_test {

using namespace gpusel;
using namespace gpusel::test;
using catalog::Offer;
using catalog::ProviderKind;
using catalog::Term;

namespace {

const std::string kMarket = R"(sources:
  list: {publisher: Round, document: price list, date: 2026-11-01, confidence: documented}
  mine: {publisher: Me, document: contract, date: 2026-11-01, confidence: documented}
gpus:
  - {id: one, vendor: acme, name: One, memory: {marketed_gb: 80}, sources: [list]}
  - {id: two, vendor: acme, name: Two, memory: {marketed_gb: 80}, sources: [list]}
exchange_rates: [{currency: EUR, per_usd: 0.8, as_of: 2026-03-01, source: list}]
providers:
  - {id: round, name: Round, kind: cloud, regions: {here: {country: US}, there: {country: DE}}}
families:
  - {provider: round, id: r, gpu: one, sources: [list], sizes: [{sku: r.1, gpus: 1}, {sku: r.2, gpus: 2}]}
)";

std::string sheet(const std::string& as_of, double amount, const std::string& kind = "",
                  const std::string& currency = "USD") {
  return "  - {provider: round, region: here, term: on-demand, currency: " + currency +
         (as_of.empty() ? "" : ", as_of: " + as_of) + ", source: list" + (kind.empty() ? "" : ", kind: " + kind) +
         ", per_hour: {r.1: " + format("{}", amount) + "}}\n";
}
std::string prices(const std::string& sheets) { return "prices:\n" + sheets; }

/// "2026-11-01 2" of each price of r.1 that stands, then of its history.
std::string told(const catalog::Catalog& c) {
  std::string text;
  const auto add = [&](const Offer& o) {
    text += format("{} {}, ", o.as_of == 0 ? "undated" : Date::from_packed(o.as_of).text(), o.amount);
  };
  const auto instance = c.instance("round/r.1");
  for (const Offer& offer : c.offers_of(**instance)) {
    add(offer);
    text += "after ";
    for (const Offer& old : c.history_of(offer)) add(old);
  }
  return text.substr(0, text.find_last_not_of(", ") + 1);
}

/// A market with those price sheets, and files laid over it one after the other.
std::string laid(const std::string& shipped, const std::vector<std::string>& overlays) {
  const std::string market = folder({{"market.yaml", kMarket + prices(shipped)}});
  catalog::LoadOptions options{.replacement = market, .overlays = {}};
  std::size_t i = 0;
  for (const std::string& overlay : overlays)
    options.overlays.push_back(scratch_file(format("o{}.yaml", i++), prices(overlay)));
  return told(opened(catalog::load(options)));
}

}  // namespace

TEST_CASE("of several prices of an offer the youngest stands and the others are its history") {
  CHECK(laid(sheet("2026-03-01", 3) + sheet("2026-01-01", 1) + sheet("2026-02-01", 2), {}) ==
        "2026-03-01 3, after 2026-01-01 1, 2026-02-01 2");
  CHECK(laid(sheet("", 9) + sheet("2026-01-01", 1), {}) == "2026-01-01 1, after undated 9");
}

TEST_CASE("of two lists the younger wins, in whatever order they are laid") {
  const std::string old_list = sheet("2026-02-01", 2, "list");
  const std::string new_list = sheet("2026-04-01", 4, "list");
  const std::string expected = "2026-04-01 4, after 2026-02-01 2, 2026-03-01 3";
  CHECK(laid(sheet("2026-03-01", 3), {old_list, new_list}) == expected);
  CHECK(laid(sheet("2026-03-01", 3), {new_list, old_list}) == expected);
  CHECK(laid(sheet("2026-04-01", 4), {sheet("2026-03-01", 3, "list"), old_list}) == expected);
}

TEST_CASE("a list laid on a second time adds nothing, and corrects what it says otherwise of the same day") {
  const std::string list = sheet("2026-04-01", 4, "list");
  CHECK(laid(sheet("2026-03-01", 3), {list, list}) == "2026-04-01 4, after 2026-03-01 3");
  CHECK(laid(sheet("2026-03-01", 3), {sheet("2026-03-01", 5, "list")}) == "2026-03-01 5, after");
  CHECK(laid(sheet("2026-03-01", 3), {list, sheet("2026-03-01", 5, "list")}) == "2026-04-01 4, after 2026-03-01 5");
}

TEST_CASE("a price of an overlay that says no kind takes the place of the published one, however old") {
  CHECK(laid(sheet("2026-03-01", 3), {sheet("2026-01-01", 1)}) == "2026-01-01 1, after");
  CHECK(laid(sheet("2026-03-01", 3), {sheet("2026-05-01", 5)}) == "2026-05-01 5, after 2026-03-01 3");
}

TEST_CASE("what is agreed stands before every list and every other overlay") {
  const std::string own = sheet("2026-01-01", 1, "own");
  CHECK(laid(sheet("2026-03-01", 3), {own}) == "2026-01-01 1, after 2026-03-01 3");
  CHECK(laid(sheet("2026-03-01", 3), {own, sheet("2026-04-01", 4, "list")}) ==
        "2026-01-01 1, after 2026-03-01 3, 2026-04-01 4");
  CHECK(laid(sheet("2026-03-01", 3), {own, sheet("2026-05-01", 5)}) ==
        "2026-01-01 1, after 2026-03-01 3, 2026-05-01 5");
  CHECK(laid(sheet("2026-03-01", 3), {own, sheet("2026-02-01", 2, "own")}).starts_with("2026-02-01 2, after"));
  CHECK(laid(sheet("2026-03-01", 3), {sheet("2026-01-01", 1, "own", "EUR")}).starts_with("2026-01-01 1, after"));
}

TEST_CASE("a history comes back from a snapshot") {
  const auto before = from_text(kMarket + prices(sheet("2026-03-01", 3) + sheet("2026-01-01", 1)));
  const auto after = opened(catalog::open_snapshot(scratch_file("c.gpsl", catalog::write_snapshot(before))));
  CHECK(told(after) == "2026-03-01 3, after 2026-01-01 1");
  CHECK(after.drift().size() == before.drift().size());
  CHECK(after.drift().size() == 3);
}

TEST_CASE("a table of prices is read as sheets are, a line per price") {
  const std::string table =
      "provider,sku,region,term,currency,per_hour,as_of,source\n"
      "round,r.1,here,on-demand,USD,2,2026-02-01,list\n"
      "round,r.1,here,on-demand,USD,1,2026-01-01,list\n";
  const std::string market = folder({{"market.yaml", kMarket}, {"prices/round.csv", table}});
  CHECK(told(opened(catalog::load({.replacement = market, .overlays = {}}))) == "2026-02-01 2, after 2026-01-01 1");
}

TEST_CASE("what is wrong in a table of prices is said with its line and column") {
  const auto [row, message] = GENERATE(table<std::string, std::string>(
      {{"round,r.9,here,on-demand,USD,2,2026-02-01,list", ":2:7: 'round' has no SKU 'r.9'"},
       {"round,,here,on-demand,USD,2,2026-02-01,list", ":2:1: a price without a SKU"},
       {"round,r.1,nowhere,on-demand,USD,2,2026-02-01,list", ":2:11: 'round' has no region 'nowhere'"},
       {"round,r.1,here,on-demand,USD,-2,2026-02-01,list", ":2:30: a price must be a number"},
       {"round,r.1,here,on-demand,USD,2,2026-13-01,list", ":2:32: "},
       {"round,r.1,here,on-demand,USD,2,2026-02-01,nobody", ":2:43: unknown source 'nobody'"}}));
  const std::string head = "provider,sku,region,term,currency,per_hour,as_of,source\n";
  const std::string market = folder({{"market.yaml", kMarket}, {"prices/round.csv", head + row + "\n"}});
  const auto loaded = catalog::load({.replacement = market, .overlays = {}});
  REQUIRE_FALSE(loaded);
  CHECK_THAT(loaded.error().front().where + ": " + loaded.error().front().message, Catch::Contains(message));
}

TEST_CASE("drift is measured from pairs of prices, by hand") {
  // Two offers of a month each: one rose by e^0.2, one did not change.
  const auto pair = [](double months, double change) { return catalog::PricePair{.months = months, .change = change}; };
  const Offer first{.instance = 0};
  const Offer second{.instance = 1};
  std::vector<catalog::PricePair> pairs{pair(1, 0.2), pair(1, 0)};
  pairs[0].after = &first;
  pairs[1].after = &second;
  const std::vector<double> alike{1, 1};
  const catalog::Drift alone = catalog::fit_drift(pairs, alike, nullptr);
  // Half of the prices changed within a month: 1 - e^-rate = 1/2.
  CHECK(*alone.changes_per_month == Approx(std::log(2)).epsilon(1e-6));
  CHECK(alone.per_month() == Approx(0.1));
  CHECK(*alone.change == Approx(0.1 / std::log(2)).epsilon(1e-6));
  // What is left of the mean square of the changes, 0.02, over their expected number: 0.02 - 0.1² - 0.1²/ln 2 < 0.
  CHECK(*alone.spread == Approx(0.01));
  CHECK(*alone.longest_months == 1);
  CHECK(alone.offers == 2.0);
  // Three months of a class that never moves draw it towards that.
  catalog::Drift still;
  still.changes_per_month = 1e-4;
  still.change = 0.0;
  still.spread = 0.1;
  const catalog::Drift drawn = catalog::fit_drift(pairs, alike, &still);
  CHECK(drawn.per_month() == Approx(0.2 / 5));
  CHECK(*drawn.changes_per_month < *alone.changes_per_month);
}

TEST_CASE("each provider has one voice in what is measured of a kind of seller") {
  const std::string others = R"(  - {id: still, name: Still, kind: cloud, regions: {here: {country: US}}}
  - {id: bazaar, name: Bazaar, kind: marketplace, regions: {here: {country: US}}}
families:
  - {provider: still, id: s, gpu: two, sources: [list], sizes: [{sku: s.1, gpus: 1}]}
  - {provider: bazaar, id: b, gpu: two, sources: [list], sizes: [{sku: b.1, gpus: 1}]}
)";
  const auto row = [](const std::string& provider, const std::string& sku, const std::string& as_of, double amount) {
    return "  - {provider: " + provider + ", region: here, term: on-demand, currency: USD, as_of: " + as_of +
           ", source: list, per_hour: {" + sku + ": " + format("{}", amount) + "}}\n";
  };
  const auto c = from_text(with(kMarket, "families:\n", others) +
                           prices(row("round", "r.1", "2026-01-01", 1) + row("round", "r.1", "2026-07-01", 1.2) +
                                  row("round", "r.2", "2026-01-01", 2) + row("round", "r.2", "2026-07-01", 2.4) +
                                  row("still", "s.1", "2026-01-01", 1) + row("still", "s.1", "2026-07-01", 1) +
                                  row("bazaar", "b.1", "2026-01-01", 1) + row("bazaar", "b.1", "2026-02-01", 0.5)));
  const auto drift = [&](const std::string& id) {
    const auto found = std::ranges::find(c.drift(), id, &catalog::Drift::id);
    INFO(id);
    REQUIRE(found != c.drift().end());
    return *found;
  };
  const double months = 181 / catalog::kDaysPerMonth;
  // Both sizes of round rose; still did not: half of what round alone says, though it has two of three pairs.
  CHECK(drift("cloud.on-demand").per_month() == Approx(std::log(1.2) / months / 2));
  CHECK(drift("cloud.on-demand.round").per_month() > drift("cloud.on-demand").per_month());
  CHECK(drift("cloud.on-demand.round.one").per_month() > drift("cloud.on-demand.round").per_month());
  CHECK(drift("cloud.on-demand.still").per_month() < drift("cloud.on-demand").per_month());
  CHECK(drift("marketplace.on-demand.bazaar.two").per_month() < 0);
  const auto moves = catalog::price_moves(c);
  REQUIRE(moves.size() == 3);
  CHECK(moves[0].gpu == "one");
  CHECK(moves[0].offers == 2);
  CHECK(moves[0].rose == 2);
  CHECK(moves[0].change == Approx(0.2));
  CHECK(moves[1].seller == ProviderKind::cloud);
  CHECK(moves[2].seller == ProviderKind::marketplace);
  CHECK(moves[2].fell == 1);
  CHECK(moves[2].term == Term::on_demand);
}

TEST_CASE("prices without a month, of the user's own and of another currency make no pairs") {
  const auto c = from_text(
      kMarket + prices(sheet("2026", 1) + sheet("2026-03-01", 3) + sheet("", 2) + sheet("2026-01-01", 1, "", "EUR")));
  CHECK(catalog::price_pairs(c).empty());
  const auto own =
      opened(catalog::load({.replacement = folder({{"market.yaml", kMarket + prices(sheet("2026-01-01", 1))}}),
                            .overlays = {scratch_file("own.yaml", prices(sheet("2026-03-01", 3, "own")))}}));
  CHECK(catalog::price_pairs(own).empty());
}

TEST_CASE("a market that states its drift has that and no other; one that does not keeps what is shipped") {
  const std::string stated =
      "drift:\n  - {id: cloud.on-demand, seller: cloud, term: on-demand, changes_per_month: 1, "
      "change: 0.1, spread: 0.1}\n";
  const auto own = opened(catalog::load({.replacement = folder({{"market.yaml", kMarket + stated}}), .overlays = {}}));
  REQUIRE(own.drift().size() == 1);
  CHECK(own.drift()[0].per_month() == Approx(0.1));
  const auto none = opened(catalog::load({.replacement = folder({{"plain/market.yaml", kMarket}}), .overlays = {}}));
  CHECK(none.drift().size() == embedded().drift().size());
}

}  // namespace price_history_test
