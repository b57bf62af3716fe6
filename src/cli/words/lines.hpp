// Requests that come line by line.
#pragma once

#include <cstddef>
#include <string>

#include "base/io/file.hpp"

namespace gpusel::cli {

/// A line longer than this is refused, not read into memory piece by piece.
inline constexpr std::size_t kMaxLine = std::size_t{4} << 20U;

class Lines {
 public:
  explicit Lines(InputFile file);
  /// Reads up to the line feed; of an over-long line only the start is kept, one byte more than kMaxLine, so that it is
  /// refused. False at the end of the input.
  bool next(std::string& line);
  /// Why reading ended before the end of the input; empty: it did not.
  const std::string& failure() const { return failure_; }

 private:
  bool more();

  InputFile file_;
  std::string block_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::string failure_;
};

}  // namespace gpusel::cli
