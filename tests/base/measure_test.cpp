// Figures typed with a unit of their own.
#include "base/values/number.hpp"

#include <catch2/catch.hpp>

namespace measure_test {

using gpusel::parse_measure;

TEST_CASE("a figure is turned into the unit it is kept in") {
  CHECK(*parse_measure("48", "GB") == 48);
  CHECK(*parse_measure("48GB", "GB") == Approx(48));
  CHECK(*parse_measure("48 gb", "GB") == Approx(48));
  CHECK(*parse_measure("64GB", "GiB") == Approx(64e9 / (1024.0 * 1024 * 1024)));
  CHECK(*parse_measure("1TiB", "GiB") == Approx(1024));
  CHECK(*parse_measure("3.35TB/s", "GB/s") == Approx(3350));
  CHECK(*parse_measure("0.1Tbps", "Gbit/s") == Approx(100));
  CHECK(*parse_measure("1PFLOPS", "TFLOPS") == Approx(1000));
  CHECK(*parse_measure("1.2kW", "W") == Approx(1200));
  CHECK(*parse_measure("13B", "billions") == Approx(13));
  CHECK(*parse_measure("700M", "billions") == Approx(0.7));
  CHECK(*parse_measure("0.7", "billions") == Approx(0.7));
  CHECK(*parse_measure("128k", "tokens") == 131072);
  CHECK(*parse_measure("2k", "") == 2000);
  CHECK(*parse_measure("-5", "") == -5);
}

TEST_CASE("a unit of another kind and what is no number are refused") {
  for (const auto& [text, unit] : std::initializer_list<std::pair<const char*, const char*>>{{"3W", "GB"},
                                                                                             {"3GB/s", "GB"},
                                                                                             {"3Gbit/s", "GB/s"},
                                                                                             {"GB", "GB"},
                                                                                             {"", "GB"},
                                                                                             {"many", ""},
                                                                                             {"3GB", ""},
                                                                                             {"nan", "GB"},
                                                                                             {"1e999GB", "GB"},
                                                                                             {"3 parsecs", "GB/s"},
                                                                                             {"48GB", "tokens"}}) {
    CAPTURE(text, unit);
    CHECK_FALSE(parse_measure(text, unit).has_value());
  }
}

}  // namespace measure_test
