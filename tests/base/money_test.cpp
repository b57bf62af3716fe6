// Currencies are ISO codes and nothing else.
#include <catch2/catch.hpp>

#include "base/values/money.hpp"

namespace money_test {

using gpusel::Currency;

TEST_CASE("a currency is three capital letters") {
  const auto code = GENERATE("USD", "CNY", "EUR", "CHF");
  const auto currency = Currency::parse(code);
  REQUIRE(currency);
  CHECK(currency->code() == code);
}

TEST_CASE("what is no currency code is refused") {
  const auto code = GENERATE("", "US", "USDT", "usd", "Usd", "$", "U$D", "US1", " USD", "€€€");
  CAPTURE(code);
  CHECK_FALSE(Currency::parse(code));
}

TEST_CASE("currencies are equal when their codes are") {
  CHECK(Currency::parse("USD") == Currency::usd());
  CHECK(Currency::parse("EUR") != Currency::usd());
  CHECK(Currency{} != Currency::usd());
}

}  // namespace money_test
