// Calendar dates as the catalogue knows them: a day, or only a month or a year.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpusel {

/// A date of day, month or year precision; default-constructed means unknown. Ordered by calendar.
class Date {
 public:
  constexpr Date() = default;
  constexpr Date(int year, int month, int day) : packed_(year * 10000 + month * 100 + day) {}

  /// "2026-07-20", "2026-07" or "2026"; nothing for anything else.
  static std::optional<Date> parse(std::string_view text);
  static constexpr Date from_packed(std::int32_t yyyymmdd) {
    Date date;
    date.packed_ = yyyymmdd;
    return date;
  }

  constexpr bool known() const { return packed_ != 0; }
  constexpr std::int32_t packed() const { return packed_; }
  constexpr int year() const { return packed_ / 10000; }
  constexpr int month() const { return packed_ / 100 % 100; }
  constexpr int day() const { return packed_ % 100; }

  /// The first day it can mean: an age must never be understated.
  std::chrono::sys_days earliest_day() const;
  /// In the precision it was given.
  std::string text() const;

  friend constexpr auto operator<=>(Date, Date) = default;

 private:
  std::int32_t packed_ = 0;  // yyyymmdd, 0 for a missing part
};

/// Days from `date` to `today`; nothing when either is unknown.
std::optional<int> days_between(Date date, Date today);

}  // namespace gpusel
