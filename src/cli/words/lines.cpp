#include "cli/words/lines.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/words/message.hpp"

namespace gpusel::cli {

namespace {

constexpr std::size_t kBlock = std::size_t{1} << 16U;
/// A line that goes on beyond this never ends: a device such as /dev/zero.
constexpr std::size_t kEndless = std::size_t{1} << 30U;

}  // namespace

Lines::Lines(InputFile file) : file_(std::move(file)), block_(kBlock, '\0') {}

bool Lines::more() {
  const ssize_t got = file_.read(block_);
  if (got < 0) failure_ = system_reason(errno);
  at_ = 0;
  end_ = got > 0 ? static_cast<std::size_t>(got) : 0;
  return got > 0;
}

bool Lines::next(std::string& line) {
  line.clear();
  std::size_t length = 0;
  while (at_ < end_ || more()) {
    const char* const begin = block_.data() + at_;
    const void* const feed = std::memchr(begin, '\n', end_ - at_);
    const std::size_t bytes =
        feed == nullptr ? end_ - at_ : static_cast<std::size_t>(static_cast<const char*>(feed) - begin);
    line.append(begin, std::min(bytes, kMaxLine + 1 - line.size()));
    at_ += bytes;
    length += bytes;
    if (feed != nullptr) {
      ++at_;
      return true;
    }
    if (length > kEndless) {
      failure_ = say("a line does not end within {} MiB", kEndless >> 20U);
      return false;
    }
  }
  return length > 0 && failure_.empty();
}

}  // namespace gpusel::cli
