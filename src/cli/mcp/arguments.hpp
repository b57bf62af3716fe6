// The arguments of a tool: a command's flags as an assistant sees them, and how they become its words.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/document.hpp"
#include "cli/command.hpp"
#include "show/json/json.hpp"

namespace gpusel::cli::mcp {

/// One command as a tool.
struct Tool {
  std::string_view name;
  std::string_view command;
  std::string_view description;
  std::string_view subjects;       // the argument for what stands without a flag on the command line; empty: none
  std::string_view subjects_help;  // what assistants are told of it
  std::vector<std::string_view> needs;
  std::vector<std::string_view> usual;    // arguments that are listed; the others are in "flags"
  bool shares_job = true;                 // what is said of a job is described by another tool
  bool subjects_suffice = false;          // given some, nothing else is needed
  bool one_subject = false;               // not a list of them
  std::vector<std::string_view> words{};  // that every call has
};

/// The argument that holds all the unusual ones, and that which asks for the whole answer.
inline constexpr std::string_view kFlags = "flags";
inline constexpr std::string_view kFull = "full";

/// Why no answer is asked for at all.
struct Refusal {
  std::string message;
  std::vector<std::string> missing;  // arguments that a person could be asked for
};

class Arguments {
 public:
  explicit Arguments(const Tool& tool);

  /// JSON Schema 2020-12.
  show::Json schema() const;
  /// The command line that says the same; `given` is an object, or nothing.
  std::expected<std::vector<std::string>, Refusal> words(const Node* given) const;
  /// Every argument beside the subjects, whose name or help has `word` in it: name, type and help of each.
  show::Json described(std::string_view word) const;
  bool takes(std::string_view key) const { return find(offered_, key) != nullptr; }
  bool withholds(std::string_view key) const { return find(withheld_, key) != nullptr; }

 private:
  class Reader;

  static const Flag* find(const std::vector<Flag>& flags, std::string_view key);
  std::string_view help_of(std::string_view key) const;
  std::expected<void, Refusal> check_needs(const Node* given) const;

  const Tool& tool_;
  std::vector<Flag> offered_;   // described only: without their setters
  std::vector<Flag> withheld_;  // files, and how the answer is shown: not for a model to say
};

/// A value as JSON, numbers as they were written.
show::Json json_of(const Node& node);

}  // namespace gpusel::cli::mcp
