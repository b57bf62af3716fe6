// gpusel config path: where settings are read from.
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "cli/commands.hpp"
#include "cli/question/answer.hpp"
#include "show/json/json.hpp"

namespace gpusel::cli {

namespace {

int run_config_path(Context& context) {
  const auto format = context.format();
  if (!format) return context.fail(format.error());
  const auto& files = context.settings.files;
  const auto as_json = [&] {
    show::Json list = show::Json::array();
    for (const SettingFile& file : files)
      list.push_back({{"kind", to_text(file.source)}, {"path", file.path}, {"found", file.found}});
    return show::Json{{"schema", "gpusel.config-path/1"}, {"files", std::move(list)}};
  };
  const auto page = [&](bool) {
    show::Table table({show::left(say("settings of")), show::left(say("path")), show::left(say("found"))});
    for (const SettingFile& file : files)
      table.add({file.source == SettingSource::project ? say("the project") : say("yours"), printable(file.path),
                 file.found ? say("yes") : say("no")});
    return show::Document().page_title(say("Files of settings")).add(std::move(table));
  };
  print({.data = as_json, .document = page}, *format, context);
  return kOk;
}

}  // namespace

Parsed make_config_path() {
  Parsed parsed;
  parsed.shows_settings = true;
  parsed.run = run_config_path;
  return parsed;
}

}  // namespace gpusel::cli
