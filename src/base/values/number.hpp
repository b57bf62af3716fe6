// Numbers as people and files write them. All reading goes through std::from_chars: no locale,
// no octal, no trailing rubbish, never NaN or infinity.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/values/error.hpp"
#include "base/values/units.hpp"

namespace gpusel {

/// Nearer to nothing than this only nothing itself is a figure: a share of it would be beyond all numbers.
inline constexpr double kLeastFigure = 1e-30;

/// Closed interval of what is allowed.
struct Range {
  double low = -std::numeric_limits<double>::max();
  double high = std::numeric_limits<double>::max();
  constexpr bool contains(double value) const {
    return value >= low && value <= high && (value == 0 || value >= kLeastFigure || value <= -kLeastFigure);
  }
};

/// "1", "0.5", "3e9"; nothing for anything else ("010", "1,5", "nan", "1x").
std::optional<double> plain_number(std::string_view text);

/// A number with an optional k, M, G/B or T behind it. `kilo` is 1000, or 1024 for lengths in tokens.
Result<double> parse_count(std::string_view given, Range allowed, double kilo = 1000);

/// A share of a whole: "1/6", "0.5", "8".
Result<double> parse_fraction(std::string_view given, Range allowed);

/// An amount of memory with its unit: "80GB" and "80 GiB" differ. Without a unit: `unit_if_none`.
struct MemorySize {
  double value = 0;
  bool binary = false;  // GiB (or MiB, TiB), not GB
  Bytes amount() const { return binary ? gib(value) : gb(value); }
};
Result<MemorySize> parse_memory(std::string_view given, bool binary_if_no_unit);

/// "250ms", "90s", "30 min", "12h", "2 days", "2w", "3小时"; a bare number is in `unit_if_none`.
Result<Seconds> parse_duration(std::string_view given, Seconds unit_if_none);

/// "4", "4+", "4..8", "..8": what may be asked of a count or a size.
struct Bounds {
  std::optional<double> low;
  std::optional<double> high;
};
/// Splits "4+", "a..b" and "n" into the texts of the two ends; "n" gives both ends n.
struct BoundTexts {
  std::string_view low;
  std::string_view high;
};
BoundTexts split_bounds(std::string_view given);

/// Rounded to so many significant digits: what differs behind them is equal.
double to_digits(double value, int digits);

/// For people: 3 significant digits at most, with thousands separators from 10,000 on.
std::string human_number(double value);
/// 1.5k, 20M, 7.0B.
std::string human_count(double value);
/// "45 s", "12 min", "3.4 h", "2.1 d".
std::string human_duration(Seconds duration);
/// 0.35, 21.96, 1,234: two decimals from ten cents on, none from 1000 on.
std::string human_price(double amount);

// A part of a whole as people write it.

/// "0.32" or "32%"; errors: neither, or not from 0 to 1.
Result<double> parse_share(std::string_view text);

// Figures typed with a unit of their own: "3.35TB/s" where the figure is kept in GB/s.

/// `text` in `unit` ("GB", "GiB", "GB/s", "Gbit/s", "TFLOPS", "W", "ms", "h", "/s" …, "billions" or "tokens"; empty: a
/// plain count). Without a unit of its own it is in `unit` already; counts may carry k, M, B and T, and rates too.
/// Errors: no number, a unit of another kind.
Result<double> parse_measure(std::string_view text, std::string_view unit);

/// The same within `allowed`; `kilo` as of parse_count. What is counted may stand behind the number: "1.5M tokens".
Result<double> parse_quantity(std::string_view text, Range allowed, double kilo, std::string_view unit);

}  // namespace gpusel
