#include "cli/lines.hpp"

#include <algorithm>
#include <array>

namespace gpusel::cli {

bool next_line(std::istream& in, std::string& line) {
  line.clear();
  std::array<char, 8192> piece;
  while (true) {
    in.getline(piece.data(), piece.size());
    const auto read = static_cast<std::size_t>(in.gcount());
    const bool ended = in.good();  // with the line end, which is counted but not kept
    const bool full = in.fail() && !in.eof() && !in.bad() && read > 0;
    const std::size_t size = read - (ended ? 1 : 0);
    line.append(piece.data(), std::min(size, kMaxLine + 1 - line.size()));
    if (ended) return true;
    if (!full) return read > 0 || !line.empty();
    in.clear();
  }
}

}  // namespace gpusel::cli
