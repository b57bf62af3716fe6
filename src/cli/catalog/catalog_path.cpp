// gpusel catalog path: the layers of the catalogue, lowest first.

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/update/kept_lists.hpp"
#include "cli/commands.hpp"
#include "cli/question/answer.hpp"
#include "show/json/json.hpp"
#include "show/json/yaml.hpp"

namespace gpusel::cli {

namespace {

struct Layer {
  std::string kind;
  std::string path;
};

std::vector<Layer> layers_of(const Context& context) {
  std::vector<Layer> layers{{"embedded", {}}};
  if (!context.common.catalog.empty()) layers.push_back({"catalog", context.common.catalog});
  const std::string lists = catalog::kept_file(Context::lists_folder());
  for (const std::string& path : Context::user_overlays()) layers.push_back({path == lists ? "lists" : "user", path});
  for (const std::string& path : context.common.overlays) layers.push_back({"overlay", path});
  return layers;
}

std::string effect_of(std::string_view kind) {
  if (kind == "embedded") return say("everything this program was built with");
  if (kind == "lists") return say("adds prices that catalog update fetched");
  if (kind == "catalog") return say("replaces instances and prices");
  return say("adds records and changes facts");
}

show::Json layers_json(std::span<const Layer> layers) {
  show::Json list = show::Json::array();
  for (const Layer& layer : layers) list.push_back({{"kind", layer.kind}, {"path", show::text_or_null(layer.path)}});
  return {{"schema", "gpusel.catalog-path/1"},
          {"user_folder", show::text_or_null(Context::user_folder())},
          {"layers", std::move(list)}};
}

show::Table layers_table(std::span<const Layer> layers) {
  show::Table table({show::left(say("layer")), show::left(say("path")), show::left(say("effect"), 1)});
  for (const Layer& layer : layers)
    table.add({layer.kind, layer.path.empty() ? "-" : printable(layer.path), effect_of(layer.kind)});
  return table;
}

int run_catalog_path(Context& context) {
  const auto format = context.format();
  if (!format) return context.fail(format.error());
  const std::vector<Layer> layers = layers_of(context);
  const std::string folder = Context::user_folder();
  const std::string told = folder.empty() ? std::string() : say("every *.yaml in {} is an overlay", printable(folder));
  print({.data = [&] { return layers_json(layers); },
         .document =
             [&](bool) {
               show::Document page;
               page.page_title(say("Layers of the catalog, lowest first")).add(layers_table(layers));
               return told.empty() ? page : page.line(told, 2, show::Where::page);
             }},
        *format, context);
  if (!told.empty() && !show::is_data(*format) && !is_document(*format)) context.note(told);
  return kOk;
}

}  // namespace

Parsed make_catalog_path() {
  Parsed parsed;
  parsed.run = run_catalog_path;
  return parsed;
}

}  // namespace gpusel::cli
