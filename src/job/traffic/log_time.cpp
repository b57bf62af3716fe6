// Dates as logs write them.
#include <algorithm>
#include <chrono>

#include "base/values/number.hpp"
#include "job/traffic/log.hpp"

namespace gpusel::job {

namespace {

/// The whole number in front of `text`, which it loses together with `behind`; nothing if it is not of `digits`.
std::optional<int> take_field(std::string_view& text, std::size_t digits, std::string_view behind) {
  if (text.size() < digits) return std::nullopt;
  int value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  if (behind.empty()) return value;
  if (text.empty() || behind.find(text.front()) == std::string_view::npos) return std::nullopt;
  text.remove_prefix(1);
  return value;
}

}  // namespace

std::optional<double> parse_time(std::string_view text) {
  const auto year = take_field(text, 4, "-");
  const auto month = year ? take_field(text, 2, "-") : std::nullopt;
  const auto day = month ? take_field(text, 2, " T") : std::nullopt;
  const auto hour = day ? take_field(text, 2, ":") : std::nullopt;
  const auto minute = hour ? take_field(text, 2, ":") : std::nullopt;
  const auto second = minute ? take_field(text, 2, "") : std::nullopt;
  if (!second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  double fraction = 0;
  if (text.starts_with('.')) {
    const auto end = std::min(text.find_first_not_of("0123456789", 1), text.size());
    const auto value = plain_number("0" + std::string(text.substr(0, end)));
    if (!value) return std::nullopt;
    fraction = *value;
    text.remove_prefix(end);
  }
  double offset = 0;
  if (text.starts_with('Z')) {
    text.remove_prefix(1);
  } else if (text.starts_with('+') || text.starts_with('-')) {
    const double sign = text.front() == '+' ? 1 : -1;
    text.remove_prefix(1);
    const auto hours = take_field(text, 2, text.size() > 4 ? ":" : "");
    const auto minutes = hours && !text.empty() ? take_field(text, 2, "") : hours ? std::optional(0) : std::nullopt;
    if (!minutes || *hours > 14 || *minutes > 59) return std::nullopt;
    offset = sign * (*hours * 3600 + *minutes * 60);
  }
  if (!text.empty()) return std::nullopt;
  const auto days = static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
  return days * 86400 + *hour * 3600 + *minute * 60 + *second + fraction - offset;
}

}  // namespace gpusel::job
