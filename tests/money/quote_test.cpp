// The one money function, by hand: round prices of an invented cloud that bills by the hour.
#include "money/quote.hpp"

#include <catch2/catch.hpp>

#include "money/lines.hpp"
#include "support/market.hpp"

namespace quote_test {

using namespace gpusel;
using catalog::Term;
using test::Market;

namespace {

const Market& market() {
  static const Market made(R"(
sources: {list: {publisher: Round, document: price list, date: 2026-11-01, confidence: documented}}
providers:
  - id: round
    name: Round
    country: US
    kind: hyperscaler
    billing: {granularity_s: 3600, minimum_s: 3600, source: list}
    regions: {here: {country: US, name: Here}, there: {country: DE, name: There}}
families:
  - provider: round
    id: r
    gpu: l4
    interconnect: {kind: pcie}
    sources: [list]
    sizes: [{sku: r.1, gpus: 1, vcpu: 8, memory_gib: 32}]
billing: [{id: round-flex, provider: round, terms: [flex-start], longest_h: 168, source: list}]
exchange_rates: [{currency: EUR, per_usd: 0.8, as_of: 2026-03-01, source: list}]
prices:
  - {provider: round, region: here, term: on-demand, currency: USD, as_of: 2026-11-01, source: list, per_hour: {r.1: 2}}
  - {provider: round, region: there, term: on-demand, currency: EUR, as_of: 2026-11-01, source: list, per_hour: {r.1: 4}}
  - {provider: round, region: here, term: reserved-3y, currency: USD, as_of: 2026-11-01, source: list, per_hour: {r.1: 1}}
  - {provider: round, region: here, term: month, currency: USD, as_of: 2026-11-01, source: list, per_hour: {r.1: 1.5}}
  - {provider: round, region: here, term: flex-start, currency: USD, as_of: 2026-11-01, source: list, per_hour: {r.1: 0.5}}
  - {provider: round, region: here, term: sustained-use, currency: USD, as_of: 2026-11-01, source: list, per_hour: {r.1: 1.6}}
)");
  return made;
}

money::Quote quote(Term term, const money::Use& use, std::string_view region = "here",
                   Currency into = Currency::usd()) {
  const auto converter = money::Converter::into(into, market().catalog());
  REQUIRE(converter);
  const money::Quoter quoter(market().catalog(), market().coefficients(), *converter, Date(2026, 11, 20));
  const auto instance = market().catalog().instance("round/r.1");
  REQUIRE(instance);
  for (const catalog::Offer& offer : market().catalog().offers_of(**instance))
    if (offer.term == term && market().catalog().region_of(offer).id == region) return quoter.quote(offer, use).value();
  throw std::runtime_error("no such offer");
}

money::Work job_of(double hours, double tokens_per_s = 0) {
  money::Work job;
  job.hours = hours;
  if (tokens_per_s > 0) job.tokens_per_s = tokens_per_s;
  return job;
}

}  // namespace

TEST_CASE("a job is paid by its started hours on all its nodes") {
  const money::Work job = job_of(3.6, 5000);
  const auto paid = quote(Term::on_demand, {4, &job});
  CHECK(paid.hourly == Approx(8));
  CHECK(paid.hours == Approx(3.6));
  CHECK(*paid.paid.job == Approx(4));  // a step of billing is an hour
  CHECK(paid.total == Approx(32));     // 4 × 2 × 4
  CHECK_FALSE(paid.exchange);
  CHECK(*paid.per_million_tokens == Approx(32 / 64.8));  // 3.6 × 3600 × 5000 tokens
}

TEST_CASE("waiting for a machine takes time and no money") {
  money::Work job = job_of(3);
  job.waiting_hours = 2;
  const auto paid = quote(Term::on_demand, {1, &job});
  CHECK(paid.elapsed == Approx(5));
  CHECK(paid.total == Approx(6));
}

TEST_CASE("a commitment is paid whole, however short the job is") {
  const money::Work job = job_of(3.6);
  const auto paid = quote(Term::reserved_3y, {2, &job});
  CHECK(paid.total == Approx(2 * 3 * 8760.0));
  CHECK(*paid.sums().commitment == Approx(paid.total));
  CHECK(quote(Term::month, {1, &job}).total == Approx(1.5 * 730));
  const money::Work longer = job_of(731);
  CHECK(quote(Term::month, {1, &longer}).total == Approx(2 * 1.5 * 730));
}

TEST_CASE("a service is quoted by the month") {
  const money::Work runs_on;
  CHECK(quote(Term::on_demand, {1, &runs_on}).total == Approx(1460));
  CHECK(quote(Term::on_demand, {1}).total == Approx(1460));
  CHECK(quote(Term::reserved_3y, {1, &runs_on}).total == Approx(730));
  CHECK(*quote(Term::reserved_3y, {1, &runs_on}).sums().commitment == Approx(3 * 8760.0));
}

TEST_CASE("hours that are not used are not paid on demand, and are under a commitment") {
  money::Duty duty;
  duty.hours_per_day = 12;
  CHECK(quote(Term::on_demand, {1, nullptr, &duty}).total == Approx(730));
  CHECK(quote(Term::reserved_3y, {1, nullptr, &duty}).total == Approx(730));
  // A discount for whole months never costs more than on demand: half a month of 2.00 is less than a month of 1.60.
  const auto sustained = quote(Term::sustained_use, {1, nullptr, &duty});
  CHECK(sustained.is_at_most());
  CHECK(sustained.total == Approx(730));
  CHECK(*sustained.instances().day == Approx(24));  // 12 × 2.00
}

TEST_CASE("what ends before the job does has no total") {
  const money::Work week = job_of(7 * 24 + 1), day = job_of(24);
  const auto over = quote(Term::flex_start, {1, &week});
  CHECK(over.outlasts);
  CHECK(over.total != over.total);
  CHECK_FALSE(over.per_used_hour);
  CHECK(quote(Term::flex_start, {1, &day}).total == Approx(12));
}

TEST_CASE("a quote in another currency keeps the offer as published and its rate") {
  // 4 EUR an hour ÷ 0.8 = 5 USD, × 2 nodes × 10 hours = 100 USD
  const money::Work job = job_of(10);
  const auto paid = quote(Term::on_demand, {2, &job}, "there");
  CHECK(paid.hourly == Approx(10));
  CHECK(paid.total == Approx(100));
  CHECK(*paid.own().job == Approx(80));
  CHECK(paid.published.amount == 4);
  REQUIRE(paid.exchange);
  CHECK(paid.exchange->rate == Approx(1.25));
  CHECK(quote(Term::on_demand, {2, &job}, "there", *Currency::parse("EUR")).total == Approx(80));
}

TEST_CASE("amounts of data are in decimal gigabytes, and a thousand of them are a thousand") {
  money::Extras extras;
  const auto* egress = job::find_option(money::extra_options(), "egress_gb");
  REQUIRE(egress != nullptr);
  for (const auto& [text, gb] : {std::pair("2", 2.0), {"2k", 2000.0}, {"2TB", 2000.0}}) {
    REQUIRE(egress->set(extras, text));
    CHECK(*extras.egress_gb == Approx(gb));
  }
}

TEST_CASE("less work never costs more, on any term") {
  for (const Term term : {Term::on_demand, Term::reserved_3y, Term::month, Term::sustained_use, Term::flex_start}) {
    double before = 0;
    for (const double hours : {0.0, 0.5, 1.0, 3.6, 24.0, 100.0, 160.0}) {
      const money::Work job = job_of(hours);
      const double total = quote(term, {3, &job}).total;
      CAPTURE(to_text(term), hours);
      CHECK(total >= before);
      before = total;
    }
    CHECK(before > 0);
  }
}

}  // namespace quote_test
