// Results of explanations: the words, and the number and unit that they are.
#include <catch2/catch.hpp>

#include "gpusel/estimate/trace.hpp"

namespace trace_test {

using gpusel::estimate::Figure;
using gpusel::estimate::shown;

TEST_CASE("a result that is one number is that number with its unit") {
  const auto [words, number, unit] = GENERATE(table<std::string, double, std::string>({
      {"13.02 GiB", 13.02, "GiB"},
      {"0.93", 0.93, ""},
      {"1,234 USD", 1234, "USD"},
      {"4 per GPU", 4, "per GPU"},
      {"-5 points", -5, "points"},
      {"1e+06 tokens/s", 1e6, "tokens/s"},
  }));
  const Figure figure{std::string(words)};
  CAPTURE(words);
  CHECK(figure.text == words);
  REQUIRE(figure.number);
  CHECK(*figure.number == Approx(number));
  CHECK(figure.unit == unit);
}

TEST_CASE("words, ranges and dates are no number") {
  for (const char* words :
       {"unknown", "3 of 8 GPUs", "3 of 9", "3 of 0", "12 to 14 GiB", "2026-10-01", "bf16: 12 GiB", ""}) {
    CAPTURE(words);
    CHECK_FALSE(Figure(words).number);
    CHECK(Figure(words).unit.empty());
  }
}

TEST_CASE("a shown figure keeps the whole number") {
  const Figure figure = shown("{:.2f}", 13.0249, "GiB");
  CHECK(figure.text == "13.02 GiB");
  CHECK(figure.number == 13.0249);
  CHECK(shown("{:g}", 3).text == "3");
}

}  // namespace trace_test
