// Money: rates between currencies, and what a job costs.
#include "gpusel/cost/cost.hpp"

#include <catch2/catch.hpp>

#include "gpusel/catalog/load.hpp"
#include "support/job.hpp"
#include "support/program.hpp"

namespace cost_test {

using namespace gpusel;
using namespace gpusel::cost;

namespace {

const Currency kUsd = Currency::usd();
const Currency kEur = *Currency::parse("EUR");
const Currency kGbp = *Currency::parse("GBP");

/// The shipped catalogue with two round rates of two dates.
const catalog::Catalog& round_rates() {
  static const catalog::Catalog made = [] {
    const std::string path =
        test::scratch_file("round-rates.yaml",
                           "sources:\n"
                           "  round-rates: {publisher: test, document: rates, confidence: derived}\n"
                           "exchange_rates:\n"
                           "  - {currency: EUR, per_usd: 0.8, as_of: 2026-03-01, source: round-rates}\n"
                           "  - {currency: GBP, per_usd: 0.5, as_of: 2026-01-15, source: round-rates}\n");
    auto loaded = catalog::load({.replacement = {}, .overlays = {path}});
    if (!loaded) throw std::runtime_error(loaded.error().front().message);
    return std::move(*loaded);
  }();
  return made;
}

Converter into(Currency to) {
  auto converter = Converter::into(to, round_rates());
  REQUIRE(converter);
  return *converter;
}

double rate(Currency from, Currency to) {
  const Converter converter = into(to);
  const Exchange* exchange = converter.exchange(from);
  REQUIRE(exchange != nullptr);
  return exchange->rate;
}

}  // namespace

TEST_CASE("a currency is worth itself") {
  CHECK(rate(kUsd, kUsd) == 1);
  CHECK(rate(kEur, kEur) == 1);
}

TEST_CASE("a dollar buys the published units and the reverse") {
  CHECK(rate(kUsd, kEur) == Approx(0.8));
  CHECK(rate(kEur, kUsd) == Approx(1.25));  // 1 / 0.8
}

TEST_CASE("two currencies meet through the dollar") {
  CHECK(rate(kEur, kGbp) == Approx(0.625));  // 0.5 / 0.8
  CHECK(rate(kGbp, kEur) == Approx(1.6));    // 0.8 / 0.5
}

TEST_CASE("a rate is as old as the older of the two behind it") {
  CHECK(into(kEur).exchange(kGbp)->as_of == Date(2026, 1, 15));
  CHECK(into(kGbp).exchange(kEur)->as_of == Date(2026, 1, 15));
  CHECK(into(kUsd).exchange(kEur)->as_of == Date(2026, 3, 1));
  CHECK(into(kEur).exchange(kUsd)->as_of == Date(2026, 3, 1));
}

TEST_CASE("an unknown currency has no converter and the error lists the known") {
  const auto converter = Converter::into(*Currency::parse("XTS"), round_rates());
  REQUIRE_FALSE(converter);
  CHECK(converter.error().message.find("XTS") != std::string::npos);
  CHECK(converter.error().hint.find("USD") != std::string::npos);
  CHECK(converter.error().hint.find("EUR") != std::string::npos);
}

TEST_CASE("a price in an unknown currency has no cost") {
  const Money price{3, *Currency::parse("XTS")};
  CHECK(into(kUsd).exchange(price.currency) == nullptr);
  CHECK_FALSE(job_cost(price, into(kUsd), {.nodes = 1, .duration = seconds(3600)}));
}

TEST_CASE("every currency of a shipped price can become dollars") {
  const auto converter = Converter::into(kUsd, test::shipped());
  REQUIRE(converter);
  for (const catalog::Offer& offer : test::shipped().offers()) {
    const Currency currency = test::shipped().currency_of(offer);
    if (converter->exchange(currency) == nullptr) FAIL("no rate for " << currency.code());
  }
  SUCCEED();
}

TEST_CASE("a job costs its hours on all its nodes") {
  // 2.50 an hour × 4 nodes × 90 minutes = 15.00
  const auto cost = job_cost({2.5, kUsd}, into(kUsd), {.nodes = 4, .duration = seconds(5400)});
  REQUIRE(cost);
  CHECK(cost->hourly == Approx(10));
  CHECK(cost->hours == Approx(1.5));
  CHECK(cost->total == Approx(15));
  CHECK_FALSE(cost->exchange);
  CHECK_FALSE(cost->per_million_tokens);
}

TEST_CASE("a cost in another currency keeps the offer as published and its rate") {
  // 4 EUR an hour ÷ 0.8 = 5 USD, × 2 nodes × 10 hours = 100 USD
  const auto cost = job_cost({4, kEur}, into(kUsd), {.nodes = 2, .duration = seconds(36000)});
  REQUIRE(cost);
  CHECK(cost->hourly == Approx(10));
  CHECK(cost->total == Approx(100));
  CHECK(cost->offer.amount == 4);
  CHECK(cost->offer.currency == kEur);
  REQUIRE(cost->exchange);
  CHECK(cost->exchange->rate == Approx(1.25));
  CHECK(cost->exchange->as_of == Date(2026, 3, 1));
}

TEST_CASE("a million tokens cost the time they take") {
  // 36 an hour is 0.01 a second; 1e6 tokens at 5000/s are 200 s: 2.00, however long the job is
  const auto cost = job_cost({9, kUsd}, into(kUsd), {.nodes = 4, .duration = seconds(7200), .tokens_per_s = 5000});
  REQUIRE(cost);
  REQUIRE(cost->per_million_tokens);
  CHECK(*cost->per_million_tokens == Approx(2));
  // 7200 s × 5000/s = 36 million tokens for 72
  CHECK(cost->total == Approx(*cost->per_million_tokens * 36));
}

TEST_CASE("a job of no length costs nothing and a free offer too") {
  const auto nothing = job_cost({2.5, kUsd}, into(kUsd), {.nodes = 1, .duration = seconds(0), .tokens_per_s = 100});
  REQUIRE(nothing);
  CHECK(nothing->total == 0);
  CHECK(nothing->hourly == 2.5);
  const auto free = job_cost({0, kUsd}, into(kUsd), {.nodes = 8, .duration = seconds(3600), .tokens_per_s = 100});
  REQUIRE(free);
  CHECK(free->total == 0);
  CHECK(*free->per_million_tokens == 0);
}

TEST_CASE("a subscription is paid in whole months or years") {
  const double month = 730.0 * 3600;
  CHECK(subscription_period(catalog::Term::month).raw() == month);
  CHECK(subscription_period(catalog::Term::year).raw() == 8760.0 * 3600);
  CHECK(subscription_period(catalog::Term::on_demand).raw() == 0);
  CHECK(subscription_period(catalog::Term::spot).raw() == 0);
  const Converter usd = into(kUsd);
  const auto total = [&](double hours) {
    const Usage usage{.nodes = 2, .duration = seconds(hours * 3600), .tokens_per_s = 0, .period = seconds(month)};
    const auto cost = job_cost({1, kUsd}, usd, usage);
    REQUIRE(cost);
    CHECK(cost->hours == Approx(hours));
    return cost->total;
  };
  CHECK(total(10) == Approx(1460));   // two nodes for one month of 730 hours
  CHECK(total(730) == Approx(1460));  // exactly that month
  CHECK(total(731) == Approx(2920));  // and a second one
}

TEST_CASE("a million tokens share the cost of a subscription that is not used up") {
  // One month at 1.00 an hour is 730.00; 73 hours at 1000/s make 262.8 million tokens.
  const Usage usage{
      .nodes = 1, .duration = seconds(73 * 3600.0), .tokens_per_s = 1000, .period = seconds(730 * 3600.0)};
  const auto cost = job_cost({1, kUsd}, into(kUsd), usage);
  REQUIRE(cost);
  REQUIRE(cost->per_million_tokens);
  CHECK(*cost->per_million_tokens == Approx(730 / 262.8));
}

}  // namespace cost_test
