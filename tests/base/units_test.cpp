// Physical quantities: decimal and binary, bits and bytes, rates and amounts.
#include <catch2/catch.hpp>

#include "base/values/units.hpp"

namespace units_test {

using namespace gpusel;

TEST_CASE("a GiB is a fourteenth larger than a GB") {
  CHECK(gib(1).raw() == 1073741824.0);
  CHECK(gb(1).raw() == 1e9);
  CHECK(in_gib(gb(80)) == Approx(74.505806));  // 80e9 / 2^30
  CHECK(in_gb(gib(80)) == Approx(85.899346));
  CHECK(in_gib(gib(79.65)) == Approx(79.65));
}

TEST_CASE("eight bits are a byte in network rates") {
  CHECK(gbit_per_s(400) == gb_per_s(50));
  CHECK(gb_per_s(900).raw() == 900e9);
}

TEST_CASE("an amount divided by its rate is a time") {
  CHECK((gb(80) / gb_per_s(3200)).raw() == 0.025);
  CHECK((flop(2e15) / tflops(1000)).raw() == 2.0);
  CHECK(gb(160) / gb(80) == 2.0);
}

TEST_CASE("quantities add and scale") {
  Bytes sum = gb(1) + gb(2);
  sum += gb(3);
  sum -= gb(1);
  sum *= 2;
  CHECK(sum == gb(10));
  CHECK(2 * gb(3) == gb(6));
  CHECK(gb(6) / 3 == gb(2));
  CHECK(gb(79) < gb(80));
}

TEST_CASE("times convert to hours and milliseconds") {
  CHECK(in_hours(seconds(5400)) == 1.5);
  CHECK(in_ms(seconds(0.25)) == 250.0);
  CHECK(microseconds(5).raw() == Approx(5e-6));
}

TEST_CASE("a year is twelve months of 730 hours") { CHECK(kHoursPerYear == 12 * kHoursPerMonth); }

}  // namespace units_test
