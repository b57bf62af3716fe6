// Other programs, run for what they print.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/values/error.hpp"
#include "base/values/units.hpp"

namespace gpusel {

struct ProcessOutput {
  int status = 0;    // of its exit; 128 + the signal that ended it
  std::string text;  // its standard output
};

/// Runs the program of that name on PATH without input, its standard error left out, and waits `limit` for all that
/// it prints, at most `most` bytes. Errors (ErrorKind::io): it is not there, it takes longer (it is killed then), it
/// prints more.
Result<ProcessOutput> output_of(const std::vector<std::string>& words, Seconds limit, std::size_t most);

}  // namespace gpusel
