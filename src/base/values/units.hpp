// Physical quantities as types, so that GB and GiB, bits and bytes, or a rate and an amount
// cannot be mixed by accident. Everything is stored in SI base units (bytes, FLOP, seconds).
#pragma once

#include <compare>

namespace gpusel {

/// A number of one physical dimension. `Dimension` is only a tag.
template <class Dimension>
class Quantity {
 public:
  constexpr Quantity() = default;
  static constexpr Quantity raw(double value) { return Quantity{value}; }
  constexpr double raw() const { return value_; }

  constexpr Quantity& operator+=(Quantity other) {
    value_ += other.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value_ -= other.value_;
    return *this;
  }
  constexpr Quantity& operator*=(double factor) {
    value_ *= factor;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity{a.value_ + b.value_}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity{a.value_ - b.value_}; }
  friend constexpr Quantity operator*(Quantity a, double factor) { return Quantity{a.value_ * factor}; }
  friend constexpr Quantity operator*(double factor, Quantity a) { return Quantity{a.value_ * factor}; }
  friend constexpr Quantity operator/(Quantity a, double divisor) { return Quantity{a.value_ / divisor}; }
  friend constexpr double operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }
  friend constexpr auto operator<=>(Quantity, Quantity) = default;

 private:
  explicit constexpr Quantity(double value) : value_(value) {}
  double value_ = 0;
};

using Bytes = Quantity<struct BytesTag>;
using Flop = Quantity<struct FlopTag>;
using Seconds = Quantity<struct SecondsTag>;
using BytesPerSecond = Quantity<struct BytesPerSecondTag>;
using FlopPerSecond = Quantity<struct FlopPerSecondTag>;

inline constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
inline constexpr double kMibPerGib = 1024.0;
inline constexpr double kGB = 1e9;
inline constexpr double kHoursPerMonth = 730.0;  // 8760 / 12, the clouds' own convention
inline constexpr double kHoursPerYear = 8760.0;

constexpr Bytes bytes(double n) { return Bytes::raw(n); }
constexpr Bytes gib(double n) { return Bytes::raw(n * kGiB); }
constexpr Bytes gb(double n) { return Bytes::raw(n * kGB); }
constexpr double in_gib(Bytes b) { return b.raw() / kGiB; }
constexpr double in_gb(Bytes b) { return b.raw() / kGB; }

constexpr BytesPerSecond gb_per_s(double n) { return BytesPerSecond::raw(n * kGB); }
constexpr BytesPerSecond gbit_per_s(double n) { return BytesPerSecond::raw(n * kGB / 8); }
constexpr FlopPerSecond tflops(double n) { return FlopPerSecond::raw(n * 1e12); }
constexpr Flop flop(double n) { return Flop::raw(n); }
constexpr Seconds seconds(double n) { return Seconds::raw(n); }
constexpr Seconds microseconds(double n) { return Seconds::raw(n * 1e-6); }
constexpr double in_hours(Seconds s) { return s.raw() / 3600; }
constexpr double in_ms(Seconds s) { return s.raw() * 1e3; }

constexpr Seconds operator/(Bytes amount, BytesPerSecond rate) { return seconds(amount.raw() / rate.raw()); }
constexpr Seconds operator/(Flop amount, FlopPerSecond rate) { return seconds(amount.raw() / rate.raw()); }

static_assert(gb(80) < gib(80));

}  // namespace gpusel
