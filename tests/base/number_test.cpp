// Numbers as people write them: what is read, what is refused, and how numbers are shown.
#include <catch2/catch.hpp>

#include "base/values/number.hpp"

namespace number_test {

using namespace gpusel;

namespace {

constexpr Range kAny{};

double count_of(const std::string& text) {
  const auto value = parse_count(text, kAny);
  INFO(text);
  REQUIRE(value);
  return *value;
}

double seconds_of(const std::string& text) {
  const auto value = parse_duration(text, seconds(3600));
  INFO(text);
  REQUIRE(value);
  return value->raw();
}

double bytes_of(const std::string& text) {
  const auto value = parse_memory(text, true);
  INFO(text);
  REQUIRE(value);
  return value->amount().raw();
}

}  // namespace

TEST_CASE("a plain number is read in full") {
  CHECK(plain_number("0") == 0.0);
  CHECK(plain_number("1") == 1.0);
  CHECK(plain_number("0.5") == 0.5);
  CHECK(plain_number(".5") == 0.5);
  CHECK(plain_number("-2.25") == -2.25);
  CHECK(plain_number("3e9") == 3e9);
  CHECK(plain_number("1e-3") == 0.001);
  CHECK(plain_number("1E3") == 1000.0);
}

TEST_CASE("a number with an octal look is refused") {
  const auto text = GENERATE("010", "-010", "00", "007", "01.5");
  CAPTURE(text);
  CHECK_FALSE(plain_number(text));
}

TEST_CASE("what is no plain number is refused") {
  const auto text =
      GENERATE("", " ", "+1", "1,5", "1_000", "1x", "x1", "1 ", " 1", "1 2", "0x10", "1e", "e5", ".", "-", "--1",
               "1.2.3", "nan", "NaN", "-nan", "inf", "-inf", "Infinity", "1e999", "-1e999", "\u0661");
  CAPTURE(text);
  CHECK_FALSE(plain_number(text));
}

TEST_CASE("a number is read to its end and not to a NUL") {
  CHECK_FALSE(plain_number(std::string_view("1\0", 2)));
  CHECK_FALSE(parse_count(std::string("5\0k", 3), kAny));
}

TEST_CASE("count suffixes are powers of a thousand") {
  CHECK(count_of("8") == 8);
  CHECK(count_of("1.5k") == 1500);
  CHECK(count_of("2K") == 2000);
  CHECK(count_of("20M") == 20e6);
  CHECK(count_of("7B") == 7e9);
  CHECK(count_of("7b") == 7e9);
  CHECK(count_of("7G") == 7e9);
  CHECK(count_of("1.5T") == 1.5e12);
  CHECK(count_of(" 70B ") == 70e9);
}

TEST_CASE("lengths in tokens count in steps of 1024") {
  CHECK(*parse_count("8k", kAny, 1024) == 8192);
  CHECK(*parse_count("128K", kAny, 1024) == 131072);
  CHECK(*parse_count("1M", kAny, 1024) == 1048576);
  CHECK(*parse_count("8000", kAny, 1024) == 8000);
}

TEST_CASE("a count with an unknown suffix or a bad number is refused") {
  const auto text = GENERATE("", "k", "7q", "7kk", "7BB", "7 billion", "1,5k", "010k", "nan", "infk", "+7B", "7B7");
  CAPTURE(text);
  const auto value = parse_count(text, kAny);
  REQUIRE_FALSE(value);
  CHECK(value.error().message.find("is not a number") != std::string::npos);
  CHECK_FALSE(value.error().hint.empty());
}

TEST_CASE("a count outside its range is refused with the range") {
  const Range allowed{1, 4096};
  CHECK(*parse_count("1", allowed) == 1);
  CHECK(*parse_count("4096", allowed) == 4096);
  for (const char* text : {"0", "-1", "4097", "5k", "0.999"}) {
    CAPTURE(text);
    const auto value = parse_count(text, allowed);
    REQUIRE_FALSE(value);
    CHECK(value.error().message.find("out of range") != std::string::npos);
    CHECK(value.error().hint == "allowed: from 1 to 4096");
  }
}

TEST_CASE("a range with one end names that end only") {
  CHECK(parse_count("0", {.low = 1}).error().hint == "allowed: at least 1");
  CHECK(parse_count("9", {.high = 8}).error().hint == "allowed: at most 8");
}

TEST_CASE("nothing is a figure, next to nothing is not") {
  const Range allowed{0, 100};
  for (const double value : {0.0, -0.0, kLeastFigure, 1e-9}) CHECK(allowed.contains(value));
  for (const double value : {5e-324, 1e-310, kLeastFigure / 2, -1e-9}) CHECK_FALSE(allowed.contains(value));
  CHECK(Range{}.contains(-kLeastFigure));
  CHECK_FALSE(Range{}.contains(-kLeastFigure / 2));
}

TEST_CASE("a suffix that makes a number infinite is refused") { CHECK_FALSE(parse_count("1e300T", kAny)); }

TEST_CASE("fractions are read as divisions") {
  CHECK(*parse_fraction("1/6", kAny) == Approx(0.1666667));
  CHECK(*parse_fraction("0.5", kAny) == 0.5);
  CHECK(*parse_fraction("8", kAny) == 8);
  CHECK(*parse_fraction("3/2", kAny) == 1.5);
}

TEST_CASE("a fraction without sense is refused") {
  const auto text = GENERATE("", "/", "1/", "/2", "1/0", "1/-2", "1/2/3", "a/b", "010/2", "half");
  CAPTURE(text);
  CHECK_FALSE(parse_fraction(text, kAny));
}

TEST_CASE("a fraction outside its range is refused") {
  CHECK_FALSE(parse_fraction("1/6", {0.5, 1}));
  CHECK_FALSE(parse_fraction("3/2", {0, 1}));
  CHECK_FALSE(parse_fraction("-1", {0, 1}));
}

TEST_CASE("GB and GiB are different amounts") {
  CHECK(bytes_of("80GB") == 80e9);
  CHECK(bytes_of("80 GiB") == 80.0 * 1024 * 1024 * 1024);
  CHECK(bytes_of("80GB") < bytes_of("80GiB"));
  CHECK(bytes_of("80g") == 80e9);
  CHECK(bytes_of("80gb") == 80e9);
  CHECK(bytes_of("512MB") == 512e6);
  CHECK(bytes_of("512 MiB") == 512.0 * 1024 * 1024);
  CHECK(bytes_of("1.5TB") == 1.5e12);
  CHECK(bytes_of("2TiB") == 2.0 * 1024 * 1024 * 1024 * 1024);
}

TEST_CASE("memory without a unit takes the unit of the place") {
  CHECK(parse_memory("24", true)->amount() == gib(24));
  CHECK(parse_memory("24", false)->amount() == gb(24));
}

TEST_CASE("a thing that is no amount of memory is refused") {
  const auto text = GENERATE("", "GB", "-1GB", "80 Gb/s", "80GiBs", "80 bytes", "nan", "1e999GB", "010GB", "8,5GB");
  CAPTURE(text);
  const auto value = parse_memory(text, true);
  REQUIRE_FALSE(value);
  CHECK(value.error().message.find("is not an amount of memory") != std::string::npos);
}

TEST_CASE("durations are read in their units") {
  CHECK(seconds_of("250ms") == 0.25);
  CHECK(seconds_of("90s") == 90);
  CHECK(seconds_of("30m") == 1800);
  CHECK(seconds_of("30 min") == 1800);
  CHECK(seconds_of("12h") == 43200);
  CHECK(seconds_of("3d") == 259200);   // 3 × 86,400
  CHECK(seconds_of("2w") == 1209600);  // 14 × 86,400
  CHECK(seconds_of("2.5") == 9000);    // bare: hours here
}

TEST_CASE("a thing that is no duration is refused") {
  const auto text = GENERATE("", "h", "-1h", "3 fortnights", "1h30m", "12H30", "inf", "1e10d", "012h");
  CAPTURE(text);
  const auto value = parse_duration(text, seconds(1));
  REQUIRE_FALSE(value);
  CHECK(value.error().message.find("is not a duration") != std::string::npos);
}

TEST_CASE("bounds are split into their two ends") {
  struct Case {
    const char* text;
    std::string_view low, high;
  };
  const auto given = GENERATE(Case{"4", "4", "4"}, Case{"4+", "4", ""}, Case{"4..8", "4", "8"}, Case{"..8", "", "8"},
                              Case{"4..", "4", ""}, Case{" 24GB .. 80GB ", "24GB", "80GB"}, Case{"0.5", "0.5", "0.5"});
  CAPTURE(given.text);
  const BoundTexts ends = split_bounds(given.text);
  CHECK(ends.low == given.low);
  CHECK(ends.high == given.high);
}

TEST_CASE("numbers are shown with three digits and separators from ten thousand on") {
  CHECK(human_number(0) == "0");
  CHECK(human_number(0.12345) == "0.123");
  CHECK(human_number(1.2345) == "1.23");
  CHECK(human_number(12.345) == "12.3");
  CHECK(human_number(989.4) == "989");
  CHECK(human_number(4096) == "4096");
  CHECK(human_number(10000) == "10,000");
  CHECK(human_number(1234567) == "1,234,567");
  CHECK(human_number(-1234567) == "-1,234,567");
}

TEST_CASE("counts are shown with a suffix") {
  CHECK(human_count(1500) == "1.5k");
  CHECK(human_count(20e6) == "20M");
  CHECK(human_count(6.738e9) == "6.74B");
  CHECK(human_count(1.5e12) == "1.5T");
  CHECK(human_count(999) == "999");
}

TEST_CASE("durations are shown in the unit that a person would take") {
  CHECK(human_duration(seconds(0.25)) == "250 ms");
  CHECK(human_duration(seconds(45)) == "45 s");
  CHECK(human_duration(seconds(720)) == "12 min");
  CHECK(human_duration(seconds(12240)) == "3.4 h");   // 3.4 × 3600
  CHECK(human_duration(seconds(181440)) == "2.1 d");  // 2.1 × 86,400; below 48 h it would be hours
  CHECK(human_duration(seconds(120000)) == "33.3 h");
  CHECK(human_duration(seconds(3 * 365.25 * 86400)) == "3.0 y");
}

TEST_CASE("prices are shown with the digits that matter") {
  CHECK(human_price(0) == "0.00");
  CHECK(human_price(21.96) == "21.96");
  CHECK(human_price(0.0042) == "0.0042");
  CHECK(human_price(98.317) == "98.32");
  CHECK(human_price(123.456) == "123.46");
  CHECK(human_price(0.35) == "0.35");
  CHECK(human_price(0.1) == "0.10");
  CHECK(human_price(0.09) == "0.090");
  CHECK(human_price(999.997) == "1,000");
  CHECK(human_price(1234.4) == "1,234");
}

}  // namespace number_test
