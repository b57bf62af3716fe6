// A line about work that takes longer than a second: overwritten on a terminal, rare elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "cli/context.hpp"

namespace gpusel::cli {

class ProgressLine {
 public:
  explicit ProgressLine(Context& context);

  /// Whether it is time for another one.
  bool is_due();
  void show(const std::string& words);
  void finish();

 private:
  Context& context_;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + std::chrono::seconds(1);
};

/// "[#####     ]", of so much; empty where nobody knows how much there is.
std::string progress_bar(std::uint64_t done, std::uint64_t all);

}  // namespace gpusel::cli
