// Help in one screen, and all of it: out of the same tables as the manual.
#pragma once

#include <string>
#include <string_view>

#include "cli/command.hpp"

namespace gpusel::cli {

/// No line of help is wider.
inline constexpr std::size_t kHelpWidth = 80;

/// What people do with a command: examples first, then its usual flags in groups.
std::string short_help(const Command& command, const Parsed& parsed);
/// Every flag with its sentence.
std::string full_help(const Command& command, const Parsed& parsed);
/// All commands, or those of a group.
std::string commands_help(std::string_view group);
/// A short text on "slo", "prices", "ci", "quantization" or "memory"; empty: there is none of that name.
std::string topic_help(std::string_view topic);
/// What is printed where nothing was asked: the lines to begin with, and how old prices are.
std::string first_lines(Context& context);

/// Whether a word asks for help, and for all of it.
bool is_help(std::string_view word);
inline constexpr std::string_view kHelpAll = "--help-all";

/// "gpusel help [COMMAND|TOPIC]": the words behind `help`. Returns the exit status.
int run_help(const std::vector<std::string>& words, Context& context);

/// Flags that a line of short help names, for tests: of "--rps N  --isl N" both.
std::vector<std::string> named_in_help();

}  // namespace gpusel::cli
