// gpusel catalog path: the layers of the catalogue, lowest first.
#include <memory>

#include "cli/commands.hpp"
#include "gpusel/base/message.hpp"
#include "gpusel/base/text.hpp"
#include "report/json.hpp"
#include "report/table.hpp"
#include "report/yaml.hpp"

namespace gpusel::cli {

namespace {

struct Layer {
  std::string kind;
  std::string path;
};

std::vector<Layer> layers_of(const Context& context) {
  std::vector<Layer> layers{{"embedded", {}}};
  if (!context.common.catalog.empty()) layers.push_back({"catalog", context.common.catalog});
  for (const std::string& path : Context::user_overlays()) layers.push_back({"user", path});
  for (const std::string& path : context.common.overlays) layers.push_back({"overlay", path});
  return layers;
}

std::string effect_of(std::string_view kind) {
  if (kind == "embedded") return say("everything this program was built with");
  if (kind == "catalog") return say("replaces instances and prices");
  return say("adds records and changes facts");
}

int run_path(Context& context) {
  const auto format = context.format({"table", "wide", "json", "yaml", "csv", "markdown"});
  if (!format) return context.fail(format.error());
  const std::vector<Layer> layers = layers_of(context);
  if (report::is_data(*format)) {
    report::Json list = report::Json::array();
    for (const Layer& layer : layers)
      list.push_back({{"kind", layer.kind}, {"path", report::text_or_null(layer.path)}});
    context.out.write(report::dump_as(*format, {{"schema", "gpusel.catalog-path/1"},
                                                {"user_folder", report::text_or_null(Context::user_folder())},
                                                {"layers", std::move(list)}}));
    return kOk;
  }
  report::Table table({{say("layer"), report::Align::left, 0},
                       {say("path"), report::Align::left, 0},
                       {say("effect"), report::Align::left, 1}});
  for (const Layer& layer : layers)
    table.add({layer.kind, layer.path.empty() ? "-" : printable(layer.path), effect_of(layer.kind)});
  context.out.write(table.as(*format, context.terminal()));
  if (!Context::user_folder().empty())
    context.note(say("every *.yaml in {} is laid on top", printable(Context::user_folder())));
  return kOk;
}

}  // namespace

Parsed make_catalog_path() {
  Parsed parsed;
  parsed.run = run_path;
  return parsed;
}

}  // namespace gpusel::cli
