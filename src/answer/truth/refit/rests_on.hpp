// What each coefficient rests on: the measurements that come with the program, or what its source says. Private to this
// room.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/io/document.hpp"

namespace gpusel::answer {

struct RestsOn {
  std::string id;
  bool rows = false;   // `basis: rows`: fitted to them
  std::string source;  // in words
};

/// Of all coefficients, in the order of the documents.
std::vector<RestsOn> rests_on(std::span<const Document> texts);

}  // namespace gpusel::answer
