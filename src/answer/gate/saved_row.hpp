// A row of a saved answer: its figures by their paths, and whether they agree with one another.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/io/document.hpp"

namespace gpusel::answer {

/// What stands at "memory.needed"; null where nothing does.
const Node* at(const Node& row, std::string_view path);
std::string_view text_at(const Node& row, std::string_view path);
std::optional<double> figure_at(const Node& row, std::string_view path);

struct Contradiction {
  const Node* place;
  std::string words;
};
/// The first figures of the row that cannot both be true: whoever changed one has left the other.
std::optional<Contradiction> contradiction(const Node& row);

}  // namespace gpusel::answer
