#include "cli/settings/settings.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/io/process.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "cli/command.hpp"
#include "cli/settings/surroundings.hpp"
#include "cli/words/values.hpp"
#include "job/limits/limits.hpp"

namespace gpusel::cli {

namespace {

namespace fs = std::filesystem;

struct OfFlag {
  std::string_view command;  // empty: of every command
  std::string_view flag;
};

/// Paths are of one run, unless they are read by every run alike.
constexpr std::string_view kStandingPaths[] = {"--catalog", "--overlay", "--rules", "--more-sources"};
/// What a project's file may not say: it would choose where requests and keys go.
constexpr std::string_view kNotOfProject[] = {"--more-sources", "--mirror"};
/// What only the line may say: what silences remarks, what a run writes, removes or declares, what opens a gate.
constexpr OfFlag kOnlyOnLine[] = {{"", "--quiet"},
                                  {"", "--json"},
                                  {"", "--dry-run"},
                                  {"", "--force"},
                                  {"calibrate", "--reset"},
                                  {"check", "--policy-mode"},
                                  {"check", "--rank"},
                                  {"check", "--all"},
                                  {"catalog import", "--from"},
                                  {"catalog import", "--cloud"},
                                  {"catalog import", "--as-of"},
                                  {"catalog update", "--as-of"},
                                  {"catalog update", "--trust"},
                                  {"catalog update", "--source"}};
/// Two flags with one effect: where one is said, no weaker word on the other holds.
constexpr std::pair<std::string_view, std::string_view> kInsteadOf[] = {
    {"--json", "--output"}, {"--use-spot", "--term"}, {"--infra", "--cloud"}, {"--infra", "--region"}};
/// What does not shape an answer, but how it is shown.
constexpr std::string_view kAppearance[] = {"--output", "--color", "--lang"};
using BuiltIn = std::pair<std::string, std::string_view>;

/// What holds for every command that has the flag; limits have their own.
std::span<const BuiltIn> all_built_in() {
  static const std::vector<BuiltIn> all = [] {
    std::vector<BuiltIn> out{
        {"--output", "table"}, {"--color", "auto"}, {"--currency", "USD"}, {"--objective", "cost"}};
    for (const job::Limit& limit : job::limits())
      if (!limit.also.usual.empty() && limit.also.usual_for == job::Usual::job)
        out.emplace_back(limit.flag(), limit.also.usual);
    return out;
  }();
  return all;
}

template <class List>
bool contains(const List& list, std::string_view name) {
  return std::ranges::find(list, name) != std::end(list);
}

const Flag* find_flag(const Parsed& parsed, std::string_view name) {
  const auto flag = std::ranges::find_if(parsed.flags, [&](const Flag& one) { return one.is_called(name); });
  return flag == parsed.flags.end() ? nullptr : &*flag;
}

/// A path in a file is seen from that file's folder.
std::string seen_from(const Setting& setting, const std::string& value) {
  if (setting.source == SettingSource::variable) return value;
  if (const auto home = environment("HOME"); value.starts_with("~/") && !home.empty())
    return (fs::path(home) / value.substr(2)).string();
  return (fs::path(setting.from).parent_path() / value).lexically_normal().string();
}

/// The values as the flag takes them one by one.
std::vector<std::string> values_for(const Flag& flag, const Setting& setting) {
  std::vector<std::string> values = setting.values;
  if (!names_path(flag.value)) return values;
  if (setting.source == SettingSource::variable && flag.repeats) {
    values.clear();
    for (const std::string_view part : split(setting.values.front(), ':'))
      if (!part.empty()) values.emplace_back(part);
  }
  for (std::string& value : values) value = seen_from(setting, value);
  return values;
}

Error about(const Setting& setting, std::string message, std::string hint = {}) {
  return {ErrorKind::usage, std::move(message), setting.where(), std::move(hint)};
}

Status preset(const Flag& flag, const Setting& setting) {
  const auto& set = flag.preset ? flag.preset : flag.set;
  const std::vector<std::string> values = values_for(flag, setting);
  const bool joined = values.size() > 1 && !flag.repeats;
  if (flag.value.empty()) {  // a switch
    std::optional<bool> on;
    if (Status read = job::assign(values.front(), on); !read) return read;
    return *on ? set("true") : Status{};
  }
  if (joined) {
    std::string list = join_texts(values, ",");
    return set(list);
  }
  for (const std::string& value : values)
    if (Status done = set(value); !done) return done;
  return {};
}

enum class Known : std::uint8_t { no, on_line_only, yes };

/// Names of all flags of all commands: asked for once, since every command is set up to know them.
class AllNames {
 public:
  static const AllNames& get() {
    static const AllNames all;
    return all;
  }

