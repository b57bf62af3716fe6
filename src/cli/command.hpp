// A command is one file: what it is called, the options it takes, and what it does.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/context.hpp"
#include "gpusel/base/message.hpp"
#include "gpusel/workload/option.hpp"

namespace gpusel::cli {

/// One flag with where its value goes.
struct Flag {
  std::string names;  // "-m,--model,--modell": as CLI11 writes them
  std::string value;  // what help shows for it; empty: a switch
  std::string help;
  std::string group;
  std::function<Status(std::string_view)> set;
  bool optional_value = false;  // may stand alone, and then means "true"
  bool repeats = false;
};

/// A command set up for one run.
struct Parsed {
  std::vector<Flag> flags;
  std::string positional;  // what help calls them; empty: takes none
  std::string positional_help;
  std::function<Status(std::string_view)> positional_set;
  bool positional_required = false;
  bool shows_prices = false;  // and takes --price and --discount
  std::function<int(Context&)> run;
};

struct Command {
  std::string_view name;      // "recommend"; "catalog lint" for one of a group
  std::string_view summary;   // one line
  std::string_view examples;  // two, worked
  Parsed (*make)();
};

/// All commands: the parser and help walk this list.
std::span<const Command> commands();
/// One line about a group of commands.
std::string group_summary(std::string_view group);

/// The whole program; `argv[0]` is skipped. Returns the exit status.
int run_program(int argc, const char* const* argv);

/// A flag for every option of a list, setting `target`.
template <class Target>
void add_options(std::vector<Flag>& flags, std::span<const workload::Option<Target>> options, Target& target) {
  for (const auto& option : options) {
    std::string names;
    const auto add = [&](std::string_view spelling) {
      if (spelling.empty()) return;
      std::string flag(spelling.size() == 1 ? "-" : "--");
      for (const char c : spelling) flag += c == '_' ? '-' : c;
      names += (names.empty() ? "" : ",") + flag;
    };
    if (option.key_is_flag) add(option.key);
    std::string_view aliases = option.aliases;
    while (!aliases.empty()) {
      const auto end = aliases.find(' ');
      add(aliases.substr(0, end));
      aliases.remove_prefix(end == std::string_view::npos ? aliases.size() : end + 1);
    }
    flags.push_back({std::move(names), std::string(option.value), say_text(option.help), say_text(option.group),
                     [&target, set = option.set, key = option.key](std::string_view text) {
                       if constexpr (requires { target.given; }) target.given.push_back(key);
                       return set(target, text);
                     },
                     option.is_switch, option.repeats});
  }
}

}  // namespace gpusel::cli
