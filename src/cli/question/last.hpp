// The last question, for `gpusel why` and `gpusel export`: what was asked, never what was answered.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/context.hpp"

namespace gpusel::cli {

/// Flags by their first long name with their values; words without a flag under kWordsName.
using LastQuestion = std::vector<std::pair<std::string, std::string>>;
inline constexpr std::string_view kWordsName = "WORDS";

/// Keeps the flags of `context.typed` that `flags` has, and those that say which catalog and prices. Silent where it
/// cannot: an answer does not depend on it. Nothing is kept where CI is set or GPUSEL_STATE is off, or inside another
/// program.
void keep_question(const std::vector<std::string>& flags, const Context& context);
bool keeps_questions(const Context& context);
/// What keep_question() keeps, as it is typed: "--request-rate 10 llama-3.1-8b". Empty: the line has no question.
std::string question_line(const std::vector<std::string>& flags, const Context& context);
/// Nothing where none was kept, or the file is not ours.
std::optional<LastQuestion> last_question();

/// Sets what was asked last, and says it: words and `flags`, and those of every command. False where nothing was.
bool ask_again(std::vector<std::string>& words, const std::vector<Flag>& flags, Context& context);

}  // namespace gpusel::cli
