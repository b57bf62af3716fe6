#include "physics/trace.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "physics/record.hpp"

namespace gpusel::physics {

namespace {

/// What base units are divided and multiplied by: one of the two is 1, so that nothing is rounded twice.
struct Unit {
  std::string_view name;
  double divide = 1;
  double multiply = 1;
};
constexpr Unit kUnits[] = {{"GiB", kGiB},  {"MiB", kGiB / 1024}, {"KiB", 1024},  {"B"},          {"TB", 1e12},
                           {"GB", 1e9},    {"MB", 1e6},          {"kB", 1e3},    {"h", 3600},    {"min", 60},
                           {"s"},          {"ms", 1, 1e3},       {"µs", 1, 1e6}, {"ns", 1, 1e9}, {"GB/s", 1e9},
                           {"MB/s", 1e6},  {"TFLOP", 1e12},      {"GFLOP", 1e9}, {"MFLOP", 1e6}, {"TFLOPS", 1e12},
                           {"GFLOPS", 1e9}};
using Units = std::span<const std::string_view>;
constexpr std::string_view kBytes[] = {"GiB", "MiB", "KiB", "B"}, kDecimalBytes[] = {"TB", "GB", "MB", "kB"};
constexpr std::string_view kTimes[] = {"h", "min", "s", "ms", "µs", "ns"};
constexpr std::string_view kByteRates[] = {"GB/s", "MB/s"}, kWork[] = {"TFLOP", "GFLOP", "MFLOP"};
constexpr std::string_view kWorkRates[] = {"TFLOPS", "GFLOPS"};

bool is_among(std::string_view unit, Units units) { return std::ranges::find(units, unit) != units.end(); }

/// Beyond a million in thousands of thousands: "17.11e9", and "8e-6" without its noughts.
std::string short_number(double number, bool quantity) {
  double shown = number;
  int power = 0;
  const auto long_one = [&] { return std::abs(shown) >= (power > 0 ? 1e3 : 1e6) && std::isfinite(shown); };
  for (; long_one(); power += 3) shown /= 1e3;
  std::string text = quantity ? format("{:.5g}", shown) : format("{:.6g}", shown);
  if (power != 0) return format("{}e{}", text, power);
  if (const auto e = text.find("e-0"); e != std::string::npos) text.erase(e + 2, 1);
  return text;
}

/// In the first of those units of which there is one, or the last.
std::string sized(double base, Units units) {
  const auto fits = [&](std::string_view unit) { return base == 0 || std::abs(base_in_unit(base, unit)) >= 1; };
  const auto found = std::ranges::find_if(units, fits);
  const std::string_view unit = found == units.end() ? units.back() : *found;
  return short_number(base_in_unit(base, unit), true) + " " + std::string(unit);
}

std::string in_brackets(const std::string& text, bool needed) { return needed ? "(" + text + ")" : text; }

}  // namespace

Figure Figure::words(std::string text) {
  Figure out;
  out.text = std::move(text);
  return out;
}

Figure shown(Digits digits, double number, std::string_view unit) {
  std::string text = gpusel::format(digits, number);
  if (!unit.empty()) text += " " + say_name(unit);
  return {number, std::string(unit), std::move(text)};
}

Written joined(const Written& left, std::string_view sign, const Written& right) {
  using Binds = Written::Binds;
  const Binds binds = sign == "+" || sign == "−" ? Binds::sum : sign == "^" ? Binds::power : Binds::product;
  if (left.names.empty() || right.names.empty()) {
    const Written& other = left.names.empty() ? right : left;
    return binds == Binds::sum ? other : Written{};
  }
  const bool whole = sign == "^" || sign == "÷" || sign == "−";  // what stands behind it is one thing
  const bool first = left.binds < binds || (sign == "^" && left.binds == binds);
  const bool second = right.binds < binds || (whole && right.binds == binds);
  const auto both = [&](const std::string& a, const std::string& b) {
    return in_brackets(a, first) + " " + std::string(sign) + " " + in_brackets(b, second);
  };
  return {both(left.names, right.names), both(left.values, right.values), binds};
}

Written called(std::string_view name, std::initializer_list<Written> of) {
  Written inside;
  for (const Written& one : of) {
    if (one.names.empty()) continue;
    inside.names += (inside.names.empty() ? "" : ", ") + one.names;
    inside.values += (inside.values.empty() ? "" : ", ") + one.values;
  }
  return enclosed(std::string(name) + "(", std::move(inside), ")");
}

Written enclosed(std::string_view open, Written of, std::string_view close) {
  for (std::string* text : {&of.names, &of.values}) *text = std::string(open) + *text + std::string(close);
  of.binds = Written::Binds::alone;
  return of;
}

Written written(double literal) {
  const std::string text = short_number(literal, false);
  return {text, text};
}

double base_in_unit(double base, std::string_view unit) {
  const auto* found = std::ranges::find(kUnits, unit, &Unit::name);
  return found == std::end(kUnits) ? base : base / found->divide * found->multiply;
}

std::string in_words(double number, std::string_view unit) {
  const std::string text = short_number(in_unit(number, unit), false);
  return unit.empty() ? text : text + " " + say_name(unit);
}
std::string in_words(Bytes amount, std::string_view result) {
  return sized(amount.raw(), is_among(result, kDecimalBytes) ? kDecimalBytes : kBytes);
}
/// Times that are added up are in one unit.
std::string in_words(Seconds time, std::string_view result) {
  const std::string_view unit = is_among(result, kTimes) ? result : "ms";
  return sized(time.raw(), {&unit, 1});
}
std::string in_words(BytesPerSecond rate, std::string_view) { return sized(rate.raw(), kByteRates); }
std::string in_words(Flop work, std::string_view) { return sized(work.raw(), kWork); }
std::string in_words(FlopPerSecond rate, std::string_view) { return sized(rate.raw(), kWorkRates); }

void enter(Trace& trace, const Recorded& entry, Written how, double number) {
  const std::string inside = std::string(entry.quantity) + ".";
  const auto part = [&](const TraceLine& line) { return line.quantity.starts_with(inside); };
  trace.insert(std::ranges::find_if(trace, part),
               {std::string(entry.quantity), std::move(how.names), std::move(how.values),
                shown(entry.digits, number, entry.unit), say_text(entry.source)});
}

void note(Trace& trace, const Recorded& entry, double number, std::string formula, std::string substituted) {
  enter(trace, entry, {std::move(formula), std::move(substituted)}, number);
}

}  // namespace gpusel::physics
