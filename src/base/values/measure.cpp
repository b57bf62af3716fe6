#include "base/values/measure.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel {

namespace {

enum class Kind : std::uint8_t {
  bytes,
  bytes_per_second,
  bits_per_second,
  operations,
  operations_per_second,
  watt,
  length,
  time
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
    {"s", Kind::time, 1},
    {"min", Kind::time, 60},
    {"h", Kind::time, 3600},
};

const Unit* find_unit(std::string_view name) {
  const std::string folded = lower(name);
  for (const Unit& unit : kUnits)
    if (unit.name == folded) return &unit;
  return nullptr;
}

std::unexpected<Error> unlike(std::string_view text, std::string_view unit) {
  if (unit.empty() || unit == "billions" || unit == "tokens")
    return usage_error(say("'{}' is not a number", shorten(text, 32)));
  return usage_error(say("'{}' is not an amount in {}", shorten(text, 32), unit));
}

}  // namespace

Result<double> parse_measure(std::string_view given, std::string_view unit) {
  const std::string_view text = trim(given);
  if (const auto number = plain_number(text)) return *number;
  if (const Unit* kept = find_unit(unit)) {
    // The longest start that is a number; "1e3W" is one, and so is the 1 of "1 TB".
    const auto end = text.find_last_of("0123456789.") + 1;
    const auto number = plain_number(trim(text.substr(0, end)));
    const Unit* own = number ? find_unit(trim(text.substr(end))) : nullptr;
    if (own == nullptr || own->kind != kept->kind) return unlike(text, unit);
    const double measure = *number * own->scale / kept->scale;
    return std::isfinite(measure) ? Result<double>(measure) : unlike(text, unit);
  }
  constexpr double kMost = std::numeric_limits<double>::max();
  const auto count = parse_count(text, {-kMost, kMost}, unit == "tokens" ? 1024 : 1000);
  if (!count) return unlike(text, unit);
  return unit == "billions" ? *count / 1e9 : *count;
}

}  // namespace gpusel
