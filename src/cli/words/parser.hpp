// The only door to CLI11: words to calls of the flags' setters.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace gpusel::cli {

struct ParseOutcome {
  bool finished = false;  // help or version was printed, or the words were wrong
  int status = kOk;
  Parsed command;  // to run, when not finished
};

/// Sets `context.common` and the chosen command's flags.
ParseOutcome parse(const std::vector<std::string>& words, Context& context);

}  // namespace gpusel::cli
