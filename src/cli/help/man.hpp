// Manual pages out of the same tables as help.
#pragma once

#include <string>
#include <vector>

#include "cli/context.hpp"

namespace gpusel::cli {

/// The command that the build calls: "__manual FOLDER" writes a page for the program and one for each command.
inline constexpr std::string_view kManual = "__manual";

/// Returns the exit status.
int write_manual(const std::vector<std::string>& words, Context& context);

}  // namespace gpusel::cli
