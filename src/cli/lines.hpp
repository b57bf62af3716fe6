// Requests that come line by line.
#pragma once

#include <cstddef>
#include <istream>
#include <string>

namespace gpusel::cli {

/// A line longer than this is refused, not read into memory piece by piece.
inline constexpr std::size_t kMaxLine = std::size_t{4} << 20U;

/// Reads up to the line feed; of an over-long line only the start is kept, one byte more than kMaxLine, so that it is
/// refused. False at the end of the input.
bool next_line(std::istream& in, std::string& line);

}  // namespace gpusel::cli
