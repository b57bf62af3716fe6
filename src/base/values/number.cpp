#include "base/values/number.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

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

/// `unit`: in which the range is.
Result<double> within(double value, std::string_view text, Range allowed, std::string_view unit = {}) {
  if (std::isfinite(value) && allowed.contains(value)) return value;
  const std::string range = range_text(allowed);
  return usage_error(say("{} is out of range", shorten(text, 32)), {},
                     say("allowed: {}", unit.empty() ? range : format("{} {}", range, unit)));
}

std::unexpected<Error> not_a_number(std::string_view text) {
  return usage_error(say("'{}' is not a number", shorten(text, 32)), {}, say("write it like 8, 0.5 or 3e9"));
}

enum class Kind : std::uint8_t {
  bytes,
  bytes_per_second,
  bits_per_second,
  operations,
  operations_per_second,
  watt,
  length,
  time,
  rate
};

struct Unit {
  std::string_view name;  // in lower case
  Kind kind;
  double scale;
};

constexpr Unit kUnits[] = {
    {"b", Kind::bytes, 1},
    {"kb", Kind::bytes, 1e3},
    {"mb", Kind::bytes, 1e6},
    {"gb", Kind::bytes, 1e9},
    {"tb", Kind::bytes, 1e12},
    {"kib", Kind::bytes, 1024.0},
    {"mib", Kind::bytes, 1024.0 * 1024},
    {"gib", Kind::bytes, 1024.0 * 1024 * 1024},
    {"tib", Kind::bytes, 1024.0 * 1024 * 1024 * 1024},
    {"mb/s", Kind::bytes_per_second, 1e6},
    {"gb/s", Kind::bytes_per_second, 1e9},
    {"tb/s", Kind::bytes_per_second, 1e12},
    {"gib/s", Kind::bytes_per_second, 1024.0 * 1024 * 1024},
    {"tib/s", Kind::bytes_per_second, 1024.0 * 1024 * 1024 * 1024},
    {"mbit/s", Kind::bits_per_second, 1e6},
    {"mbps", Kind::bits_per_second, 1e6},
    {"gbit/s", Kind::bits_per_second, 1e9},
    {"gbps", Kind::bits_per_second, 1e9},
    {"gbit", Kind::bits_per_second, 1e9},
    {"tbit/s", Kind::bits_per_second, 1e12},
    {"tbps", Kind::bits_per_second, 1e12},
    {"gflop", Kind::operations, 1e9},
    {"tflop", Kind::operations, 1e12},
    {"gflops", Kind::operations_per_second, 1e9},
    {"tflops", Kind::operations_per_second, 1e12},
    {"tops", Kind::operations_per_second, 1e12},
    {"pflops", Kind::operations_per_second, 1e15},
    {"pops", Kind::operations_per_second, 1e15},
    {"w", Kind::watt, 1},
    {"kw", Kind::watt, 1e3},
    {"nm", Kind::length, 1},
    {"us", Kind::time, 1e-6},
    {"µs", Kind::time, 1e-6},
    {"ms", Kind::time, 1e-3},
    {"毫秒", Kind::time, 1e-3},
    {"s", Kind::time, 1},
    {"sec", Kind::time, 1},
    {"secs", Kind::time, 1},
    {"second", Kind::time, 1},
    {"seconds", Kind::time, 1},
    {"秒", Kind::time, 1},
    {"m", Kind::time, 60},
    {"min", Kind::time, 60},
    {"mins", Kind::time, 60},
    {"minute", Kind::time, 60},
    {"minutes", Kind::time, 60},
    {"分钟", Kind::time, 60},
    {"h", Kind::time, 3600},
    {"hr", Kind::time, 3600},
    {"hrs", Kind::time, 3600},
    {"hour", Kind::time, 3600},
    {"hours", Kind::time, 3600},
    {"小时", Kind::time, 3600},
    {"d", Kind::time, 86400},
    {"day", Kind::time, 86400},
    {"days", Kind::time, 86400},
    {"天", Kind::time, 86400},
    {"w", Kind::time, 7 * 86400},
    {"week", Kind::time, 7 * 86400},
    {"weeks", Kind::time, 7 * 86400},
    {"周", Kind::time, 7 * 86400},
    {"month", Kind::time, kHoursPerMonth * 3600},
    {"months", Kind::time, kHoursPerMonth * 3600},
    {"个月", Kind::time, kHoursPerMonth * 3600},
    {"year", Kind::time, 12 * kHoursPerMonth * 3600},
    {"years", Kind::time, 12 * kHoursPerMonth * 3600},
    {"年", Kind::time, 12 * kHoursPerMonth * 3600},
    {"/s", Kind::rate, 1},
    {"/sec", Kind::rate, 1},
    {"/second", Kind::rate, 1},
    {"rps", Kind::rate, 1},
    {"qps", Kind::rate, 1},
    {"fps", Kind::rate, 1},
    {"hz", Kind::rate, 1},
    {"/秒", Kind::rate, 1},
    {"/min", Kind::rate, 1.0 / 60},
    {"/minute", Kind::rate, 1.0 / 60},
    {"rpm", Kind::rate, 1.0 / 60},
    {"/分钟", Kind::rate, 1.0 / 60},
    {"/h", Kind::rate, 1.0 / 3600},
    {"/hour", Kind::rate, 1.0 / 3600},
    {"/小时", Kind::rate, 1.0 / 3600},
    {"/d", Kind::rate, 1.0 / 86400},
    {"/day", Kind::rate, 1.0 / 86400},
    {"/天", Kind::rate, 1.0 / 86400},
    {"/month", Kind::rate, 1.0 / (kHoursPerMonth * 3600)},
    {"/月", Kind::rate, 1.0 / (kHoursPerMonth * 3600)},
};

