// JSON as programs mostly write it, read in one go.
#pragma once

#include <optional>
#include <string_view>

#include "base/io/document.hpp"

namespace gpusel {

/// The tree of a text that is plain: printable ASCII without escapes in strings, numbers without exponents, nothing
/// that has to be refused. Nothing of any other text, which may be right or wrong: the library says.
std::optional<Node> read_plain_json(std::string_view text);

}  // namespace gpusel
