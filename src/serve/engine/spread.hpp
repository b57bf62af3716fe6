// How a figure is spread over what was seen: weights by size, counted in classes half a per cent wide.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace gpusel::serve {

class Spread {
 public:
  void add(double value, double weight) {
    total_ += weight;
    sum_ += weight * value;
    most_ = std::max(most_, value);
    at(index(value)) += weight;
  }
  /// `weight` spread evenly from `low` to `high`.
  void add(double low, double high, double weight) {
    const std::size_t first = index(low);
    const std::size_t last = index(high);
    if (first == last || high <= low) return add(std::midpoint(low, high), weight);
    total_ += weight;
    sum_ += weight * std::midpoint(low, high);
    most_ = std::max(most_, high);
    at(last);
    double from = low;
    for (std::size_t i = first; i <= last; ++i) {
      const double until = i == last ? high : place(i + 1);
      classes_[i] += weight * (until - from) / (high - low);
      from = until;
    }
  }
  void add(const Spread& other) {
    total_ += other.total_;
    sum_ += other.sum_;
    most_ = std::max(most_, other.most_);
    if (classes_.size() < other.classes_.size()) classes_.resize(other.classes_.size());
    for (std::size_t i = 0; i < other.classes_.size(); ++i) classes_[i] += other.classes_[i];
  }

  double total() const { return total_; }
  double mean() const { return total_ > 0 ? sum_ / total_ : 0; }
  double most() const { return most_; }
  /// What a share `p` of the weight does not exceed.
  double percentile(double p) const {
    const double wanted = p * total_;
    double below = 0;
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      if (classes_[i] <= 0 || below + classes_[i] < wanted) {
        below += classes_[i];
        continue;
      }
      if (i == 0) return 0;
      const double inside = std::clamp((wanted - below) / classes_[i], 0.0, 1.0);
      return std::min(most_, place(i) + inside * (place(i + 1) - place(i)));
    }
    return most_;
  }

 private:
  // Classes by exponent and leading binary digits, from 2^-30 on (a nanosecond); class 0 is what is smaller.
  static constexpr unsigned kPerOctave = 7;
  static constexpr std::uint64_t kFirst = std::bit_cast<std::uint64_t>(0x1p-30) >> (52 - kPerOctave);

  static std::size_t index(double value) {
    if (!(value >= 0x1p-30)) return 0;
    return static_cast<std::size_t>((std::bit_cast<std::uint64_t>(value) >> (52 - kPerOctave)) - kFirst + 1);
  }
  static double place(std::size_t index) {
    return index == 0 ? 0 : std::bit_cast<double>((index - 1 + kFirst) << (52 - kPerOctave));
  }
  double& at(std::size_t index) {
    if (index >= classes_.size()) classes_.resize(index + 64);
    return classes_[index];
  }

  std::vector<double> classes_;
  double total_ = 0;
  double sum_ = 0;
  double most_ = 0;
};

}  // namespace gpusel::serve