/// By its name; where two kinds share one ("m"), of `kind`.
const Unit* find_unit(std::string_view name, std::optional<Kind> kind = std::nullopt) {
  const std::string folded = lower(name);
  for (const Unit& unit : kUnits)
    if (unit.name == folded && (!kind || unit.kind == *kind)) return &unit;
  return nullptr;
}

/// What may be said to come at a rate, in front of the slash: "10 req/s", "60 frames/s".
constexpr std::string_view kComing[] = {"req",     "reqs", "request", "requests", "query",
                                        "queries", "请求", "次",      "frames"};

/// A thing that is counted, as it may stand behind its number.
constexpr std::string_view kCounted[] = {"token",  "tokens",  "tok",      "image",  "images",  "frame",   "frames",
                                         "sample", "samples", "step",     "steps",  "epoch",   "epochs",  "user",
                                         "users",  "request", "requests", "stream", "streams", "session", "sessions",
                                         "个",     "张",      "路",       "帧",     "轮",      "步"};

/// A multiplier behind a number; 0: it is none.
double multiplier(std::string_view suffix, double kilo) {
  if (suffix == "k" || suffix == "K") return kilo;
  if (suffix == "m" || suffix == "M") return kilo * kilo;
  if (suffix == "g" || suffix == "G" || suffix == "b" || suffix == "B") return kilo * kilo * kilo;
  if (suffix == "t" || suffix == "T") return kilo * kilo * kilo * kilo;
  if (suffix == "千") return 1e3;
  if (suffix == "万") return 1e4;
  if (suffix == "百万") return 1e6;
  if (suffix == "亿") return 1e8;
  if (suffix == "万亿") return 1e12;
  return 0;
}

/// The unit of a rate, and what its number is in thousands or millions: "M req/day".
std::optional<double> rate_scale(std::string_view unit) {
  if (const Unit* plain = find_unit(unit, Kind::rate)) return plain->scale;
  const auto slash = unit.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const Unit* per = find_unit(unit.substr(slash), Kind::rate);
  if (per == nullptr) return std::nullopt;
  double factor = 1;
  for (const std::string_view word : split(unit.substr(0, slash), ' ')) {
    if (word.empty() || std::ranges::find(kComing, lower(word)) != std::end(kComing)) continue;
    const double by = multiplier(word, 1000);
    if (by == 0 || factor != 1) return std::nullopt;
    factor = by;
  }
  return factor * per->scale;
}

std::unexpected<Error> unlike(std::string_view text, std::string_view unit) {
  if (unit.empty() || unit == "billions" || unit == "tokens")
    return usage_error(say("'{}' is not a number", shorten(text, 32)));
  return usage_error(say("'{}' is not an amount in {}", shorten(text, 32), unit));
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
  if (!split) return not_a_number(text);
  const double factor = multiplier(split->second, kilo);
  if (factor == 0) return not_a_number(text);
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
  const Unit* unit = find_unit(split->second, Kind::time);
  return unit == nullptr ? Result<Seconds>(wrong()) : seconds(split->first * unit->scale);
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

double to_digits(double value, int digits) {
  if (!(value > 0) || !std::isfinite(value)) return value;
  const double unit = std::pow(10, std::floor(std::log10(value)) - (digits - 1));
  return std::round(value / unit) * unit;
}

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
  // A digit is left for the next when what would be printed reaches its end.
  const double size = std::abs(amount);
  if (size >= 999.995) return with_separators(amount);
  if (size >= 0.0995 || size == 0) return format("{:.2f}", amount);
  if (size >= 0.01) return format("{:.3f}", amount);
  return format("{:.2g}", amount);
}

