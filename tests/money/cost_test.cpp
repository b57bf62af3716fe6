// Money: rates between currencies.
#include "money/exchange.hpp"

#include <catch2/catch.hpp>

#include "catalog/snapshot/load.hpp"
#include "support/job.hpp"
#include "support/program.hpp"

namespace cost_test {

using namespace gpusel;
using namespace gpusel::money;

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

TEST_CASE("a price in an unknown currency cannot be converted") {
  const Money price{3, *Currency::parse("XTS")};
  CHECK(into(kUsd).exchange(price.currency) == nullptr);
  CHECK_FALSE(into(kUsd).convert(price));
  CHECK_FALSE(into(kUsd).convert(3, "no code"));
  CHECK(*into(kUsd).convert({4, kEur}) == Approx(5));  // 4 ÷ 0.8
  CHECK(*into(kEur).convert(5, "") == Approx(4));      // no code: USD
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

}  // namespace cost_test
