// A command is one file: what it is called, the options it takes, and what it does.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/words/message.hpp"
#include "cli/context.hpp"
#include "job/request/option.hpp"

namespace gpusel::cli {

/// What puts a flag's value into its place, and the shape of that value where the setter's return type tells it.
struct FlagSetter : std::function<Status(std::string_view)> {
  using Function = std::function<Status(std::string_view)>;

  FlagSetter() = default;
  template <class Set>
    requires std::is_invocable_r_v<Status, Set, std::string_view>
  FlagSetter(Set set,  // NOLINT(google-explicit-constructor): flags hold plain lambdas
             job::ValueShape of_value = job::shape_of_setter<std::invoke_result_t<Set, std::string_view>>)
      : Function(std::move(set)), shape(of_value) {}
  /// The shape alone stays, where nothing is to be set.
  void clear() { Function::operator=(nullptr); }

  job::ValueShape shape;
};

// Setters of the usual flags. What they set must outlive the flag: a command's `run` keeps its options.

/// A switch.
inline FlagSetter turns_on(bool& place) {
  return [&place](std::string_view) -> Status {
    place = true;
    return {};
  };
}
/// By the type of the place, within `limits` where it is a number.
template <class Place>
FlagSetter sets(Place& place, auto... limits) {
  return [&place, limits...](std::string_view text) { return job::assign(text, place, limits...); };
}
/// One more each time.
inline FlagSetter appends_to(std::vector<std::string>& list) {
  return [&list](std::string_view text) -> Status {
    list.emplace_back(text);
    return {};
  };
}

/// One flag with where its value goes.
struct Flag {
  std::string names;  // "-m,--model,--modell": as CLI11 writes them
  std::string value;  // what help shows for it; empty: a switch
  std::string help;
  std::string group;
  FlagSetter set;
  bool optional_value = false;  // may stand alone, and then means "true"
  bool repeats = false;
  std::function<Status(std::string_view)> preset = nullptr;  // from a setting: as `set`, but nobody said it of this job

  /// "--model": the first of its long names, or the only one.
  std::string name() const;
  /// Whether `text` is one of its long names, with or without "--", '-' and '_' alike.
  bool is_called(std::string_view text) const;
  /// Whether a word of a command line is one of its names, with or without a value behind it.
  bool spelled_by(std::string_view word) const;
};

/// --force: files that were edited, or that somebody else wrote, are written over.
Flag force_flag(bool& force, std::string group);

/// What may stand for a positional behind the word `after` (empty: anywhere), in the words of a flag's value.
struct Place {
  std::string_view after;
  std::string_view values;
};

/// A command set up for one run.
struct Parsed {
  std::vector<Flag> flags;
  std::string positional;  // what help calls them; empty: takes none
  std::string positional_help;
  std::function<Status(std::string_view)> positional_set;
  bool positional_required = false;
  bool takes_line = false;               // the positionals are another program's command line: nothing in it is ours
  std::vector<Place> positional_places;  // for completion; each `after` is itself offered as the first
  bool shows_settings = false;           // what is wrong with the settings is its subject, not its failure
  bool shows_prices = false;             // and takes --price and --discount
  std::string output_help;               // of -o, where there are more formats than every command has
  std::function<int(Context&)> run;

  /// The flag that a word of the line spells, with or without a value behind it; null: it spells none.
  const Flag* find(std::string_view word) const;
};

struct Command {
  std::string_view name;      // "recommend"; "catalog lint" for one of a group
  std::string_view summary;   // one line
  std::string_view examples;  // two, worked
  Parsed (*make)();
};

/// All commands: the parser and help walk this list.
std::span<const Command> commands();
const Command* find_command(std::string_view name);
/// "catalog" of "catalog lint"; empty for a command that stands alone.
std::string_view group_of(const Command& command);
/// "lint" of "catalog lint".
std::string_view last_word(const Command& command);
/// The command with its own flags and those that every command has, which set `context.common`.
Parsed set_up(const Command& command, Context& context);
/// The flags that every command has, into `parsed`; `common` must outlive them.
void add_common_flags(Parsed& parsed, CommonOptions& common);
/// One line about a group of commands.
std::string group_summary(std::string_view group);

/// The whole program; `argv[0]` is skipped. Returns the exit status.
int run_program(int argc, const char* const* argv);

/// A flag for every option of a list, setting `target`.
template <class Target>
void add_options(std::vector<Flag>& flags, std::span<const job::Option<Target>> options, Target& target) {
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
    const auto preset = [&target, set = option.set](std::string_view text) { return set(target, text); };
    flags.push_back({std::move(names), std::string(option.value), say_text(option.help), say_text(option.group),
                     FlagSetter(
                         [&target, preset, key = option.key](std::string_view text) {
                           if constexpr (requires { target.typed; })
                             note_given(target, key, text);
                           else if constexpr (requires { target.given; })
                             target.given.push_back(key);
                           return preset(text);
                         },
                         option.set.shape),
                     option.is_switch, option.repeats, preset});
  }
}

}  // namespace gpusel::cli
