// gpusel config show: every setting that holds, and where it comes from.
#include <algorithm>
#include <memory>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "cli/commands.hpp"
#include "cli/question/answer.hpp"
#include "cli/settings/surroundings.hpp"
#include "show/json/json.hpp"

namespace gpusel::cli {

namespace {

using show::Json;

/// One line of the answer.
struct Held {
  std::string command;  // that it is for; empty: all that have the flag
  std::string name;
  std::vector<std::string> values;
  std::string_view kind;             // "line", "variable", "project", "user" or "built-in"
  const Setting* setting = nullptr;  // of the middle three
};

std::string joined(const std::vector<std::string>& values) {
  std::string list;
  for (const std::string& value : values) list += (list.empty() ? "" : ",") + printable(value);
  return list;
}

std::string bare(const Flag& flag) { return flag.name().substr(flag.name().starts_with("--") ? 2 : 0); }

/// What this line says of the flags that every command has.
std::vector<std::string> said_values(const std::string& name, const CommonOptions& common) {
  if (name == "output") return {common.output};
  if (name == "color") return {common.color};
  if (name == "catalog") return {common.catalog};
  if (name == "overlay") return common.overlays;
  if (name == "lang") return {std::string(spoken())};
  return {"true"};
}

class Shown {
 public:
  Shown(const std::string& only, const Context& context) : only_(only), context_(context) {}

  std::vector<Held> all() {
    add_said();
    for (const Setting& setting : context_.settings.all)
      if (only_.empty() || setting.command.empty() || setting.command == only_) add(setting);
    add_built_in();
    std::ranges::stable_sort(held_, {}, [](const Held& one) { return std::pair(one.command, one.name); });
    return std::move(held_);
  }

 private:
  bool has(const std::string& command, const std::string& name) const {
    return std::ranges::any_of(held_, [&](const Held& one) { return one.command == command && one.name == name; });
  }

  /// Flags of the line hold for this run of `config show` too.
  void add_said() {
    for (const std::string& flag : context_.settings.said)
      held_.push_back({{}, flag.substr(2), said_values(flag.substr(2), context_.common), "line"});
  }

  /// Where a stronger one has the same name and scope, the weaker one does not hold.
  void add(const Setting& setting) {
    if (!is_known_setting(setting)) return;
    std::string name = setting.name;
    std::ranges::replace(name, '_', '-');
    bool known = false;
    for (const Command& command : commands()) {
      const std::string_view meant = setting.command.empty() ? std::string_view(only_) : setting.command;
      if (known || (!meant.empty() && command.name != meant)) continue;
      Context scratch;
      for (const Flag& flag : set_up(command, scratch).flags)
        if (flag.is_called(name) && may_be_setting(command, flag)) {
          name = bare(flag);
          known = true;
        }
    }
    const std::string command = only_.empty() ? setting.command : only_;
    if (known && !has({}, name) && !has(command, name))
      held_.push_back({command, name, setting.values, to_text(setting.source), &setting});
  }

  void add_built_in() {
    const Command* command = find_command(only_);
    for (const std::string_view flag : built_in_names()) {
      const std::string name(flag.substr(2));
      if (has({}, name) || has(only_, name) || (command != nullptr && !takes(*command, flag))) continue;
      held_.push_back({only_, name, {std::string(built_in(flag))}, "built-in"});
    }
  }

  static bool takes(const Command& command, std::string_view flag) {
    Context scratch;
    const auto flags = set_up(command, scratch).flags;
    return std::ranges::any_of(flags, [&](const Flag& one) { return one.is_called(flag); });
  }

  const std::string& only_;
  const Context& context_;
  std::vector<Held> held_;
};

std::string origin_of(const Held& held) {
  if (held.setting != nullptr) return held.setting->origin();
  return held.kind == "line" ? say("this command line") : say("built in");
}

Json held_json(const Held& held) {
  const Setting* setting = held.setting;
  return {{"command", show::text_or_null(held.command)},
          {"name", held.name},
          {"values", held.values},
          {"origin",
           {{"kind", held.kind},
            {"name", setting == nullptr ? Json(nullptr) : Json(setting->from)},
            {"line", setting == nullptr || setting->line == 0 ? Json(nullptr) : Json(setting->line)}}}};
}

Json answer_json(const std::vector<Held>& held, const Errors& problems, const Context& context) {
  Json files = show::list_json(context.settings.files, [](const SettingFile& file) -> Json {
    return {{"kind", to_text(file.source)}, {"path", file.path}, {"found", file.found}};
  });
  Json wrong = show::list_json(problems, [](const Error& error) -> Json {
    return {{"where", error.where}, {"message", error.message}, {"hint", show::text_or_null(error.hint)}};
  });
  return {{"schema", "gpusel.config/1"},
          {"files", std::move(files)},
          {"settings", show::list_json(held, held_json)},
          {"problems", std::move(wrong)}};
}

show::Document answer_page(const std::vector<Held>& held) {
  show::Table table({show::left(say("command"), 1), show::left(say("setting")), show::left(say("value"), 0, 12),
                     show::left(say("from"), 0, 20)});
  for (const Held& one : held)
    table.add({show::Cell(one.command.empty() ? say("all") : one.command, one.command), one.name, joined(one.values),
               origin_of(one)});
  return show::Document().page_title(say("Settings")).add(std::move(table));
}

int run_show(const std::string& only, Context& context) {
  const auto format = context.format();
  if (!format) return context.fail(format.error());
  const std::vector<Held> held = Shown(only, context).all();
  const Errors problems = check_settings(context);
  print({.data = [&] { return answer_json(held, problems, context); },
         .document = [&](bool) { return answer_page(held); }},
        *format, context);
  return problems.empty() ? kOk : context.fail(problems);
}

}  // namespace

Parsed make_config_show() {
  auto command = std::make_shared<std::string>();
  Parsed parsed;
  parsed.positional = "COMMAND";
  parsed.positional_help = say("only settings of this command, as in recommend or 'catalog lint'");
  parsed.positional_places = {{"", "COMMAND"}};
  parsed.positional_set = [command](std::string_view word) -> Status {
    *command += (command->empty() ? "" : " ") + std::string(word);
    return {};
  };
  parsed.shows_settings = true;
  parsed.run = [command](Context& context) {
    if (!command->empty() && find_command(*command) == nullptr) {
      std::vector<std::string_view> names;
      for (const Command& one : commands()) names.push_back(one.name);
      const Hint near = did_you_mean(*command, names);
      return context.fail(Error{ErrorKind::usage, say("unknown command '{}'", printable(shorten(*command, 40))),
                                "COMMAND", near.or_else(say("all commands: gpusel --help"))});
    }
    return run_show(*command, context);
  };
  return parsed;
}

}  // namespace gpusel::cli
