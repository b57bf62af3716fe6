// Rules of billing per family, region and term, and known bills by hand.
#include "money/billing.hpp"

#include <catch2/catch.hpp>

#include "money/over_time/break_even.hpp"
#include "money/quote.hpp"
#include "support/market.hpp"

namespace billing_test {

using namespace gpusel;
using catalog::Term;
using money::Billing;
using test::Market;

namespace {

/// Round prices under rules that are shipped for clouds of that name.
const Market& market() {
  static const Market made(R"(
sources: {list: {publisher: Round, document: price list, date: 2026-11-01, confidence: documented}}
providers:
  - {id: gcp, name: Google Cloud, kind: hyperscaler, billing: {granularity_s: 1, minimum_s: 60, source: list}}
  - {id: oci, name: Oracle, kind: hyperscaler, billing: {granularity_s: 1, minimum_s: 60, source: list}}
  - {id: aliyun, name: Alibaba Cloud, kind: hyperscaler}
families:
  - {provider: gcp, id: n1+T4, gpu: t4, sources: [list], sizes: [{sku: n1-t4, gpus: 1, vcpu: 8, memory_gib: 30}]}
  - {provider: gcp, id: n2, sources: [list], sizes: [{sku: n2-8, gpus: 0, vcpu: 8, memory_gib: 32}]}
  - {provider: gcp, id: g2, gpu: l4, sources: [list], sizes: [{sku: g2-8, gpus: 1, vcpu: 8, memory_gib: 32}]}
  - {provider: oci, id: BM.GPU, gpu: h100-sxm-80gb, sources: [list], sizes: [{sku: bm.8, gpus: 8, vcpu: 112, memory_gib: 2048}]}
  - {provider: oci, id: VM.GPU.A10, gpu: a10-24gb, sources: [list], sizes: [{sku: vm.1, gpus: 1, vcpu: 30, memory_gib: 240}]}
  - {provider: aliyun, id: gn6i, gpu: t4, sources: [list], sizes: [{sku: gn6i.1, gpus: 1, vcpu: 4, memory_gib: 15}]}
prices:
  - {provider: gcp, region: us-central1, term: on-demand, currency: USD, as_of: 2026-11-01, source: list, per_hour: {n1-t4: 0.73, n2-8: 0.388472, g2-8: 1}}
  - {provider: gcp, region: us-central1, term: spot, currency: USD, as_of: 2026-11-01, source: list, per_hour: {n1-t4: 0.3}}
  - {provider: gcp, regions: [europe-west4, asia-northeast1], term: on-demand, currency: USD, as_of: 2026-11-01, source: list, per_hour: {g2-8: 1}}
  - {provider: oci, region: all, term: on-demand, currency: USD, as_of: 2026-11-01, source: list, per_hour: {bm.8: 80, vm.1: 2}}
  - {provider: aliyun, regions: [cn-hangzhou, us-west-1, ap-southeast-1, ap-southeast-3], term: on-demand, currency: USD, as_of: 2026-11-01, source: list, per_hour: {gn6i.1: 1}}
)");
  return made;
}

struct Asked {
  std::string_view sku;
  std::string_view region;
  Term term = Term::on_demand;
};

money::Quote quote(const Asked& asked, const money::Use& use) {
  const auto converter = money::Converter::into(Currency::usd(), market().catalog());
  REQUIRE(converter);
  const money::Quoter quoter(market().catalog(), market().coefficients(), *converter, Date(2026, 11, 20));
  const auto instance = market().catalog().instance(asked.sku);
  REQUIRE(instance);
  for (const catalog::Offer& offer : market().catalog().offers_of(**instance))
    if (offer.term == asked.term && market().catalog().region_of(offer).id == asked.region)
      return quoter.quote(offer, use).value();
  throw std::runtime_error("no such offer");
}

money::Duty office(double hours_per_day, double days, double starts = 0) {
  money::Duty duty;
  duty.hours_per_day = hours_per_day;
  duty.days_per_month = days;
  if (starts > 0) duty.starts_per_day = starts;
  return duty;
}

Billing quarters(std::initializer_list<double> prices) {
  Billing billing;
  double up_to = 0;
  for (const double price : prices) billing.increments.push_back({up_to += 0.25, price});
  return billing;
}

}  // namespace

TEST_CASE("hours of a month are charged quarter by quarter, and back", "[billing]") {
  const Billing n1 = quarters({1, 0.8, 0.6, 0.4});
  CHECK(n1.charged(100) == Approx(100));
  CHECK(n1.charged(365) == Approx(182.5 + 182.5 * 0.8));
  CHECK(n1.charged(730) == Approx(730 * 0.7));
  for (const double hours : {0.0, 50.0, 182.5, 300.0, 547.5, 730.0}) CHECK(n1.used(n1.charged(hours)) == Approx(hours));
  CHECK(n1.used(600) == Approx(730 + (600 - 511) / 0.4));  // beyond a month at its last price
  CHECK(Billing{}.charged(730) == 730);
  CHECK(Billing{}.used(730) == 730);
  CHECK(n1.charged_over(0, 0) == 0);
  // The first hour of a month at twice the price.
  Billing first;
  first.increments = {{1 / 730.0, 2}, {1, 1}};
  CHECK(first.charged(0.5) == Approx(1));
  CHECK(first.charged(10) == Approx(11));
  for (const double hours : {0.5, 1.0, 10.0, 730.0}) CHECK(first.used(first.charged(hours)) == Approx(hours));
  // A month and a half, round the clock, from the start of a month on.
  CHECK(n1.charged_over(1095, 1095) == Approx(730 * 0.7 + 182.5 + 182.5 * 0.8));
}

TEST_CASE("machines with sustained use are paid by the share of the month", "[billing]") {
  const Asked t4{"gcp/n1-t4", "us-central1"};
  CHECK(*quote(t4, {}).instances().month == Approx(0.73 * 730 * 0.7));
  CHECK_FALSE(quote(t4, {}).is_at_most());
  const money::Duty days = office(10, 22);
  CHECK(*quote({"gcp/n2-8", "us-central1"}, {.duty = &days}).instances().month == Approx(83.54).epsilon(1e-4));
  // No other GPU has it, and neither has spot.
  CHECK(*quote({"gcp/g2-8", "us-central1"}, {}).instances().month == Approx(730));
  CHECK(*quote({"gcp/n1-t4", "us-central1", Term::spot}, {}).instances().month == Approx(0.3 * 730));
}

TEST_CASE("bare metal is billed for an hour at least, virtual machines for a minute", "[billing]") {
  const money::Duty starts = office(1, 22, 4);  // four starts of a quarter of an hour
  CHECK(*quote({"oci/bm.8", "all"}, {.duty = &starts}).instances().day == Approx(320));
  CHECK(*quote({"oci/bm.8", "all"}, {.duty = &starts}).instances().month == Approx(7040));
  CHECK(*quote({"oci/vm.1", "all"}, {.duty = &starts}).instances().month == Approx(44));
}

TEST_CASE("traffic has the price of the place it leaves, and none where none is known", "[billing]") {
  const auto of = [](const Asked& asked, double gb) {
    money::Extras extras;
    extras.egress_gb = gb;
    return *quote(asked, {.extras = &extras}).line("egress");
  };
  CHECK(*of({"gcp/g2-8", "us-central1"}, 50'000).amounts.month == Approx(1024 * 0.12 + 9216 * 0.11 + 39'760 * 0.08));
  CHECK(*of({"gcp/g2-8", "europe-west4"}, 50'000).amounts.month == Approx(1024 * 0.12 + 9216 * 0.11 + 39'760 * 0.085));
  CHECK_FALSE(of({"gcp/g2-8", "asia-northeast1"}, 100).known);
  CHECK(*of({"aliyun/gn6i.1", "us-west-1"}, 20'000).amounts.month == Approx(1560));
  CHECK(*of({"aliyun/gn6i.1", "ap-southeast-1"}, 20'000).amounts.month == Approx(2340));
  CHECK(of({"aliyun/gn6i.1", "cn-hangzhou"}, 100).words.find("mainland China") != std::string::npos);
  CHECK_FALSE(of({"aliyun/gn6i.1", "ap-southeast-3"}, 100).known);  // Kuala Lumpur
}

TEST_CASE("a commitment is cheaper from the hours on whose charge reaches it", "[billing]") {
  const Billing n1 = quarters({1, 0.8, 0.6, 0.4});
  // 300 a month against 1 an hour: 182.5 + 117.5 / 0.8 hours.
  CHECK(money::break_even_hours(300, 1, n1).value() == Approx(182.5 + 117.5 / 0.8));
  CHECK_FALSE(money::break_even_hours(600, 1, n1));
  CHECK(money::break_even_hours(600, 1).value() == Approx(600));
}

TEST_CASE("the narrowest rule that states a figure has it", "[billing]") {
  const Market rules(R"(
sources: {list: {publisher: Round, document: price list, date: 2026-11-01, confidence: documented}}
providers: [{id: round, name: Round, billing: {granularity_s: 1, minimum_s: 60, source: list}, regions: {here: {country: US}}}]
families: [{provider: round, id: r, gpu: l4, sources: [list], sizes: [{sku: r.1, gpus: 1, vcpu: 8, memory_gib: 32}]}]
billing:
  - {id: all, provider: round, granularity_s: 60, longest_h: 100, source: list}
  - {id: family, provider: round, families: [r], minimum_s: 600, host_apart: true, currency: USD, source: list}
  - {id: sku, provider: round, families: [r], skus: [r.1], most_nodes: 8, host_apart: false, currency: USD, source: list}
  - {id: others, provider: round, families: [r], most_nodes: 2, setup: 5, currency: USD, source: list}
  - {id: term, provider: round, families: [r], terms: [spot], longest_h: 6, source: list}
)");
  const auto instance = rules.catalog().instance("round/r.1");
  REQUIRE(instance);
  const auto billing = [&](Term term) {
    return money::billing_of(**instance, "here", term, *rules.catalog().provider("round"), rules.catalog());
  };
  CHECK(billing(Term::on_demand).minimum_s == 600.0);
  CHECK(billing(Term::on_demand).granularity_s == 60.0);
  CHECK(billing(Term::on_demand).longest_h == 100.0);
  CHECK(billing(Term::spot).longest_h == 6.0);
  CHECK(billing(Term::on_demand).most_nodes == 8.0);  // of family and SKU, whichever comes first
  CHECK(billing(Term::on_demand).host == nullptr);
  REQUIRE(billing(Term::on_demand).setup != nullptr);
  CHECK(billing(Term::on_demand).setup->id == "others");
}

TEST_CASE("family, SKU, region and term make a rule narrower by one each, and of equals the first holds", "[billing]") {
  const std::vector<std::string> kinds{"families: [r]", "skus: [r.1]", "regions: [here]", "terms: [on-demand]"};
  const auto most_nodes = [](const std::string& first, const std::string& second) {
    const Market rules(R"(
sources: {list: {publisher: Round, document: price list, date: 2026-11-01, confidence: documented}}
providers: [{id: round, name: Round, regions: {here: {country: US}}}]
families: [{provider: round, id: r, gpu: l4, sources: [list], sizes: [{sku: r.1, gpus: 1, vcpu: 8, memory_gib: 32}]}]
billing:
  - {id: first, provider: round, )" +
                       first + R"(, most_nodes: 1, source: list}
  - {id: second, provider: round, )" +
                       second + R"(, most_nodes: 2, source: list}
)");
    const auto instance = rules.catalog().instance("round/r.1");
    REQUIRE(instance);
    return money::billing_of(**instance, "here", Term::on_demand, nullptr, rules.catalog()).most_nodes;
  };
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const std::string& other = kinds[(i + 1) % 4];
    CAPTURE(kinds[i], other);
    CHECK(most_nodes(kinds[i], other) == 1.0);
    CHECK(most_nodes(kinds[i], other + ", " + kinds[(i + 2) % 4]) == 2.0);
  }
}

TEST_CASE("what a seller charges on top is in every total, and a charge that nobody knows ranks behind", "[billing]") {
  const Market charged(R"(
sources: {list: {publisher: Round, document: price list, date: 2026-11-01, confidence: documented}}
providers: [{id: round, name: Round, billing: {granularity_s: 1, source: list}, regions: {here: {country: US}}}]
families: [{provider: round, id: r, gpu: l4, sources: [list], workstation: {licence: included, source: list}, sizes: [{sku: r.host, gpus: 2}, {sku: r.dark, gpus: 1}, {sku: r.setup, gpus: 1}]}]
exchange_rates: [{currency: EUR, per_usd: 0.8, as_of: 2026-03-01, source: list}]
billing:
  - {id: host, provider: round, skus: [r.host], host_apart: true, currency: USD, per_vcpu_hour: 0.02, per_memory_gib_hour: 0.01, host_vcpu: 4, host_memory_per_gpu_gb: 1, source: list}
  - {id: dark, provider: round, skus: [r.dark], host_apart: true, source: list}
  - {id: setup, provider: round, skus: [r.setup], setup: 160, currency: EUR, source: list}
prices:
  - {provider: round, region: here, term: on-demand, currency: USD, as_of: 2026-11-01, source: list, per_hour: {r.host: 1, r.dark: 0.5, r.setup: 1}}
)");
  const auto converter = money::Converter::into(Currency::usd(), charged.catalog());
  REQUIRE(converter);
  const money::Quoter quoter(charged.catalog(), charged.coefficients(), *converter, Date(2026, 11, 20));
  const auto quote = [&](std::string_view sku, const money::Use& use) {
    const auto instance = charged.catalog().instance(sku);
    REQUIRE(instance);
    return quoter.quote(charged.catalog().offers_of(**instance).front(), use).value();
  };
  // 4 vCPU and the 2 × 24 GB of its GPUs.
  const money::Quote host = quote("r.host", {.nodes = 3});
  CHECK(host.host_hourly == Approx(3 * (4 * 0.02 + 48 * 0.01)));
  CHECK(host.hourly == Approx(3 * 1.56));
  CHECK(host.total == Approx(730 * 3 * 1.56));
  CHECK_FALSE(host.place_order().first);

  money::Extras drawn;
  drawn.workstation = true;
  const money::Quote licensed = quote("r.dark", {.extras = &drawn});
  REQUIRE(licensed.line("licence"));
  CHECK(licensed.line("licence")->amounts.month == 0.0);
  CHECK(licensed.line("licence")->amounts.year == 0.0);
  CHECK(licensed.line("licence")->amounts.hour == 0.0);

  const money::Quote dark = quote("r.dark", {});
  CHECK(dark.lacks("host"));
  CHECK(dark.place_order() > host.place_order());

  money::Work job;
  job.hours = 10;
  CHECK(quote("r.setup", {.nodes = 2, .job = &job}).total == Approx(2 * 10 + 2 * 200));
  CHECK(quote("r.setup", {}).total == Approx(730 + 200));
  CHECK(*quote("r.setup", {}).sums().year == Approx(8760 + 200));
  money::Duty half_year;
  half_year.months = 6;
  CHECK(quote("r.setup", {.duty = &half_year}).total == Approx(730 + 200.0 / 6));
}

}  // namespace billing_test
