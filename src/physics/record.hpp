// Figures that write down how they are made while they are made: the code that computes a figure is its formula.
//
//   kv_cache = record(trace, {"memory.kv_cache", "{:.2f}", "GiB"}, [&](auto told) {
//     return told("requests of one replica", caches) * told("cache of one request", each);
//   });
//
// Without a trace told() hands on the bare number and nothing else happens. With one, the same code runs once on
// numbers that know their names, and leaves "requests of one replica × cache of one request", "32 × 512 MiB" and the
// result in the trace. Names are translated; po/messages.py finds them by told("…").
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <initializer_list>
#include <type_traits>

#include "base/values/normal.hpp"
#include "base/values/units.hpp"
#include "physics/trace.hpp"

namespace gpusel::physics {

/// A formula as far as it has been made: with the names of its numbers, and with their values.
struct Written {
  enum class Binds { sum, product, power, alone };
  std::string names;
  std::string values;
  Binds binds = Binds::alone;
};

/// What is nothing adds nothing, and makes a product nothing.
Written joined(const Written& left, std::string_view sign, const Written& right);
/// name(a, b, …)
Written called(std::string_view name, std::initializer_list<Written> of);
/// Between two signs, ⌊ and ⌋ for example.
Written enclosed(std::string_view open, Written of, std::string_view close);
/// A number that stands in the formula itself.
Written written(double literal);

/// A number that knows how it was made.
template <class Value>
struct Told {
  Value value{};
  Written how;
};
template <class Value>
Written written(const Told<Value>& number) {
  return number.how;
}

template <class T>
inline constexpr bool kIsTold = false;
template <class Value>
inline constexpr bool kIsTold<Told<Value>> = true;
template <class... T>
concept OneIsTold = (kIsTold<T> || ...);

template <class T>
constexpr const T& bare(const T& number) {
  return number;
}
template <class Value>
constexpr const Value& bare(const Told<Value>& number) {
  return number.value;
}

template <class A, class B>
  requires OneIsTold<A, B>
auto operator+(const A& a, const B& b) {
  return Told{bare(a) + bare(b), joined(written(a), "+", written(b))};
}
template <class A, class B>
  requires OneIsTold<A, B>
auto operator-(const A& a, const B& b) {
  return Told{bare(a) - bare(b), joined(written(a), "−", written(b))};
}
template <class A, class B>
  requires OneIsTold<A, B>
auto operator*(const A& a, const B& b) {
  return Told{bare(a) * bare(b), joined(written(a), "×", written(b))};
}
template <class A, class B>
  requires OneIsTold<A, B>
auto operator/(const A& a, const B& b) {
  return Told{bare(a) / bare(b), joined(written(a), "÷", written(b))};
}

/// The same of bare numbers and of told ones.
template <class... T>
auto greatest(const T&... of) {
  if constexpr (OneIsTold<T...>)
    return Told{std::max({bare(of)...}), called("max", {written(of)...})};
  else
    return std::max({of...});
}
template <class... T>
auto least(const T&... of) {
  if constexpr (OneIsTold<T...>)
    return Told{std::min({bare(of)...}), called("min", {written(of)...})};
  else
    return std::min({of...});
}
template <class A, class B>
auto power(const A& base, const B& exponent) {
  if constexpr (OneIsTold<A, B>)
    return Told{std::pow(bare(base), bare(exponent)), joined(written(base), "^", written(exponent))};
  else
    return std::pow(base, exponent);
}
template <class T>
auto logarithm(const T& number) {
  if constexpr (OneIsTold<T>)
    return Told{std::log(bare(number)), called("ln", {written(number)})};
  else
    return std::log(number);
}
/// Of a standard normal distribution, what lies below.
template <class T>
auto normal_below(const T& number) {
  const double share = normal_share(bare(number));
  if constexpr (OneIsTold<T>)
    return Told{share, called("Φ", {written(number)})};
  else
    return share;
}
template <class T>
auto rounded_down(const T& number) {
  if constexpr (OneIsTold<T>)
    return Told{std::floor(bare(number)), enclosed("⌊", written(number), "⌋")};
  else
    return std::floor(number);
}
/// How often a second, of what takes no time at all, too.
template <class Count, class Time>
auto per_second(const Count& count, const Time& time) {
  const double rate = bare(count) / std::max(bare(time).raw(), 1e-9);
  if constexpr (OneIsTold<Count, Time>)
    return Told{rate, joined(written(count), "÷", written(time))};
  else
    return rate;
}
/// A number of base units as the quantity that it is.
template <class Quantity, class T>
auto quantity(const T& number) {
  if constexpr (OneIsTold<T>)
    return Told{Quantity::raw(bare(number)), written(number)};
  else
    return Quantity::raw(number);
}

/// The same of microseconds, told with that unit.
template <class T>
auto as_microseconds(const T& number) {
  if constexpr (OneIsTold<T>)
    return Told{microseconds(bare(number)), written(number)};
  else
    return microseconds(number);
}

/// What bytes, seconds, FLOP and their rates are in that unit; of plain numbers "%" is a hundred times.
double base_in_unit(double base, std::string_view unit);
template <class Dimension>
double in_unit(Quantity<Dimension> amount, std::string_view unit) {
  return base_in_unit(amount.raw(), unit);
}
inline double in_unit(double number, std::string_view unit) { return unit == "%" ? 100 * number : number; }

/// A value inside a formula, with a unit of a size that suits it, or that of the result.
std::string in_words(double number, std::string_view unit);
std::string in_words(Bytes amount, std::string_view result);
std::string in_words(Seconds time, std::string_view result);
std::string in_words(BytesPerSecond rate, std::string_view result);
std::string in_words(Flop work, std::string_view result);
std::string in_words(FlopPerSecond rate, std::string_view result);

/// Hands numbers on as they are.
struct Untold {
  template <class Name, class Number>
  constexpr auto operator()(const Name&, Number number, std::string_view = {}) const {
    if constexpr (std::is_arithmetic_v<Number>)
      return static_cast<double>(number);
    else
      return number;
  }
  template <class Name, class Number>
  constexpr auto some(const Name& name, Number number, std::string_view = {}) const {
    return (*this)(name, number);
  }
  template <class Number>
  constexpr Number nothing(Number) const {
    return {};
  }
};

/// Gives numbers their names: a text, or a function that makes one where its making takes time.
class Telling {
 public:
  explicit Telling(std::string_view result) : result_(result) {}