  /// Whether any command that the setting is meant for has such a flag.
  Known how_known(const Setting& setting) const {
    const auto of = by_command_.find(setting.command);
    if (of == by_command_.end()) return Known::no;
    const auto found = of->second.find(spelling_of(setting.name));
    return found == of->second.end() ? Known::no : found->second;
  }

  /// For whoever wrote none of them.
  std::vector<std::string_view> of(const std::string& command) const {
    std::vector<std::string_view> names;
    if (const auto found = by_command_.find(command); found != by_command_.end())
      for (const auto& [name, known] : found->second)
        if (known == Known::yes) names.push_back(name);
    return names;
  }

 private:
  using Names = std::map<std::string, Known>;

  AllNames() {
    Context unused;
    for (const Command& command : commands())
      for (const Flag& flag : set_up(command, unused).flags) {
        const Known known = may_be_setting(command, flag) ? Known::yes : Known::on_line_only;
        for (const std::string_view name : split(flag.names, ','))
          if (name.starts_with("--"))
            for (const std::string& of : {std::string(), std::string(command.name)}) {
              Known& kept = by_command_[of][spelling_of(name.substr(2))];
              kept = std::max(kept, known);
            }
      }
  }

  static std::string spelling_of(std::string_view name) {
    std::string out = lower(name);
    std::ranges::replace(out, '_', '-');
    return out;
  }

  std::map<std::string, Names> by_command_;  // of none: of all
};

Known how_known(const Setting& setting) { return AllNames::get().how_known(setting); }

/// A switch that a setting leaves as it is says nothing.
bool is_off(const Flag& flag, const Setting& setting) {
  std::optional<bool> on;
  return flag.value.empty() && job::assign(setting.values.front(), on).has_value() && on == false;
}

/// The flags that a flag takes the place of, and those that take its.
std::vector<std::string_view> rivals_of(std::string_view flag) {
  std::vector<std::string_view> rivals;
  for (const auto& [one, other] : kInsteadOf)
    if (one == flag || other == flag) rivals.push_back(one == flag ? other : one);
  return rivals;
}

/// What has been settled, and by which setting; by none where the line says it.
class Settled {
 public:
  explicit Settled(const std::vector<std::string>& said) {
    for (const std::string& flag : said) add(flag, nullptr);
  }
  void add(const std::string& flag, const Setting* by, bool off = false) {
    flags_.emplace_back(flag, by);
    // "--cloud" leaves "--region" open, but not "--infra", which says both.
    if (off) return;
    for (const std::string_view rival : rivals_of(flag)) beside_.emplace_back(rival, by);
  }
  bool has(const std::string& flag) const { return find(flags_, flag) != flags_.end(); }
  bool has_rival(const std::string& flag) const { return find(beside_, flag) != beside_.end(); }
  /// The setting of the same strength that says otherwise; null: none, or a stronger word.
  const Setting* contradicts(const std::string& flag, const Setting& setting) const {
    const Setting* by = find(beside_, flag)->second;
    return by != nullptr && by->source == setting.source && by->command == setting.command ? by : nullptr;
  }

 private:
  using Entries = std::vector<std::pair<std::string, const Setting*>>;
  static Entries::const_iterator find(const Entries& entries, const std::string& flag) {
    return std::ranges::find(entries, flag, &Entries::value_type::first);
  }

