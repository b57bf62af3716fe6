#include "base/values/number.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel {

namespace {

std::string range_text(Range allowed) {
  const bool low = allowed.low > -std::numeric_limits<double>::max();
  const bool high = allowed.high < std::numeric_limits<double>::max();
  if (low && high) return say("from {} to {}", human_number(allowed.low), human_number(allowed.high));
  if (low) return say("at least {}", human_number(allowed.low));
  return say("at most {}", human_number(allowed.high));
}

/// Splits "12 GiB" into 12 and "GiB".
std::optional<std::pair<double, std::string_view>> number_and_unit(std::string_view text) {
  const auto end = text.find_last_of("0123456789.");
  if (end == std::string_view::npos) return std::nullopt;
  const auto value = plain_number(text.substr(0, end + 1));
  if (!value) return std::nullopt;
  return std::pair{*value, trim(text.substr(end + 1))};
}

Result<double> within(double value, std::string_view text, Range allowed) {
  if (!std::isfinite(value) || !allowed.contains(value))
    return usage_error(say("{} is out of range", shorten(text, 32)), {}, say("allowed: {}", range_text(allowed)));
  return value;
}

std::unexpected<Error> not_a_number(std::string_view text) {
  return usage_error(say("'{}' is not a number", shorten(text, 32)), {}, say("write it like 8, 0.5 or 3e9"));
}

}  // namespace

std::optional<double> plain_number(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const std::string_view digits = text.front() == '-' ? text.substr(1) : text;
  if (digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9') return std::nullopt;
  if (digits.empty() || !((digits[0] >= '0' && digits[0] <= '9') || digits[0] == '.')) return std::nullopt;
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

Result<double> parse_count(std::string_view given, Range allowed, double kilo) {
  const std::string_view text = trim(given);
  if (const auto value = plain_number(text)) return within(*value, text, allowed);
  const auto split = number_and_unit(text);
  if (!split || split->second.size() != 1) return not_a_number(text);
  double factor = 0;
  switch (split->second.front()) {
    case 'k':
    case 'K': factor = kilo; break;
    case 'm':
    case 'M': factor = kilo * kilo; break;
    case 'g':
    case 'G':
    case 'b':
    case 'B': factor = kilo * kilo * kilo; break;
    case 't':
    case 'T': factor = kilo * kilo * kilo * kilo; break;
    default: return not_a_number(text);
  }
  return within(split->first * factor, text, allowed);
}

Result<double> parse_fraction(std::string_view given, Range allowed) {
  const std::string_view text = trim(given);
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) {
    const auto value = plain_number(text);
    return value ? within(*value, text, allowed) : Result<double>{not_a_number(text)};
  }
  const auto top = plain_number(text.substr(0, slash));
  const auto bottom = plain_number(text.substr(slash + 1));
  if (!top || !bottom || *bottom <= 0) return not_a_number(text);
  return within(*top / *bottom, text, allowed);
}

Result<MemorySize> parse_memory(std::string_view given, bool binary_if_no_unit) {
  const std::string_view text = trim(given);
  const auto split = number_and_unit(text);
  const auto wrong = [&] {
    return usage_error(say("'{}' is not an amount of memory", shorten(text, 32)), {},
                       say("write it like 80GB or \"64 GiB\""));
  };
  if (!split || split->first < 0 || split->first > 1e12) return wrong();
  const std::string unit = lower(split->second);
  if (unit.empty()) return MemorySize{split->first, binary_if_no_unit};
  struct Known {
    std::string_view name;
    double gigas;
    bool binary;
  };
  static constexpr Known kUnits[] = {{"gb", 1, false},    {"g", 1, false},           {"gib", 1, true},
                                     {"mb", 1e-3, false}, {"mib", 1.0 / 1024, true}, {"tb", 1e3, false},
                                     {"tib", 1024, true}};
  for (const Known& known : kUnits)
    if (known.name == unit) return MemorySize{split->first * known.gigas, known.binary};
  return wrong();
}

Result<Seconds> parse_duration(std::string_view given, Seconds unit_if_none) {
  const std::string_view text = trim(given);
  const auto split = number_and_unit(text);
  const auto wrong = [&] {
    return usage_error(say("'{}' is not a duration", shorten(text, 32)), {}, say("write it like 90s, 30m, 12h or 3d"));
  };
  if (!split || split->first < 0 || split->first > 1e9) return wrong();
  if (split->second.empty()) return unit_if_none * split->first;
  if (split->second == "ms") return seconds(split->first / 1000);
  if (split->second == "s") return seconds(split->first);
  if (split->second == "m" || split->second == "min") return seconds(split->first * 60);
  if (split->second == "h") return seconds(split->first * 3600);
  if (split->second == "d") return seconds(split->first * 86400);
  if (split->second == "w") return seconds(split->first * 7 * 86400);
  return wrong();
}

BoundTexts split_bounds(std::string_view given) {
  const std::string_view text = trim(given);
  if (const auto dots = text.find(".."); dots != std::string_view::npos)
    return {trim(text.substr(0, dots)), trim(text.substr(dots + 2))};
  if (text.ends_with('+')) return {trim(text.substr(0, text.size() - 1)), {}};
  return {text, text};
}

namespace {

std::string with_separators(double value) {
  std::string digits = format("{:.0f}", std::abs(value));
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return value < 0 ? "-" + digits : digits;
}

}  // namespace

std::string human_number(double value) {
  const double size = std::abs(value);
  if (size >= 10000 && size < 1e15) return with_separators(value);
  if (value == std::floor(value) && size < 1e15) return format("{:.0f}", value);
  if (size >= 100) return format("{:.0f}", value);
  if (size >= 10) return format("{:.1f}", value);
  return format("{:.3g}", value);
}

std::string human_count(double value) {
  struct Scale {
    double factor;
    std::string_view suffix;
  };
  static constexpr Scale kScales[] = {{1e12, "T"}, {1e9, "B"}, {1e6, "M"}, {1e3, "k"}};
  static constexpr double kRoundsUp = 0.9995;  // of the next: 999.9k are 1M
  for (const Scale& scale : kScales)
    if (std::abs(value) >= scale.factor * kRoundsUp) return format("{:.3g}{}", value / scale.factor, scale.suffix);
  return human_number(value);
}

std::string human_duration(Seconds duration) {
  // A unit is left for the next when what would be printed reaches its end.
  const double s = duration.raw();
  if (const double ms = std::round(s * 1000); ms < 1000) return say("{:.0f} ms", ms);
  if (const double whole = std::round(s); whole < 90) return say("{:.0f} s", whole);
  if (const double min = std::round(std::max(90.0, s) / 60); min < 90) return say("{:.0f} min", min);
  const double h = std::max(5400.0, s) / 3600;
  if (std::round(h * 10) < 480) return say("{:.1f} h", h);
  const double d = h / 24;
  if (std::round(d * 10) < 10000) return say("{:.1f} d", d);
  return say("{:.1f} y", d / 365.25);
}

std::string human_price(double amount) {
  const double size = std::abs(amount);
  if (size >= 1000) return with_separators(amount);
  if (size >= 100) return format("{:.1f}", amount);
  if (size >= 0.995 || size == 0) return format("{:.2f}", amount);
  if (size >= 0.01) return format("{:.3f}", amount);
  return format("{:.2g}", amount);
}

}  // namespace gpusel
