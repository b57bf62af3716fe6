// Dates of day, month or year precision.
#include <catch2/catch.hpp>

#include "base/values/date.hpp"

namespace date_test {

using namespace gpusel;

TEST_CASE("a date is read and written in its own precision") {
  const auto text = GENERATE("2026-07-20", "2026-07", "2026", "2024-02-29", "1999-12-31");
  const auto date = Date::parse(text);
  REQUIRE(date);
  CHECK(date->known());
  CHECK(date->text() == text);
}

TEST_CASE("the parts of a date that are not given are zero") {
  CHECK(Date::parse("2026-07-20") == Date(2026, 7, 20));
  CHECK(Date::parse("2026-07") == Date(2026, 7, 0));
  CHECK(Date::parse("2026") == Date(2026, 0, 0));
}

TEST_CASE("a day that no calendar has is refused") {
  const auto text = GENERATE("2026-02-30", "2026-02-29", "2100-02-29", "2026-04-31", "2026-13-01", "2026-00-10",
                             "2026-01-00", "2026-13", "2026-00", "2026-01-32");
  CAPTURE(text);
  CHECK_FALSE(Date::parse(text));
}

TEST_CASE("what is not written like a date is refused") {
  const auto text =
      GENERATE("", "26", "20", "202", "20260720", "2026-7-20", "2026-07-2", "2026/07/20", "20-07-2026",
               "2026-07-20T00:00", " 2026", "2026 ", "+026-07", "2026-", "2026-0x", "0000", "9999", "yesterday");
  CAPTURE(text);
  CHECK_FALSE(Date::parse(text));
}

TEST_CASE("an unknown date says nothing and has no age") {
  const Date unknown;
  CHECK_FALSE(unknown.known());
  CHECK(unknown.text().empty());
  CHECK_FALSE(days_between(unknown, Date(2026, 11, 20)));
  CHECK_FALSE(days_between(Date(2026, 11, 20), unknown));
}

TEST_CASE("a month or a year begins on its first day") {
  CHECK(Date(2026, 7, 0).earliest_day() == Date(2026, 7, 1).earliest_day());
  CHECK(Date(2026, 0, 0).earliest_day() == Date(2026, 1, 1).earliest_day());
}

TEST_CASE("days between dates are counted on the calendar") {
  CHECK(days_between(Date(2026, 11, 20), Date(2026, 11, 20)) == 0);
  CHECK(days_between(Date(2026, 2, 28), Date(2026, 3, 1)) == 1);
  CHECK(days_between(Date(2024, 2, 28), Date(2024, 3, 1)) == 2);  // a leap year
  CHECK(days_between(Date(2025, 11, 20), Date(2026, 11, 20)) == 365);
  CHECK(days_between(Date(2026, 11, 21), Date(2026, 11, 20)) == -1);
}

TEST_CASE("the age of a date that is only a month is never understated") {
  CHECK(days_between(Date(2026, 10, 0), Date(2026, 11, 20)) == 50);  // from 1 October: 30 + 20
  CHECK(days_between(Date(2026, 0, 0), Date(2026, 1, 11)) == 10);
}

TEST_CASE("dates are ordered by the calendar") {
  CHECK(Date(2025, 12, 31) < Date(2026, 1, 1));
  CHECK(Date(2026, 1, 31) < Date(2026, 2, 1));
  CHECK(Date{} < Date(1990, 0, 0));
}

TEST_CASE("a packed date comes back as it was") {
  const auto date = GENERATE(Date(2026, 7, 20), Date(2026, 7, 0), Date(2026, 0, 0), Date{});
  CHECK(Date::from_packed(date.packed()) == date);
}

}  // namespace date_test
