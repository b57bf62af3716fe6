// The reason of every figure: formula, substituted values, result, source. Written only when asked,
// so that an estimate costs nothing for an explanation that nobody reads.
#pragma once

#include <string>
#include <vector>

namespace gpusel::estimate {

struct TraceLine {
  std::string quantity;     // "memory.weights"
  std::string formula;      // in words and symbols
  std::string substituted;  // with the numbers
  std::string value;        // with its unit
  std::string source;       // where the formula or a figure in it is published
};

using Trace = std::vector<TraceLine>;

}  // namespace gpusel::estimate
