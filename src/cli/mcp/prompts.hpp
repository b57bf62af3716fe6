// Questions that people start with, for assistants that offer them, and what their arguments may be.
// https://modelcontextprotocol.io/specification/2025-11-25/server/prompts and …/utilities/completion
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/document.hpp"
#include "base/values/error.hpp"
#include "show/json/json.hpp"

namespace gpusel::cli::mcp {

struct PromptArgument {
  std::string_view name;
  std::string_view description;  // for to_say()
  bool required = false;
  std::string_view flag;  // words of the command line in front of its value, by which it is completed
};

struct Prompt {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::string_view text;  // for to_say(); what stands for each argument is {0}, {1} …
  std::vector<PromptArgument> arguments;
};

std::span<const Prompt> prompts();
/// Null: there is none of that name.
const Prompt* find_prompt(std::string_view name);

show::Json prompt_json(const Prompt& prompt);
/// The message that it is, with these arguments, an object or nothing. Errors: a required one is missing.
Result<show::Json> prompt_message(const Prompt& prompt, const Node* arguments);
/// What may stand for an argument that begins so; at most a hundred.
show::Json completed(const Prompt& prompt, std::string_view argument, const std::string& begun);

}  // namespace gpusel::cli::mcp
