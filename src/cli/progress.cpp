#include "cli/progress.hpp"

#include <unistd.h>

#include <algorithm>

namespace gpusel::cli {

ProgressLine::ProgressLine(Context& context) : context_(context), terminal_(isatty(STDERR_FILENO) == 1) {}

bool ProgressLine::is_due() {
  const auto now = std::chrono::steady_clock::now();
  if (context_.common.quiet || now < next_) return false;
  next_ = now + (terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(5));
  return true;
}

void ProgressLine::show(const std::string& words) {
  const std::string line = "gpusel: " + words;
  context_.err.write(terminal_ ? "\r" + line + "\x1b[K" : line + "\n");
  context_.err.flush();
  shown_ = true;
}

void ProgressLine::finish() {
  if (shown_ && terminal_) context_.err.write("\r\x1b[K");
  shown_ = false;
}

std::string progress_bar(std::uint64_t done, std::uint64_t all) {
  if (all == 0) return {};
  constexpr std::size_t kWidth = 20;
  const auto full = static_cast<std::size_t>(std::min(done, all) * kWidth / all);
  return "[" + std::string(full, '#') + std::string(kWidth - full, ' ') + "] ";
}

}  // namespace gpusel::cli
