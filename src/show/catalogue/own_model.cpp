#include "show/catalogue/own_model.hpp"

#include <algorithm>
#include <utility>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/catalogue/card.hpp"
#include "show/catalogue/catalog.hpp"

namespace gpusel::show {

namespace {

using catalog::ConfigModel;

/// Keys and names of the parts, with those that are there.
std::vector<std::pair<std::string, double>> parts_of(const ConfigModel& model) {
  const catalog::Parameters& p = model.recount;
  std::vector<std::pair<std::string, double>> out;
  for (const auto& [key, value] : {std::pair<const char*, double>{"embedding", p.embedding},
                                   {"head", p.head},
                                   {"body", p.body},
                                   {"experts", p.experts},
                                   {"vision", p.vision},
                                   {"layer_embeddings", p.layer_embeddings},
                                   {"multi_token_prediction", model.prediction_parameters}})
    if (value > 0) out.emplace_back(key, value);
  return out;
}

std::string in_billions(double count) { return format("{:.6g}e9", count / 1e9); }

}  // namespace

Json own_model_json(const ConfigModel& model) {
  Json json = model_json(model.model);
  Json& parts = json["parameters"] = Json::object();
  for (const auto& [key, value] : parts_of(model)) parts[key] = number(value);
  json["stored"] = nullptr;
  if (model.stored) {
    const catalog::StoredWeights& stored = *model.stored;
    Json types = list_json(stored.types, [&](const catalog::TensorType& type) -> Json {
      return {{"type", type.name},
              {"tensors", number(type.tensors)},
              {"elements", number(type.elements)},
              {"bytes", number(type.bytes)}};
    });
    json["stored"] = {{"layout", stored.layout},
                      {"files", number(stored.files)},
                      {"bytes", number(stored.bytes)},
                      {"bytes_not_loaded", number(stored.unloaded_bytes)},
                      {"types", std::move(types)}};
  }
  json["reading"] = model.notes;
  json["unread"] = model.unread;
  return json;
}

Document own_model_card(const ConfigModel& model, const catalog::Catalog& catalog) {
  Document page = model_card(model.model, catalog);
  Table parts({left(say("parameters")), right(say("count"))});
  for (const auto& [key, value] : parts_of(model)) {
    std::string name = key;
    std::ranges::replace(name, '_', ' ');
    parts.add({name, in_billions(value)});
  }
  page.gap().add(std::move(parts));
  if (model.stored) {
    const catalog::StoredWeights& stored = *model.stored;
    Table types({left(say("stored as")), right(say("tensors"), 1), right(say("values")), right(say("bytes"))});
    for (const catalog::TensorType& type : stored.types)
      types.add({type.name, human_number(type.tensors), in_billions(type.elements), human_number(type.bytes)});
    if (!types.empty()) page.gap().add(std::move(types));
    page.gap().line(say("{}: {:.3f} GiB, files: {:.0f}", stored.layout, in_gib(bytes(stored.bytes)), stored.files));
  }
  for (const std::string& note : model.notes) page.gap().line(note);
  std::string list;
  for (const std::string& key : model.unread) list += (list.empty() ? "" : ", ") + printable(shorten(key, 60));
  return list.empty() ? page : page.gap().line(say("not understood: {}", list));
}

}  // namespace gpusel::show
