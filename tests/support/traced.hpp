// A run of the program that is stopped before each call of the system, so that a test can act between two of them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "support/program.hpp"

namespace gpusel::test {

struct Call {
  int index = 0;  // of the run's calls, from 0 on
  int number = 0;
  std::array<std::uint64_t, 6> arguments{};
  pid_t process = -1;

  /// The path that the argument `path` points at, from the open folder in the argument `folder` or the working one;
  /// that folder itself if there is no path. -1: there is no such argument.
  std::string path(int folder, int path) const;
};

/// The signal that the program shall be sent before it makes that call; 0 for none.
using AtCall = std::function<int(const Call& call)>;

/// What becomes of a call: an error in its place, or less than it asked for to read or write.
struct Fault {
  int error = 0;  // errno
  bool shortened = false;
};
using FaultAt = std::function<Fault(const Call& call)>;

/// Like ask(), with the signals of a terminal acting as they do by default, whoever runs the tests.
Run traced(const std::vector<std::string>& words, const AtCall& at_call, Setting setting = {});

/// Like traced(), with calls that fail where the test wants them to.
Run faulty(const std::vector<std::string>& words, const FaultAt& fault_at, Setting setting = {});

/// Whether runs can be traced on this machine, and as the program was built; otherwise says why not.
bool can_trace();

}  // namespace gpusel::test
