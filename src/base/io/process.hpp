// Other programs: the one place that starts them.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/values/error.hpp"
#include "base/values/units.hpp"

namespace gpusel {

/// An environment variable; empty where it is not set.
std::string_view environment(const char* name);

/// A stream of a program that is started: this process's own.
inline constexpr int kOwnStream = -2;
/// Nothing comes from it, and what goes there is lost.
inline constexpr int kNoStream = -1;

struct ProgramStart {
  std::vector<std::string> words;  // the first is looked for on PATH
  int input = kNoStream;           // file descriptors, or one of the above
  int output = kNoStream;
  int errors = kNoStream;
  std::vector<std::string> environment = {};  // NAME=value, in addition to this process's
  bool own_group = true;  // what it starts ends with it; an interrupt at the terminal does not reach it
};

/// 0: it could not be started.
pid_t start_program(const ProgramStart& start);
/// Of its exit; 128 + the signal that ended it.
int wait_for_program(pid_t child);

struct ProcessOutput {
  int status = 0;    // of its exit; 128 + the signal that ended it
  std::string text;  // its standard output
};

/// Runs the program of that name on PATH without input, its standard error left out, and waits `limit` for all that
/// it prints, at most `most` bytes. Errors (ErrorKind::io): it is not there, it takes longer (it is killed then), it
/// prints more.
Result<ProcessOutput> output_of(const std::vector<std::string>& words, Seconds limit, std::size_t most);

/// What a program prints, taken while it runs.
struct ProgramRun {
  std::vector<std::string> words;
  std::string input = {};  // its standard input: less than a pipe holds, 64 KiB
  Seconds limit;           // for the whole run
  Seconds patience;        // without a byte
  /// A piece of its standard output. An error ends the program, and is what comes of the run.
  std::function<Status(std::string_view piece)> take;
};

/// Its exit status. Errors (ErrorKind::io): as output_of(), and what `take` says; the program is killed then.
Result<int> run_program_for(const ProgramRun& run);

}  // namespace gpusel
