#include "support/bounds.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace gpusel::test {

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(GPUSEL_MEMCHECK)
constexpr bool kBoundsMemory = false;
#else
constexpr bool kBoundsMemory = true;
#endif
constexpr rlim_t kSeconds = 60;
constexpr rlim_t kBytes = rlim_t{512} << 20U;

void set(decltype(RLIMIT_CPU) what, rlimit to) {
  if (setrlimit(what, &to) != 0) throw std::runtime_error("a limit cannot be set");
}

/// What this process has taken so far, in whole seconds.
rlim_t seconds_taken() {
  rusage taken{};
  getrusage(RUSAGE_SELF, &taken);
  return static_cast<rlim_t>(taken.ru_utime.tv_sec + taken.ru_stime.tv_sec) + 1;
}

rlim_t bytes_taken() {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

Bounds::Bounds() {
  getrlimit(RLIMIT_CPU, &time_);
  getrlimit(RLIMIT_AS, &memory_);
  set(RLIMIT_CPU, {std::min(seconds_taken() + kSeconds, time_.rlim_max), time_.rlim_max});
  if (kBoundsMemory) set(RLIMIT_AS, {std::min(bytes_taken() + kBytes, memory_.rlim_max), memory_.rlim_max});
}

Bounds::~Bounds() {
  setrlimit(RLIMIT_CPU, &time_);
  if (kBoundsMemory) setrlimit(RLIMIT_AS, &memory_);
}

}  // namespace gpusel::test
