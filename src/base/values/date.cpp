#include "base/values/date.hpp"

#include <charconv>

#include "base/words/message.hpp"

namespace gpusel {

namespace {

std::optional<int> digits(std::string_view text, std::size_t count) {
  if (text.size() != count || text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

std::optional<Date> Date::parse(std::string_view text) {
  const auto year = digits(text.substr(0, 4), 4);
  if (!year || *year < 1990 || *year > 2999) return std::nullopt;
  if (text.size() == 4) return Date{*year, 0, 0};
  if (text.size() != 7 && text.size() != 10) return std::nullopt;
  const auto month = digits(text.substr(5, 2), 2);
  if (text[4] != '-' || !month || *month < 1 || *month > 12) return std::nullopt;
  if (text.size() == 7) return Date{*year, *month, 0};
  const auto day = digits(text.substr(8, 2), 2);
  if (text[7] != '-' || !day) return std::nullopt;
  const std::chrono::year_month_day ymd{std::chrono::year{*year}, std::chrono::month{static_cast<unsigned>(*month)},
                                        std::chrono::day{static_cast<unsigned>(*day)}};
  if (!ymd.ok()) return std::nullopt;
  return Date{*year, *month, *day};
}

std::chrono::sys_days Date::earliest_day() const {
  return std::chrono::year_month_day{std::chrono::year{year()},
                                     std::chrono::month{static_cast<unsigned>(month() == 0 ? 1 : month())},
                                     std::chrono::day{static_cast<unsigned>(day() == 0 ? 1 : day())}};
}

std::string Date::text() const {
  if (!known()) return {};
  if (month() == 0) return format("{:04}", year());
  if (day() == 0) return format("{:04}-{:02}", year(), month());
  return format("{:04}-{:02}-{:02}", year(), month(), day());
}

std::optional<int> days_between(Date date, Date today) {
  if (!date.known() || !today.known()) return std::nullopt;
  return static_cast<int>((today.earliest_day() - date.earliest_day()).count());
}

}  // namespace gpusel
