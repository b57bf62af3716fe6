// A function of one variable, tabulated once and interpolated: what a step's parts take by rows or by tokens.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpusel::serve {

/// Straight between eight places of every octave from 1 on, and between 0 and 1: within 0.2 % of anything that grows
/// like a power. Beyond the last place it goes on as it went. Default: 0 everywhere.
class Curve {
 public:
  /// Where the function is straight: its value at `begin` and how it grows from there.
  struct Piece {
    double begin = 0;
    double end = 0;
    double value = 0;
    double slope = 0;
    double at(double x) const { return value + slope * (x - begin); }
  };

  Curve() : pieces_(1) {}

  /// `f` is asked at every place up to `last` and at the first beyond it.
  template <class Function>
  static Curve of(Function f, double last) {
    Curve out;
    out.pieces_.clear();
    double x = 0;
    double y = f(0.0);
    do {
      const double next = next_place(x);
      const double value = f(next);
      out.pieces_.push_back({x, next, y, (value - y) / (next - x)});
      x = next;
      y = value;
    } while (x < last);
    return out;
  }

  double operator()(double x) const { return piece(x).at(x); }

  const Piece& piece(double x) const { return pieces_[std::min(index(x), pieces_.size() - 1)]; }
  /// Whether `piece` is the last one, which has no end.
  bool is_last(const Piece& piece) const { return &piece == &pieces_.back(); }

  /// The same, `factor` times as high.
  Curve scaled(double factor) const {
    Curve out = *this;
    for (Piece& piece : out.pieces_) {
      piece.value *= factor;
      piece.slope *= factor;
    }
    return out;
  }

 private:
  static constexpr unsigned kPerOctave = 3;  // binary digits

  /// Exponent and leading binary digits count the places of a floating-point number.
  static std::size_t index(double x) {
    if (!(x >= 1)) return 0;
    constexpr std::uint64_t kOne = std::bit_cast<std::uint64_t>(1.0) >> (52 - kPerOctave);
    return static_cast<std::size_t>((std::bit_cast<std::uint64_t>(x) >> (52 - kPerOctave)) - kOne + 1);
  }
  static double next_place(double x) {
    if (x < 1) return 1;
    const std::uint64_t step = std::uint64_t{1} << (52 - kPerOctave);
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) + step);
  }

  std::vector<Piece> pieces_;
};

}  // namespace gpusel::serve