  /// `unit` of a plain number: as it is said behind it.
  template <class Name, class Number>
  auto operator()(const Name& name, Number number, std::string_view unit = {}) const {
    const auto value = Untold{}(name, number);
    const bool plain = std::is_arithmetic_v<Number>;
    return Told{value, Written{name_of(name), in_words(value, plain ? unit : result_)}};
  }
  /// A part that is not spoken of where it is zero.
  template <class Name, class Number>
  auto some(const Name& name, Number number, std::string_view unit = {}) const {
    const auto value = Untold{}(name, number);
    return value == decltype(value){} ? Told{value, Written{}} : (*this)(name, number, unit);
  }
  /// Where a sum of such numbers begins.
  template <class Number>
  Told<Number> nothing(Number) const {
    return {};
  }

 private:
  template <class Name>
  static std::string name_of(const Name& name) {
    if constexpr (std::invocable<Name>)
      return name();
    else
      return say_text(name);
  }
  std::string_view result_;
};

/// What a figure is called, how it is shown, in what unit, and where its formula or a number in it is published.
struct Recorded {
  std::string_view quantity;
  Digits digits;
  std::string_view unit = {};
  std::string_view source = "docs/method.md";  // translated where to_say() has marked it
};

/// Into the trace, before what it is made of; `number`: in the unit of the entry.
void enter(Trace& trace, const Recorded& entry, Written how, double number);

template <class Made>
[[gnu::noinline, gnu::cold]] auto told_and_entered(Trace& trace, const Recorded& entry, const Made& made) {
  auto told = made(Telling(entry.unit));
  enter(trace, entry, std::move(told.how), in_unit(told.value, entry.unit));
  return told.value;
}

/// The figure that `made` computes with told numbers.
template <class Made>
auto record(Trace* trace, const Recorded& entry, const Made& made) {
  return trace != nullptr ? told_and_entered(*trace, entry, made) : made(Untold{});
}
/// The same, of a formula in base units of that quantity.
template <class Result, class Made>
Result record(Trace* trace, const Recorded& entry, const Made& made) {
  return record(trace, entry, [&](auto told) { return quantity<Result>(made(told)); });
}

/// A figure that words explain: a published one, a coefficient, a choice. In the unit of the entry.
void note(Trace& trace, const Recorded& entry, double number, std::string formula, std::string substituted = {});

}  // namespace gpusel::physics
