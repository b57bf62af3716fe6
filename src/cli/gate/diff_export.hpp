// An exported file held against the same export made today: it carries the command line that made it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/context.hpp"

namespace gpusel::cli {

/// The words of that command line; nothing where a text carries none.
std::optional<std::vector<std::string>> exported_question(std::string_view text);

/// Makes the export again and shows what has changed in the file; the exit status. `exit_code`: a change is one.
int diff_export(const std::string& file, const std::string& text, std::vector<std::string> question, bool exit_code,
                Context& context);

}  // namespace gpusel::cli
