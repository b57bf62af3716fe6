// What may follow on a command line: asked by the scripts that shells load.
#pragma once

#include <string>
#include <vector>

#include "cli/context.hpp"

namespace gpusel::cli {

/// The command that the scripts call: "__complete -- WORDS…", where the last word is the one at the cursor.
inline constexpr std::string_view kComplete = "__complete";

/// A line for each word that may stand at the cursor: the word, and behind a tab what it is. Then, if they hold,
/// ":files" (names of files are meant too) and ":nospace" (the word goes on). Never an error: a shell that
/// completes has no place for one.
void complete(const std::vector<std::string>& words, Context& context);

}  // namespace gpusel::cli
