// JSON too large for a tree of its own: only the wanted values are built, one after the other.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "base/io/document.hpp"
#include "catalog/import/source_file.hpp"

namespace gpusel::catalog::import {

/// Where a value stands: the keys from the root to it; elements of a list have an empty key.
using JsonPath = std::span<const std::string>;

struct JsonItems {
  /// Whether the value at `path` shall be built whole.
  std::function<bool(JsonPath path)> wanted;
  /// It, with the line on which it ends.
  std::function<void(JsonPath path, const Node& value, std::uint32_t line)> take;
};

/// Where and why the text breaks off; nothing when it was read to its end.
struct JsonBreak {
  std::uint32_t line = 0;
  std::string reason;
};
std::optional<JsonBreak> read_json_items(SourceFile& file, const JsonItems& items);

}  // namespace gpusel::catalog::import
