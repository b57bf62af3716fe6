// What holds where the line says nothing: GPUSEL_… variables over the project's .gpusel.yaml over the person's
// config.yaml. A setting is a flag's name with its value, for every command that has the flag or for one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/values/enum.hpp"
#include "base/values/error.hpp"

namespace gpusel::cli {

struct Command;
struct Context;
struct Flag;
struct Parsed;

enum class SettingSource : std::uint8_t { variable, project, user };

}  // namespace gpusel::cli

namespace gpusel {
template <>
inline constexpr std::array<std::string_view, 3> enum_names<cli::SettingSource>{"variable", "project", "user"};
}  // namespace gpusel

namespace gpusel::cli {

struct Setting {
  std::string command;  // empty: every command that has the flag
  std::string name;     // as written
  std::vector<std::string> values;
  SettingSource source = SettingSource::variable;
  std::string from;  // the variable or the file's path
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  /// "GPUSEL_CURRENCY" or "~/.config/gpusel/config.yaml:3".
  std::string origin() const;
  /// The same, to the column: for messages.
  std::string where() const;
};

/// A file that settings are looked for in.
struct SettingFile {
  SettingSource source = SettingSource::user;
  std::string path;
  bool found = false;
};

struct Settings {
  std::vector<Setting> all;  // the strongest first
  std::vector<SettingFile> files;
  Errors unreadable;  // of a file as a whole

  // Of this run.
  std::vector<std::string> said;        // flags on the line, by their first long names
  std::vector<const Setting*> applied;  // in the order of the command's flags

  /// The strongest value of a setting for all commands; nothing where none is made.
  std::optional<std::string> value(std::string_view name) const;
};

/// This program's folder below the one that a variable of the XDG base directories names, or below $HOME; empty where
/// neither is an absolute path, as that specification has it.
std::string own_folder(const char* variable, std::string_view below_home);

/// From the environment and the two files. Where neither file exists, nothing but their absence is looked at.
Settings read_settings();

/// Presets the flags of a command that the line does not name, from `context.settings`.
/// Errors: unknown names, and what the flags refuse, each with its place.
Errors apply_settings(const Command& command, Parsed& parsed, Context& context);
/// All settings against every command that has them: what `config show` and `doctor` say of settings that
/// another command would stumble over.
Errors check_settings(const Context& context);

/// One remark that names what shapes the answer without being said on the line.
void tell_settings(Context& context);

/// Whether a flag of that command may be a setting; it is not where it names what this run is about or writes.
bool may_be_setting(const Command& command, const Flag& flag);

/// What a flag is where nobody says anything; empty where the job decides.
std::string_view built_in(std::string_view flag);
/// The flags of which that is known.
std::vector<std::string_view> built_in_names();

}  // namespace gpusel::cli
