// Random numbers that are the same on every machine: a seed and the name of a stream decide them.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace gpusel::serve {

/// xoshiro256++ of Blackman and Vigna, seeded by splitmix64.
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t stream) {
    std::uint64_t state = seed * 0x9E3779B97F4A7C15U + stream * 0xD1B54A32D192ED03U;
    for (std::uint64_t& word : state_) word = mix(state += 0x9E3779B97F4A7C15U);
  }

  std::uint64_t bits() {
    auto& s = state_;
    const std::uint64_t out = std::rotl(s[0] + s[3], 23) + s[0];
    const std::uint64_t t = s[1] << 17U;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = std::rotl(s[3], 45);
    return out;
  }
  /// Above 0 and below 1.
  double share() { return (static_cast<double>(bits() >> 12U) + 0.5) * 0x1.0p-52; }
  /// Exponential, of mean 1.
  double gap() { return -std::log(share()); }
  double normal() {
    const double radius = std::sqrt(2 * gap());
    return radius * std::cos(6.283185307179586 * share());
  }
  /// Gamma of that shape, of mean 1. Marsaglia and Tsang, ACM TOMS 26 (2000) 363.
  double gamma(double shape) {
    if (shape < 1) return std::pow(share(), 1 / shape) * gamma(shape + 1) * (shape + 1) / shape;
    const double d = shape - 1.0 / 3;
    const double c = 1 / std::sqrt(9 * d);
    while (true) {
      const double x = normal();
      const double root = 1 + c * x;
      if (root <= 0) continue;
      const double v = root * root * root;
      if (std::log(share()) < x * x / 2 + d - d * v + d * std::log(v)) return d * v / shape;
    }
  }

 private:
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace gpusel::serve
