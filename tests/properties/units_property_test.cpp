// What is printed is read again as what it was: exactly, or to the digits that were printed.
#include <catch2/catch.hpp>
#include <cmath>

#include "base/values/date.hpp"
#include "base/values/money.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "support/property.hpp"

namespace units_property_test {

using namespace gpusel;
using test::holds;
using test::must;
using test::must_be_near;
namespace any = test::any;

namespace {

/// Any number that a double holds, from very small to very large.
double any_double(std::string_view name) {
  const double mantissa = static_cast<double>(any::whole(name, 0, (1LL << 53) - 1));
  return std::ldexp(mantissa, static_cast<int>(any::whole("exponent", -80, 20)));
}

/// What is printed for people loses digits only once: read and printed again it says the same.
template <class Print, class Read>
void must_settle(double value, Print&& print, Read&& read, double digits) {
  const std::string once = print(value);
  std::string plain = once;
  std::erase(plain, ',');
  const auto back = read(plain);
  must(static_cast<bool>(back), format("{} is printed as '{}', which is not read", value, once));
  const double is = *back;
  must(std::abs(is - value) <= digits * std::abs(value), format("{} is printed as '{}'", value, once));
  std::string again = print(is);
  std::erase(again, ',');
  must(read(again) == back, format("{} is printed as '{}', and that as '{}'", value, once, again));
  must(is >= 1e15 || is < 1e-4 || once.find('e') == std::string::npos, format("'{}' is for computers", once));
}

std::optional<double> read_duration(const std::string& text) {
  const auto read = parse_duration(text, seconds(1));
  return read ? std::optional(read->raw()) : std::nullopt;
}

std::optional<double> read_count(const std::string& text) {
  const auto read = parse_count(text, {});
  return read ? std::optional(*read) : std::nullopt;
}

}  // namespace

TEST_CASE("numbers, counts and amounts are read as they were written", "[property]") {
  holds("numbers", [] {
    const double value = any_double("value");
    must(plain_number(format("{}", value)) == value, format("{}", value));
    must(plain_number(format("-{}", value)) == -value, format("-{}", value));
    must(parse_count(format("{}", value), {}).value() == value, "a count");
    must(parse_fraction(format("{}", value), {}).value() == value, "a fraction");
  });
}

TEST_CASE("durations are read in every unit they are written in", "[property]") {
  struct Unit {
    std::string_view name;
    double seconds;
  };
  static constexpr Unit kUnits[] = {{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}, {"w", 604800}};
  holds("durations", [] {
    const double value = any::number("value", 1e-3, 1e6);
    for (const Unit& unit : kUnits) {
      const auto read = parse_duration(format("{}{}", value, unit.name), seconds(1));
      must(read.has_value(), std::string(unit.name));
      must_be_near(read->raw(), value * unit.seconds, unit.name);
      must_be_near(parse_duration(format("{}", value), seconds(unit.seconds))->raw(), value * unit.seconds, "unitless");
    }
  });
}

TEST_CASE("amounts of memory are read in every unit they are written in", "[property]") {
  holds("memory", [] {
    const double value = any::number("value", 1e-2, 1e5);
    const auto read = [&](std::string_view unit) {
      return parse_memory(format("{}{}", value, unit), false).value().amount().raw();
    };
    must_be_near(read("GB"), value * 1e9, "GB");
    must_be_near(read("GiB"), value * 1024 * 1024 * 1024, "GiB");
    must_be_near(read("MB"), value * 1e6, "MB");
    must_be_near(read("MiB"), value * 1024 * 1024, "MiB");
    must_be_near(read("TB"), value * 1e12, "TB");
    must_be_near(read(" TiB"), value * 1024 * 1024 * 1024 * 1024, "TiB");
    must_be_near(in_gib(gib(value)), value, "in GiB");
    must_be_near(in_gb(gb(value)), value, "in GB");
  });
}

TEST_CASE("figures are read in the unit that they are kept in and in any other of its kind", "[property]") {
  holds("measures", [] {
    const double value = any::number("value", 1e-2, 1e5);
    const std::string unit = any::one_of("unit", {"GB", "GiB", "GB/s", "Gbit/s", "TFLOPS", "W"});
    must_be_near(parse_measure(format("{}", value), unit).value(), value, "without a unit");
    must_be_near(parse_measure(format("{} {}", value, unit), unit).value(), value, "in its own");
    must_be_near(parse_measure(format("{}TB/s", value), "GB/s").value(), value * 1000, "TB/s");
    must_be_near(parse_measure(format("{}GiB", value), "GB").value(), value * 1.073741824, "GiB in GB");
  });
}

TEST_CASE("dates are read as they were written", "[property]") {
  holds("dates", [] {
    const auto year = static_cast<int>(any::whole("year", 1990, 2199));
    const auto month = static_cast<int>(any::whole("month", 0, 12));
    const auto day = month == 0 ? 0 : static_cast<int>(any::whole("day", 0, 28));
    const Date date(year, month, day);
    must(Date::parse(date.text()) == date, date.text());
    must(Date::from_packed(date.packed()) == date, "packed");
    const Date later(year + 1, 1, 1);
    must(date < later && *days_between(date, later) >= 1, "an age");
    must(*days_between(date, date) == 0, "no age");
  });
}

TEST_CASE("currencies are read as they were written", "[property]") {
  holds("currencies", [] {
    std::string code;
    for (int i = 0; i < 3; ++i) code += static_cast<char>('A' + any::whole("letter", 0, 25));
    must(Currency::parse(code)->code() == code, code);
    code[static_cast<std::size_t>(any::whole("place", 0, 2))] += 32;
    must(!Currency::parse(code), code);
  });
}

TEST_CASE("what is printed for people is read to its digits, and printed again as the same", "[property]") {
  holds("numbers for people", [] {
    const double value =
        any::number("value", 1e-6, 1e14) * (1 + 1e-4 * static_cast<double>(any::whole("more", 0, 100)));
    must_settle(value, human_number, plain_number, 6e-3);
    must_settle(value, human_count, read_count, 6e-3);
    std::string price = human_price(value);
    std::erase(price, ',');
    must(std::abs(plain_number(price).value() - value) <= (value < 1 ? 0.06 : 6e-3) * value, price);
  });
}

TEST_CASE("times for people are read to their digits, and printed again as the same", "[property]") {
  holds("times for people", [] {
    const double value = any::number("value", 0.1, 8e7) * (1 + 1e-4 * static_cast<double>(any::whole("more", 0, 100)));
    const auto print = [](double s) { return human_duration(seconds(s)); };
    must_settle(value, print, read_duration,
                value < 1     ? 0.006
                : value < 10  ? 0.51
                : value < 90  ? 0.06
                : value < 900 ? 0.34
                              : 0.06);
  });
}

}  // namespace units_property_test
