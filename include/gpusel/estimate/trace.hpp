// The reason of every figure: formula, substituted values, result, source. Written only when asked,
// so that an estimate costs nothing for an explanation that nobody reads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpusel/base/message.hpp"

namespace gpusel::estimate {

/// A result as a person reads it, and as a number with its unit where it is one.
struct Figure {
  Figure() = default;
  /// The number and the unit that the words are, where they are nothing else: "13.02 GiB", "1,234 USD", "0.93".
  Figure(std::string words);
  Figure(const char* words) : Figure(std::string(words)) {}
  Figure(double figure, std::string of, std::string shown)
      : text(std::move(shown)), number(figure), unit(std::move(of)) {}

  std::string text;  // with its unit
  std::optional<double> number;
  std::string unit;  // empty: none, or words
};

/// A number in full that is shown shorter: shown("{:.2f}", 13.0249, "GiB") reads "13.02 GiB".
inline Figure shown(fmt::format_string<double&> shorter, double number, std::string unit = {}) {
  std::string text = gpusel::format(shorter, number);
  if (!unit.empty()) text += " " + unit;
  return {number, std::move(unit), std::move(text)};
}

struct TraceLine {
  std::string quantity;     // "memory.weights"
  std::string formula;      // in words and symbols
  std::string substituted;  // with the numbers
  Figure value;
  std::string source;  // where the formula or a figure in it is published
};

using Trace = std::vector<TraceLine>;

}  // namespace gpusel::estimate