  Entries flags_;
  Entries beside_;
};

Error unknown(const Setting& setting, Known known) {
  if (known == Known::on_line_only)
    return about(setting, say("'{}' can be set on the command line only", printable(shorten(setting.name, 40))));
  const std::vector<std::string_view> views = AllNames::get().of(setting.command);
  std::string word = setting.name;
  std::ranges::replace(word, '_', '-');
  const Hint near = did_you_mean(word, views);
  const std::string shown = printable(shorten(setting.name, 40));
  return about(setting,
               setting.command.empty() ? say("no command has a setting '{}'", shown)
                                       : say("{} has no setting '{}'", setting.command, shown),
               !near.empty() || setting.source == SettingSource::variable
                   ? near
                   : Hint(say("a setting is a flag's name without '--'")));
}

}  // namespace

bool is_known_setting(const Setting& setting) { return how_known(setting) == Known::yes; }

bool may_be_setting(const Command& command, const Flag& flag) {
  const std::string name = flag.name();
  if (!name.starts_with("--")) return false;
  if (names_path(flag.value) && !contains(kStandingPaths, name)) return false;
  return std::ranges::none_of(kOnlyOnLine, [&](const OfFlag& only) {
    return only.flag == name && (only.command.empty() || only.command == command.name);
  });
}

std::string_view built_in(std::string_view flag) {
  const auto all = all_built_in();
  const auto found = std::ranges::find(all, flag, &BuiltIn::first);
  return found == all.end() ? std::string_view{} : found->second;
}

std::vector<std::string_view> built_in_names() {
  std::vector<std::string_view> names;
  for (const auto& [flag, value] : all_built_in()) names.push_back(flag);
  return names;
}

Errors apply_settings(const Command& command, Parsed& parsed, Context& context) {
  Settings& settings = context.settings;
  Errors errors = settings.unreadable;
  Settled settled(settings.said);
  for (const Setting& setting : settings.all) {
    if (is_enough(errors)) break;
    const bool is_meant = setting.command.empty() || setting.command == command.name;
    const Flag* flag = is_meant ? find_flag(parsed, setting.name) : nullptr;
    if (flag == nullptr || !may_be_setting(command, *flag)) {
      const Known known = how_known(setting);
      if (known == Known::yes) continue;
      const Error error = unknown(setting, known);
      // Other programs may use the prefix too: a variable is only told of, and where it is near one of ours.
      if (setting.source != SettingSource::variable)
        errors.push_back(error);
      else if (!error.hint.empty() && !parsed.shows_settings)
        context.note(format("{}: {}; {}", error.where, error.message, error.hint));
      continue;
    }
    if (setting.source == SettingSource::project && contains(kNotOfProject, flag->name())) {
      errors.push_back(about(setting, say("'{}' is not for a project's file to say", setting.name),
                             say("it belongs into your own config.yaml")));
      continue;
    }
    if (settled.has(flag->name())) continue;
    const bool off = is_off(*flag, setting);
    if (!off && settled.has_rival(flag->name())) {
      if (const Setting* other = settled.contradicts(flag->name(), setting))
        errors.push_back(about(setting, say("'{}' and '{}' contradict each other", setting.name, other->name),
                               say("use only one of them")));
      continue;
    }
    settled.add(flag->name(), &setting, off);
    if (Status done = preset(*flag, setting); !done) {
      Error error = done.error();
      error.where = setting.where();
      error.message = format("{}: {}", setting.name, error.message);
      errors.push_back(std::move(error));
      continue;
    }
    settings.applied.push_back(&setting);
  }
  return errors;
}

Errors check_settings(const Context& context) {
  Errors errors = context.settings.unreadable;
  std::optional<catalog::Catalog> catalog;  // read where a name is to be judged by it
  const auto facts = [&]() -> const catalog::Catalog& {
    if (!catalog) {
      auto all = catalog::load(context.layers());
      catalog.emplace(all ? std::move(*all) : *catalog::load({}));
    }
    return *catalog;
  };
  const std::string_view language = spoken();  // a preset --lang would change it
  for (const Setting& setting : context.settings.all) {
    if (is_enough(errors)) break;
    if (const Known known = how_known(setting); known != Known::yes) {
      errors.push_back(unknown(setting, known));
      continue;
    }
    for (const Command& command : commands()) {
      if (!setting.command.empty() && setting.command != command.name) continue;
      Context scratch;
      const Parsed parsed = set_up(command, scratch);
      const Flag* flag = find_flag(parsed, setting.name);
      if (flag == nullptr || !may_be_setting(command, *flag)) continue;
      Status sound = preset(*flag, setting);
      if (sound)
        for (const std::string& value : values_for(*flag, setting))
          if (sound) sound = judge(flag->value, value, facts);
      if (sound) continue;
      errors.push_back(about(setting, format("{}: {}", command.name, sound.error().message), sound.error().hint));
      break;
    }
  }
  speak(language);
  return errors;
}

void tell_settings(Context& context) {
  std::string list;
  for (const Setting* setting : context.settings.applied) {
    std::string name = "--" + setting->name;
    std::ranges::replace(name, '_', '-');
    if (contains(kAppearance, name)) continue;
    std::string values = join_texts(setting->values, ",");
    list += format("{}{} {} ({})", list.empty() ? "" : ", ", printable(name.substr(2)), printable(shorten(values, 60)),
                   setting->origin());
  }
  if (!list.empty()) context.note(say("settings: {}", list));
}

}  // namespace gpusel::cli
