// The few questions whose answers make a command line, for people who do not know the flags yet.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "job/limits/constraints.hpp"
#include "job/request/request.hpp"

namespace gpusel::cli {

/// Shows a question and reads a line; nothing at the end of the input.
using Prompt = std::function<std::optional<std::string>(const std::string& question)>;
/// Shows a line.
using Tell = std::function<void(const std::string& line)>;

/// Asks for what `request` and `limits` do not say yet, fills it in, and returns the flags that say the same; nothing
/// if the input ended before the last answer. An answer that cannot be is told with what would be right, and asked
/// again.
std::optional<std::vector<std::string>> ask_job(const Prompt& prompt, const Tell& tell, const catalog::Catalog& catalog,
                                                job::Request& request, job::Constraints& limits);

/// The command line without what only says how and where its answer is printed.
std::vector<std::string> question_of(const std::vector<std::string>& words);

/// Words as a shell takes them.
std::string command_line(const std::vector<std::string>& words);

}  // namespace gpusel::cli
