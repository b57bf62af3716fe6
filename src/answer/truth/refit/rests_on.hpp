// What each coefficient rests on: the measurements that come with the program, or what its source says. Private to this
// room.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/io/document.hpp"

namespace gpusel::answer {

enum class Basis : std::uint8_t { source, rows, ratios };

struct RestsOn {
  std::string id;
  Basis basis =
      Basis::source;   // rows: fitted to them; ratios: to those between rows of a source, whose level is its own
  std::string source;  // in words
};

/// Of all coefficients, in the order of the documents.
std::vector<RestsOn> rests_on(std::span<const Document> texts);

}  // namespace gpusel::answer
