#include "support/arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>

#include "base/values/number.hpp"

namespace gpusel::test {

namespace {

struct Scale {
  std::string_view unit;
  double factor;
};
constexpr Scale kScales[] = {
    {"B", 1},        {"KiB", 1024},   {"MiB", 1048576}, {"GiB", 1073741824}, {"kB", 1e3},    {"MB", 1e6},
    {"GB", 1e9},     {"TB", 1e12},    {"MB/s", 1e6},    {"GB/s", 1e9},       {"MFLOP", 1e6}, {"GFLOP", 1e9},
    {"TFLOP", 1e12}, {"GFLOPS", 1e9}, {"TFLOPS", 1e12}, {"ns", 1e-9},        {"µs", 1e-6},   {"ms", 1e-3},
    {"s", 1},        {"%", 0.01},     {"Hz", 1}};

/// Sums, products, powers, max, min, logarithms and normal shares of numbers with units: nothing where a text is
/// anything else.
class Sum {
 public:
  explicit Sum(std::string_view text) : rest_(text) {}

  std::optional<Printed> value() {
    const Printed out = sum();
    skip();
    if (!rest_.empty() || failed_ || count_ == 0) return std::nullopt;
    return out;
  }
  /// Whether its numbers had units that it was brought to the base of.
  bool scaled() const { return scaled_; }

 private:
  void skip() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
  }
  bool take(std::string_view sign) {
    skip();
    if (!rest_.starts_with(sign)) return false;
    rest_.remove_prefix(sign.size());
    return true;
  }
  static Printed of(std::initializer_list<double> ends) { return {std::min(ends), std::max(ends)}; }

  Printed sum() {
    Printed out = product();
    while (!failed_) {
      if (take("+")) {
        const Printed more = product();
        out = {out.low + more.low, out.high + more.high};
      } else if (take("−")) {
        const Printed less = product();
        out = {out.low - less.high, out.high - less.low};
      } else {
        return out;
      }
    }
    return out;
  }
  Printed product() {
    Printed out = power();
    while (!failed_) {
      const bool times = take("×");
      if (!times && !take("÷") && !take("/")) return out;
      const Printed by = power();
      out = times ? of({out.low * by.low, out.low * by.high, out.high * by.low, out.high * by.high})
                  : of({out.low / by.low, out.low / by.high, out.high / by.low, out.high / by.high});
    }
    return out;
  }
  Printed power() {
    const Printed base = factor();
    if (!take("^")) return base;
    const Printed to = factor();
    return of({std::pow(base.low, to.low), std::pow(base.high, to.high)});
  }
  Printed factor() {
    if (take("max(")) return most(true);
    if (take("min(")) return most(false);
    if (take("Φ(")) return applied(")", [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; });
    if (take("ln(")) return applied(")", [](double x) { return std::log(x); });
    if (take("⌊")) return applied("⌋", [](double x) { return std::floor(x); });
    if (take("⌈")) return applied("⌉", [](double x) { return std::ceil(x); });
    if (!take("(")) return number();
    const Printed out = sum();
    if (!take(")")) failed_ = true;
    return out;
  }
  Printed most(bool largest) {
    Printed out = sum();
    while (take(",")) {
      const Printed other = sum();
      out = largest ? Printed{std::max(out.low, other.low), std::max(out.high, other.high)}
                    : Printed{std::min(out.low, other.low), std::min(out.high, other.high)};
    }
    if (!take(")")) failed_ = true;
    return out;
  }

  template <class Function>
  Printed applied(std::string_view close, Function function) {
    const Printed of = sum();
    if (!take(close)) failed_ = true;
    return {function(of.low), function(of.high)};
  }

  Printed number() {
    skip();
    const bool negative = rest_.starts_with('-');
    if (negative) rest_.remove_prefix(1);
    std::size_t end = 0;
    while (end < rest_.size() && (std::isdigit(static_cast<unsigned char>(rest_[end])) || rest_[end] == '.')) ++end;
    std::size_t mantissa = end;
    if (end > 0 && end + 1 < rest_.size() && rest_[end] == 'e')
      for (end += 2; end < rest_.size() && std::isdigit(static_cast<unsigned char>(rest_[end]));) ++end;  // "e9", "e-6"
    const std::string digits(rest_.substr(0, end));
    const auto value = plain_number(digits);
    if (end == 0 || !value) {
      failed_ = true;
      return {};
    }
    const std::size_t point = digits.substr(0, mantissa).find('.');
    rest_.remove_prefix(end);
    const double scale = unit();
    double half = 0;  // of the last digit; whole numbers without a unit are counts
    if (point != std::string::npos || measured_) {
      half = 0.5 * std::pow(10, -static_cast<double>(point == std::string::npos ? 0 : mantissa - point - 1));
      if (mantissa < end) half *= *value / *plain_number(digits.substr(0, mantissa));
      half = std::min(half, kMostRounded * std::abs(*value) + (*value == 0 ? half : 0));
    }
    ++count_;
    const double sign = negative ? -1 : 1;
    return of({sign * (*value - half) * scale, sign * (*value + half) * scale});
  }
  /// Behind a number: its factor, where it is one that arithmetic depends on; other words of measure count as 1.
  double unit() {
    measured_ = false;
    std::string_view after = rest_;
    if (!after.starts_with(' ')) return 1;
    after.remove_prefix(1);
    const std::size_t end = std::min({after.find_first_of(" ,)"), after.find("⌋"), after.find("⌉"), after.size()});
    const std::string_view word = after.substr(0, end);
    const auto* scale = std::ranges::find(kScales, word, &Scale::unit);
    const bool other = word == "requests/s" || word == "h" || word.starts_with("USD");
    if (scale == std::end(kScales) && !other) return 1;
    rest_ = after.substr(end);
    if (other) return 1;
    scaled_ = measured_ = true;
    return scale->factor;
  }

  static constexpr double kMostRounded = 0.02;  // points of a score have two digits
  std::string_view rest_;
  int count_ = 0;
  bool failed_ = false;
  bool scaled_ = false;
  bool measured_ = false;  // the last number has a unit of kScales
};

/// Half of the last digit of a result as it is printed.
double half_digit(std::string_view text) {
  const std::string_view digits = text.substr(0, text.find_first_not_of("-0123456789."));
  const std::size_t point = digits.find('.');
  return 0.5 * std::pow(10, point == std::string_view::npos ? 0 : -static_cast<double>(digits.size() - point - 1));
}

double scale_of(std::string_view unit) {
  const auto* scale = std::ranges::find(kScales, unit, &Scale::unit);
  return scale == std::end(kScales) ? 1 : scale->factor;
}

}  // namespace

std::optional<Printed> evaluated(const physics::TraceLine& line) {
  Sum sum(line.substituted);
  const auto value = sum.value();
  if (!value) return std::nullopt;
  const double scale = sum.scaled() || line.value.unit == "%" ? scale_of(line.value.unit) : 1;
  return Printed{value->low / scale, value->high / scale};
}

std::optional<bool> adds_up(const physics::TraceLine& line) {
  const auto value = evaluated(line);
  if (!value || !line.value.number) return std::nullopt;
  const double result = *line.value.number;
  // A result that is itself printed shorter.
  const double slack = 1e-3 * std::abs(result) + half_digit(line.value.text);
  return value->low - slack <= result && result <= value->high + slack;
}

}  // namespace gpusel::test
