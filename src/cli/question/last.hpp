// The last question, for `gpusel why`: what was asked, never what was answered.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/context.hpp"

namespace gpusel::cli {

/// Flags by their first long name with their values; words without a flag under kWordsName.
using LastQuestion = std::vector<std::pair<std::string, std::string>>;
inline constexpr std::string_view kWordsName = "WORDS";

/// Keeps the flags of `context.typed` that `flags` has. Silent where it cannot: an answer does not depend on it.
/// Nothing is kept where CI is set or GPUSEL_STATE is off, or inside another program.
void keep_question(const std::vector<std::string>& flags, const Context& context);
bool keeps_questions(const Context& context);
/// Nothing where none was kept, or the file is not ours.
std::optional<LastQuestion> last_question();

}  // namespace gpusel::cli
