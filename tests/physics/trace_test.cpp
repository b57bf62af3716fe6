// Results of explanations, and how figures write themselves down.
#include <catch2/catch.hpp>

#include "physics/record.hpp"
#include "support/arithmetic.hpp"

namespace trace_test {

using namespace gpusel;
using namespace gpusel::physics;

TEST_CASE("a shown figure keeps the whole number, and words are none") {
  const Figure figure = shown("{:.2f}", 13.0249, "GiB");
  CHECK(figure.text == "13.02 GiB");
  CHECK(figure.number == 13.0249);
  CHECK(figure.unit == "GiB");
  CHECK(shown("{:g}", 3).text == "3");
  const Figure words = Figure::words("13.02 GiB");
  CHECK(words.text == "13.02 GiB");
  CHECK_FALSE(words.number);
  CHECK(words.unit.empty());
}

TEST_CASE("a figure is the same whether it is written down or not") {
  const Bytes each = gib(0.5);
  const auto made = [&](auto told) {
    return told("requests", 3) * told("cache of each", each) + told.some("rest", Bytes{});
  };
  constexpr Recorded kCache{"memory.cache", "{:.2f}", "GiB", "a page"};
  Trace trace;
  const Bytes untold = record(nullptr, kCache, made);
  CHECK(record(&trace, kCache, made) == untold);
  CHECK(untold == gib(1.5));
  REQUIRE(trace.size() == 1);
  CHECK(trace[0].quantity == "memory.cache");
  CHECK(trace[0].formula == "requests × cache of each");  // what is nothing is not spoken of
  CHECK(trace[0].substituted == "3 × 512 MiB");
  CHECK(trace[0].value.text == "1.50 GiB");
  CHECK(trace[0].value.number == 1.5);
  CHECK(trace[0].source == "a page");
}

/// What a formula over a = 2, b = 3, c = 4 is written as.
template <class Made>
std::string written_as(const Made& made) {
  Trace trace;
  record(&trace, {"x", "{:g}"}, [&](auto told) { return made(told("a", 2), told("b", 3), told("c", 4)); });
  CHECK(test::adds_up(trace[0]) == true);
  return trace[0].formula + " = " + trace[0].substituted;
}

TEST_CASE("brackets stand where another order would be meant, and nowhere else") {
  CHECK(written_as([](auto a, auto b, auto c) { return a + b + c; }) == "a + b + c = 2 + 3 + 4");
  CHECK(written_as([](auto a, auto b, auto c) { return a - (b - c); }) == "a − (b − c) = 2 − (3 − 4)");
  CHECK(written_as([](auto a, auto b, auto c) { return (a + b) * c; }) == "(a + b) × c = (2 + 3) × 4");
  CHECK(written_as([](auto a, auto b, auto c) { return a / (b * c); }) == "a ÷ (b × c) = 2 ÷ (3 × 4)");
  CHECK(written_as([](auto a, auto b, auto c) { return a * b / c; }) == "a × b ÷ c = 2 × 3 ÷ 4");
  CHECK(written_as([](auto a, auto b, auto c) { return 1 - power(a, b + c); }) == "1 − a ^ (b + c) = 1 − 2 ^ (3 + 4)");
  CHECK(written_as([](auto a, auto b, auto c) { return greatest(a, least(b, c)) * 0.5; }) ==
        "max(a, min(b, c)) × 0.5 = max(2, min(3, 4)) × 0.5");
  CHECK(written_as([](auto a, auto b, auto) { return rounded_down(b / a); }) == "⌊b ÷ a⌋ = ⌊3 ÷ 2⌋");
}

TEST_CASE("numbers inside a formula have units of their size, times those of the result") {
  const auto told = [](const auto& number, std::string_view unit) {
    Trace trace;
    record(&trace, {"x", "{:g}", unit}, [&](auto tell) { return tell("x", number); });
    return trace[0].substituted + " = " + trace[0].value.text;
  };
  CHECK(told(gib(1.5), "GiB") == "1.5 GiB = 1.5 GiB");
  CHECK(told(gib(0.25), "GiB") == "256 MiB = 0.25 GiB");
  CHECK(told(gb(16), "GB") == "16 GB = 16 GB");
  CHECK(told(seconds(0.5), "ms") == "500 ms = 500 ms");
  CHECK(told(seconds(0.5), "s") == "0.5 s = 0.5 s");
  CHECK(told(seconds(5400), "h") == "1.5 h = 1.5 h");
  CHECK(told(seconds(150), "min") == "2.5 min = 2.5 min");
  CHECK(told(gb_per_s(900), "GB/s") == "900 GB/s = 900 GB/s");
  CHECK(told(tflops(312), "TFLOPS") == "312 TFLOPS = 312 TFLOPS");
  CHECK(told(6.738e9, "") == "6.738e9 = 6.738e+09");
  CHECK(told(123456.7, "") == "123457 = 123457");
  CHECK(told(0.000008, "") == "8e-6 = 8e-06");
  CHECK(told(0.25, "%") == "0.25 = 25 %");
}

TEST_CASE("a figure stands before what it is made of") {
  Trace trace;
  for (const char* quantity : {"step.products.share", "step.products", "memory", "step"})
    record(&trace, {quantity, "{:g}"}, [](auto told) { return told("x", 1); });
  std::string order;
  for (const TraceLine& line : trace) order += line.quantity + " ";
  CHECK(order == "step step.products step.products.share memory ");
}

TEST_CASE("a rate of nothing takes no time") {
  CHECK(per_second(2.0, seconds(4)) == 0.5);
  CHECK(per_second(2.0, Seconds{}) == Approx(2e9));
}

}  // namespace trace_test
