// What of an answer fits into a conversation: few rows, the figures that decide, rounded. The whole is given on
// request.
#pragma once

#include <string_view>

#include "show/json/json.hpp"

namespace gpusel::cli::mcp {

/// About 1,500 tokens, at four bytes each.
inline constexpr std::size_t kMostBytes = 6000;

/// Of the answer of a tool, in at most so many bytes.
show::Json brief_of(std::string_view tool, const show::Json& whole);
/// JSON Schema of what brief_of() gives, of the whole answer, and of an error: which members they may have.
show::Json brief_schema(std::string_view tool);

}  // namespace gpusel::cli::mcp
