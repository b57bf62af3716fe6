#include "cli/lines.hpp"

namespace gpusel::cli {

bool next_line(std::istream& in, std::string& line) {
  line.clear();
  int c = 0;
  bool any = false;
  std::streambuf& buffer = *in.rdbuf();
  while ((c = buffer.sbumpc()) != std::char_traits<char>::eof()) {
    any = true;
    if (c == '\n') return true;
    if (line.size() <= kMaxLine) line.push_back(static_cast<char>(c));
  }
  return any;
}

}  // namespace gpusel::cli