Result<double> parse_share(std::string_view given) {
  const std::string_view text = trim(given);
  const bool percent = text.ends_with('%');
  const auto value = plain_number(percent ? trim(text.substr(0, text.size() - 1)) : text);
  const double share = value ? *value / (percent ? 100 : 1) : -1;
  if (share < 0 || share > 1)
    return usage_error(say("'{}' is not a share", shorten(text, 32)), {}, say("write it like 0.32 or 32%"));
  return share;
}

Result<double> parse_measure(std::string_view given, std::string_view unit) {
  const std::string_view text = trim(given);
  if (const auto number = plain_number(text)) return *number;
  if (const Unit* kept = find_unit(unit)) {
    // The longest start that is a number; "1e3W" is one, and so is the 1 of "1 TB".
    const auto end = text.find_last_of("0123456789.") + 1;
    const auto number = plain_number(trim(text.substr(0, end)));
    const std::string_view typed = trim(text.substr(end));
    const Unit* own = number ? find_unit(typed, kept->kind) : nullptr;
    const auto scale = own != nullptr                       ? std::optional(own->scale)
                       : number && kept->kind == Kind::rate ? rate_scale(typed)
                                                            : std::nullopt;
    if (!scale) return unlike(text, unit);
    const double measure = *number * *scale / kept->scale;
    return std::isfinite(measure) ? Result<double>(measure) : unlike(text, unit);
  }
  constexpr double kMost = std::numeric_limits<double>::max();
  const auto count = parse_count(text, {-kMost, kMost}, unit == "tokens" ? 1024 : 1000);
  if (!count) return unlike(text, unit);
  return unit == "billions" ? *count / 1e9 : *count;
}

Result<double> parse_quantity(std::string_view given, Range allowed, double kilo, std::string_view unit) {
  const std::string_view text = trim(given);
  if (unit.empty()) {
    const auto end = text.find_last_of("0123456789.");
    if (end == std::string_view::npos) return parse_count(text, allowed, kilo);
    // "1.5M tokens", or without a space between: "300tokens".
    const auto begin =
        std::min(text.find(' ', end) == std::string_view::npos ? end + 1 : text.find(' ', end), text.size());
    const bool is_counted = std::ranges::find(kCounted, lower(trim(text.substr(begin)))) != std::end(kCounted);
    return parse_count(is_counted ? text.substr(0, begin) : text, allowed, kilo);
  }
  if (unit == "share") {
    if (!text.ends_with('%')) return parse_count(text, allowed, kilo);
    const auto share = parse_share(text);
    return share ? within(*share, text, allowed) : share;
  }
  if (unit == "%")
    return parse_count(text.ends_with('%') ? trim(text.substr(0, text.size() - 1)) : text, allowed, kilo);
  if (const auto number = plain_number(text)) return within(*number, text, allowed, unit);
  if (const auto measure = parse_measure(text, unit)) return within(*measure, text, allowed, unit);
  // "4k" of whatever it is; a unit of another dimension is refused with what would be right.
  if (const auto count = parse_count(text, allowed, kilo)) return count;
  struct Example {
    Kind kind;
    std::string_view written;
  };
  static constexpr Example kExamples[] = {{Kind::bytes, "80GB, 64GiB"},
                                          {Kind::bytes_per_second, "900GB/s"},
                                          {Kind::bits_per_second, "100Gbps"},
                                          {Kind::time, "500ms, 0.5s, 12h"},
                                          {Kind::rate, "10, 10/s, 600/min"}};
  const Unit* kept = find_unit(unit);
  for (const Example& example : kExamples)
    if (kept != nullptr && example.kind == kept->kind)
      return usage_error(say("'{}' is not an amount in {}", shorten(text, 32), unit), {},
                         say("write it like {}", example.written));
  return unlike(text, unit);
}

}  // namespace gpusel
