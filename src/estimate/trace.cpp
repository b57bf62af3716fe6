#include "gpusel/estimate/trace.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "gpusel/estimate/record.hpp"

namespace gpusel::estimate {

namespace {

struct Scale {
  std::string_view unit;
  double base;
};
constexpr std::array kBytes{Scale{"GiB", kGiB}, Scale{"MiB", kGiB / 1024}, Scale{"KiB", 1024}, Scale{"B", 1}};
constexpr std::array kDecimalBytes{Scale{"TB", 1e12}, Scale{"GB", 1e9}, Scale{"MB", 1e6}, Scale{"kB", 1e3}};
constexpr std::array kSeconds{Scale{"h", 3600}, Scale{"min", 60}, Scale{"s", 1}};
constexpr std::array kPartsOfSecond{Scale{"ms", 1e3}, Scale{"µs", 1e6}, Scale{"ns", 1e9}};  // in a second
constexpr std::array kByteRates{Scale{"GB/s", 1e9}, Scale{"MB/s", 1e6}};
constexpr std::array kWork{Scale{"TFLOP", 1e12}, Scale{"GFLOP", 1e9}, Scale{"MFLOP", 1e6}};
constexpr std::array kWorkRates{Scale{"TFLOPS", 1e12}, Scale{"GFLOPS", 1e9}};

const Scale* scale_in(std::span<const Scale> scales, std::string_view unit) {
  const auto found = std::ranges::find(scales, unit, &Scale::unit);
  return found == scales.end() ? nullptr : &*found;
}

double scaled(double number, std::string_view unit, std::span<const Scale> scales) {
  const Scale* scale = scale_in(scales, unit);
  return scale == nullptr ? number : number / scale->base;
}

/// Beyond a million in thousands of thousands: "17.11e9", and "8e-6" without its noughts.
std::string short_number(double number, bool quantity) {
  double shown = number;
  int power = 0;
  const auto long_one = [&] { return std::abs(shown) >= (power > 0 ? 1e3 : 1e6) && std::isfinite(shown); };
  for (; long_one(); power += 3) shown /= 1e3;
  std::string text = quantity ? format("{:.5g}", shown) : format("{:.6g}", shown);
  if (power > 0) return format("{}e{}", text, power);
  if (const auto e = text.find("e-0"); e != std::string::npos) text.erase(e + 2, 1);
  return text;
}

/// In the largest unit of which there is one, or the smallest.
std::string sized(double number, std::span<const Scale> scales) {
  const auto fits = [&](const Scale& scale) { return number == 0 || std::abs(number) >= scale.base; };
  const auto found = std::ranges::find_if(scales, fits);
  const Scale& scale = found == scales.end() ? scales.back() : *found;
  return short_number(number / scale.base, true) + " " + std::string(scale.unit);
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
  if (!unit.empty()) text += " " + say_name(std::string(unit));
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

double in_unit(double number, std::string_view unit) { return unit == "%" ? 100 * number : number; }
double in_unit(Bytes amount, std::string_view unit) {
  return scaled(scaled(amount.raw(), unit, kBytes), unit, kDecimalBytes);
}
double in_unit(Seconds time, std::string_view unit) {
  const Scale* part = scale_in(kPartsOfSecond, unit);
  return part != nullptr ? time.raw() * part->base : scaled(time.raw(), unit, kSeconds);
}
double in_unit(BytesPerSecond rate, std::string_view unit) { return scaled(rate.raw(), unit, kByteRates); }
double in_unit(Flop work, std::string_view unit) { return scaled(work.raw(), unit, kWork); }
double in_unit(FlopPerSecond rate, std::string_view unit) { return scaled(rate.raw(), unit, kWorkRates); }

std::string in_words(double number, std::string_view unit) {
  const std::string text = short_number(in_unit(number, unit), false);
  return unit.empty() ? text : text + " " + say_name(std::string(unit));
}
std::string in_words(Bytes amount, std::string_view result) {
  return scale_in(kDecimalBytes, result) != nullptr ? sized(amount.raw(), kDecimalBytes) : sized(amount.raw(), kBytes);
}
/// Times that are added up are in one unit.
std::string in_words(Seconds time, std::string_view result) {
  const bool own = scale_in(kSeconds, result) != nullptr || scale_in(kPartsOfSecond, result) != nullptr;
  const std::string_view unit = own ? result : "ms";
  return short_number(in_unit(time, unit), true) + " " + std::string(unit);
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

}  // namespace gpusel::estimate
