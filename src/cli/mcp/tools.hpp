// The tools of the server: commands of the program, run in it with their output kept.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "cli/mcp/arguments.hpp"

namespace gpusel::cli::mcp {

/// What whoever started the server gave on its command line; it holds for every call.
struct Given {
  CommonOptions common;
  std::vector<std::string> rule_files;
  Settings settings;  // those that hold for a command line hold for a call; `said` names what the server's line says
};

/// What a call came to.
struct Answer {
  std::string text;  // for a reader: the table and what is remarked beside it, or what is wrong
  show::Json data;   // the command's JSON in brief, or whole where that is asked for; or the error
  bool is_error = false;
};

class Tools {
 public:
  explicit Tools(Given given);

  /// As the protocol lists them.
  show::Json list() const;
  bool has(std::string_view name) const;
  std::vector<std::string_view> names() const;
  /// `name` is one of names(); `arguments` an object, or nothing.
  Answer call(std::string_view name, const Node* arguments) const;

 private:
  struct Entry {
    const Tool& tool;
    Arguments arguments;
  };
  struct Run {
    int status = 0;
    std::string out;
    std::string remarks;
  };

  const Entry* find(std::string_view name) const;
  Answer describe(const Node* arguments) const;
  Run run(std::vector<std::string> words, std::string_view format) const;

  Given given_;
  std::deque<Entry> entries_;  // flags point into their entry
};

}  // namespace gpusel::cli::mcp
