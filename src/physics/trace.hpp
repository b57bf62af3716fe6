// The reason of every figure: formula, substituted values, result, source. Written only when asked,
// so that an estimate costs nothing for an explanation that nobody reads. record.hpp writes them while it computes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/words/message.hpp"

namespace gpusel::physics {

/// A result as a person reads it, and in full with its unit where it is a number.
struct Figure {
  Figure() = default;
  Figure(double figure, std::string of, std::string shown)
      : text(std::move(shown)), number(figure), unit(std::move(of)) {}
  /// What is no number: a name, a date, several numbers.
  static Figure words(std::string text);

  std::string text;  // with its unit
  std::optional<double> number;
  std::string unit;  // empty: none, or words
};

/// How a number is shown shorter than it is.
using Digits = fmt::format_string<double&>;

/// A number in full that is shown shorter: shown("{:.2f}", 13.0249, "GiB") reads "13.02 GiB".
Figure shown(Digits digits, double number, std::string_view unit = {});

struct TraceLine {
  std::string quantity;     // "memory.weights"
  std::string formula;      // in words and symbols
  std::string substituted;  // with the numbers
  Figure value;
  std::string source;  // where the formula or a figure in it is published
};

using Trace = std::vector<TraceLine>;

}  // namespace gpusel::physics
