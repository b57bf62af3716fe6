// Bounds on what a piece of a test may take of the machine, for readers that must not run away.
#pragma once

#include <sys/resource.h>

namespace gpusel::test {

/// While it lives: a minute more of processor time, or the kernel ends the process; half a gibibyte more of memory, or
/// there is none (where neither valgrind nor a sanitizer needs its own).
class Bounds {
 public:
  Bounds();
  ~Bounds();
  Bounds(const Bounds&) = delete;
  Bounds& operator=(const Bounds&) = delete;

 private:
  rlimit time_{};
  rlimit memory_{};
};

}  // namespace gpusel::test
