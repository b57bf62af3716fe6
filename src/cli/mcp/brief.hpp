// What of an answer fits into a conversation: few rows, the figures that decide, rounded. The whole is given on
// request.
#pragma once

#include <string_view>

#include "show/json/json.hpp"

namespace gpusel::cli::mcp {

/// About 1,500 tokens: JSON of short words and figures has 2.7 to 2.9 bytes in each.
inline constexpr std::size_t kMostBytes = 4200;

/// Of the answer of a tool, in at most so many bytes.
show::Json brief_of(std::string_view tool, const show::Json& whole);
/// Whole lines of a text, in at most so many bytes; `rest` tells what to do about the others.
std::string brief_text(std::string text, std::string_view rest);
/// JSON Schema of what brief_of() gives, of the whole answer, and of an error: which members they may have.
show::Json brief_schema(std::string_view tool);

}  // namespace gpusel::cli::mcp
