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

#include "gpusel/base/units.hpp"
#include "gpusel/estimate/trace.hpp"

namespace gpusel::estimate {

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

template <class Value>
Told<Value> told_as(Value value, Written how) {
  return {value, std::move(how)};
}

template <class A, class B>
requires OneIsTold<A, B>
auto operator+(const A& a, const B& b) { return told_as(bare(a) + bare(b), joined(written(a), "+", written(b))); }
template <class A, class B>
requires OneIsTold<A, B>
auto operator-(const A& a, const B& b) { return told_as(bare(a) - bare(b), joined(written(a), "−", written(b))); }
template <class A, class B>
requires OneIsTold<A, B>
auto operator*(const A& a, const B& b) { return told_as(bare(a) * bare(b), joined(written(a), "×", written(b))); }
template <class A, class B>
requires OneIsTold<A, B>
auto operator/(const A& a, const B& b) { return told_as(bare(a) / bare(b), joined(written(a), "÷", written(b))); }

/// The same of bare numbers and of told ones.
template <class... T>
auto greatest(const T&... of) {
  if constexpr (OneIsTold<T...>)
    return told_as(std::max({bare(of)...}), called("max", {written(of)...}));
  else
    return std::max({of...});
}
template <class... T>
auto least(const T&... of) {
  if constexpr (OneIsTold<T...>)
    return told_as(std::min({bare(of)...}), called("min", {written(of)...}));
  else
    return std::min({of...});
}
template <class A, class B>
auto power(const A& base, const B& exponent) {
  if constexpr (OneIsTold<A, B>)
    return told_as(std::pow(bare(base), bare(exponent)), joined(written(base), "^", written(exponent)));
  else
    return std::pow(base, exponent);
}
template <class T>
auto rounded_down(const T& number) {
  if constexpr (OneIsTold<T>)
    return told_as(std::floor(bare(number)), enclosed("⌊", written(number), "⌋"));
  else
    return std::floor(number);
}
template <class T>
auto rounded_up(const T& number) {
  if constexpr (OneIsTold<T>)
    return told_as(std::ceil(bare(number)), enclosed("⌈", written(number), "⌉"));
  else
    return std::ceil(number);
}
/// How often a second, of what takes no time at all, too.
template <class Count, class Time>
auto per_second(const Count& count, const Time& time) {
  const double rate = bare(count) / std::max(bare(time).raw(), 1e-9);
  if constexpr (OneIsTold<Count, Time>)
    return told_as(rate, joined(written(count), "÷", written(time)));
  else
    return rate;
}
/// A number of base units as the quantity that it is.
template <class Quantity, class T>
auto as(const T& number) {
  if constexpr (OneIsTold<T>)
    return told_as(Quantity::raw(bare(number)), written(number));
  else
    return Quantity::raw(number);
}

/// The same of microseconds, told with that unit.
template <class T>
auto as_microseconds(const T& number) {
  if constexpr (OneIsTold<T>)
    return told_as(microseconds(bare(number)), written(number));
  else
    return microseconds(number);
}

/// What a number is in that unit: in bytes, seconds and so on where there is none.
double in_unit(double number, std::string_view unit);  // "%": a hundred times of it
double in_unit(Bytes amount, std::string_view unit);
double in_unit(Seconds time, std::string_view unit);
double in_unit(BytesPerSecond rate, std::string_view unit);
double in_unit(Flop work, std::string_view unit);
double in_unit(FlopPerSecond rate, std::string_view unit);

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
    return told_as(value, {name_of(name), in_words(value, plain ? unit : result_)});
  }
  /// A part that is not spoken of where it is zero.
  template <class Name, class Number>
  auto some(const Name& name, Number number, std::string_view unit = {}) const {
    const auto value = Untold{}(name, number);
    return value == decltype(value){} ? told_as(value, {}) : (*this)(name, number, unit);
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

/// Into the trace, before what it is made of.
void enter(Trace& trace, const Recorded& entry, Written how, double number);

template <class Result, class Value>
constexpr auto brought_to(Value value) {
  if constexpr (std::is_void_v<Result> || std::is_same_v<Result, Value>)
    return value;
  else
    return Result::raw(value);
}

template <class Result, class Made>
[[gnu::noinline, gnu::cold]] auto told_and_entered(Trace& trace, const Recorded& entry, const Made& made) {
  auto told = made(Telling(entry.unit));
  const auto value = brought_to<Result>(told.value);
  enter(trace, entry, std::move(told.how), in_unit(value, entry.unit));
  return value;
}

/// The figure that `made` computes with told numbers; `Result`: the quantity it is, where that is given in base units.
template <class Result = void, class Made>
auto record(Trace* trace, const Recorded& entry, const Made& made) {
  if (trace != nullptr) return told_and_entered<Result>(*trace, entry, made);
  return brought_to<Result>(made(Untold{}));
}

/// A figure that words explain: a published one, a coefficient, a choice. In the unit of the entry.
void note(Trace& trace, const Recorded& entry, double number, std::string formula, std::string substituted = {});

}  // namespace gpusel::estimate
