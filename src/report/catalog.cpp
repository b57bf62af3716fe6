#include "report/catalog.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "gpusel/base/message.hpp"
#include "gpusel/base/number.hpp"
#include "gpusel/base/text.hpp"

namespace gpusel::report {

namespace {

using catalog::Catalog;
using catalog::Field;
using catalog::Gpu;
using catalog::Instance;
using catalog::Model;
using catalog::Number;
using catalog::TextList;

// Each kind of member as JSON and as words.
Json as_json(const Number& member) { return number(member); }
Json as_json(std::string_view member) { return text_or_null(member); }
Json as_json(Date member) { return text_or_null(member.text()); }
Json as_json(const std::optional<bool>& member) { return member ? Json(*member) : Json(nullptr); }
Json as_json(const TextList& member) {
  Json list = Json::array();
  for (const std::string_view text : member) list.push_back(text);
  return list;
}
template <NamedEnum E>
Json as_json(E member) {
  return to_text(member);
}
template <NamedEnum E>
Json as_json(const std::optional<E>& member) {
  return member ? Json(to_text(*member)) : Json(nullptr);
}

std::string in_words(const Number& member) { return member ? human_number(*member) : std::string(); }
std::string in_words(std::string_view member) { return printable(member); }
std::string in_words(const std::optional<bool>& member) { return !member ? "" : *member ? say("yes") : say("no"); }
std::string in_words(const TextList& member) {
  std::string words;
  for (const std::string_view text : member) words += (words.empty() ? "" : ", ") + printable(text);
  return words;
}
template <NamedEnum E>
std::string in_words(E member) {
  return std::string(to_text(member));
}
template <NamedEnum E>
std::string in_words(const std::optional<E>& member) {
  return member ? std::string(to_text(*member)) : std::string();
}

/// {"dense.fp16_tflops": ["key", …]}: which figure cites what.
Json figure_sources(const TextList& lines) {
  Json map = Json::object();
  for (const std::string_view line : lines) {
    const auto equals = line.find('=');
    map[std::string(line.substr(0, equals))].push_back(line.substr(equals + 1));
  }
  return map;
}

template <class Record>
Json record_json(const Record& record) {
  Json json = Json::object();
  visit_fields(record, [&](const Field& field, const auto& member) {
    const std::string key(field.json);
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(member)>, TextList>) {
      json[key] = key == "figure_sources" ? figure_sources(member) : as_json(member);
    } else {
      json[key] = as_json(member);
    }
  });
  return json;
}

std::string shown(const Number& value) { return value ? human_number(*value) : "?"; }
std::string shown(std::string_view value) { return value.empty() ? "?" : printable(value); }

/// "moe" of "moe.experts"; empty for a field of the record itself.
std::string_view group_of(std::string_view path) {
  const auto dot = path.find('.');
  return dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot);
}

/// Source keys that a record names, each once.
template <class Record>
std::vector<std::string> source_keys(const Record& record) {
  std::vector<std::string> keys;
  visit_fields(record, [&](const Field& field, const auto& member) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(member)>, TextList>) {
      if (!field.json.ends_with("sources")) return;
      for (const std::string_view line : member) {
        const std::string key(line.substr(line.find('=') + 1));
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
      }
    }
  });
  return keys;
}

/// A value with its unit; zero is a fact: there is no such path or link.
std::string with_unit(std::string words, std::string_view unit) {
  if (words.empty()) return say("unknown");
  if (unit.empty()) return words;
  return words == "0" ? say("none") : format("{} {}", words, unit);
}

/// Label and value of every field worth a line. Of a group like moe.* or speech.* that has no figure at
/// all the record is no case.
template <class Record>
std::vector<std::pair<std::string, std::string>> card_lines(const Record& record) {
  std::set<std::string_view> groups;
  visit_fields(record, [&](const Field& field, const auto& member) {
    if (!in_words(member).empty()) groups.insert(group_of(field.path));
  });
  std::vector<std::pair<std::string, std::string>> lines;
  visit_fields(record, [&](const Field& field, const auto& member) {
    const std::string_view group = group_of(field.path);
    std::string words = in_words(member);
    const bool optional = field.json == "notes" || field.json == "caution" || field.json == "aliases";
    if (field.json == "figure_sources" || (!group.empty() && !groups.contains(group)) || (words.empty() && optional))
      return;
    std::string label(field.json);
    std::replace(label.begin(), label.end(), '_', ' ');
    lines.emplace_back(std::move(label), with_unit(std::move(words), field.unit));
  });
  return lines;
}

/// "label  value unit" for every field but the sources, which come last with their documents.
template <class Record>
std::string card(const Record& record, const Catalog& catalog, const Terminal& terminal) {
  const auto lines = card_lines(record);
  const std::vector<std::string> keys = source_keys(record);
  std::size_t widest = 0;
  for (const auto& [label, words] : lines) widest = std::max(widest, display_width(label));
  std::string out;
  for (const auto& [label, words] : lines) {
    const std::string head = label + std::string(widest - display_width(label) + 2, ' ');
    out += wrap(head + words, terminal.width, widest + 2);
  }
  out += "\n" + bold(say("sources"), terminal) + "\n";
  for (const std::string& key : keys) {
    const catalog::Source* source = catalog.source(key);
    if (source == nullptr) continue;
    std::string text = format("  {}: {}, {}", key, printable(source->publisher), printable(source->document));
    if (source->date.known()) text += ", " + source->date.text();
    text += format(" ({})", to_text(source->confidence));
    if (!source->url.empty()) text += " " + printable(source->url);
    out += wrap(text, terminal.width, 4);
  }
  return out;
}

/// What is known of selling it besides the prices, a line each; empty where nothing is.
std::string states_text(const Instance& instance, const Catalog& catalog, const Terminal& terminal) {
  std::string out;
  for (const catalog::OfferState& state : catalog.states_of(instance)) {
    std::string line = format("{}, {}: {}", state.region.empty() ? say("every region") : printable(state.region),
                              state.term ? std::string(to_text(*state.term)) : say("every term"), to_text(state.state));
    if (!state.note.empty()) line += ", " + printable(state.note);
    if (state.as_of.known()) line += ", " + state.as_of.text();
    out += wrap(format("{} ({})", line, state.source), terminal.width, 4);
  }
  return out.empty() ? out : "\n" + out;
}

}  // namespace

std::string share_text(const Number& count) {
  if (!count) return "?";
  return *count > 0 && *count < 1 ? format("1/{:.0f}", 1 / *count) : human_number(*count);
}

Json gpu_json(const Gpu& gpu) { return record_json(gpu); }

Json model_json(const Model& model) {
  Json json = record_json(model);
  json["moe"] = model.is_moe();
  json["kv_bytes_per_token_fp16"] = number(catalog::kv_bytes_per_token_fp16(model));
  return json;
}

Json instance_json(const Instance& instance, const Catalog& catalog) {
  Json json = record_json(instance);
  if (instance.gpu.empty()) json["gpu_count"] = 0;
  json["gpu_memory_total_gb"] = number(catalog.gpu_memory_total_gb(instance));
  Json offers = Json::array();
  for (const catalog::Offer& offer : catalog.offers_of(instance)) {
    const catalog::Origin& origin = catalog.origin_of(offer);
    const catalog::Region& region = catalog.region_of(offer);
    Json entry{{"region", region.id},
               {"country", text_or_null(region.country)},
               {"term", to_text(offer.term)},
               {"currency", catalog.currency_of(offer).code()},
               {"price_per_hour", number(offer.per_hour())},
               {"as_of", text_or_null(Date::from_packed(offer.as_of).text())},
               {"source", text_or_null(origin.source)},
               {"confidence", to_text(origin.confidence)}};
    if (offer.period != catalog::Period::hour)
      entry["price_per_" + std::string(to_text(offer.period))] = number(offer.amount);
    if (!origin.note.empty()) entry["note"] = origin.note;
    offers.push_back(std::move(entry));
  }
  json["offers"] = std::move(offers);
  json["states"] = Json::array();
  for (const catalog::OfferState& state : catalog.states_of(instance)) json["states"].push_back(record_json(state));
  return json;
}

Json source_documents(const Json& record, const Catalog& catalog) {
  std::set<std::string> keys;
  const auto collect = [&](const Json& value, const auto& self) -> void {
    if (value.is_string()) keys.insert(value.get<std::string>());
    if (value.is_structured())
      for (const auto& item : value) self(item, self);
  };
  for (const auto& [key, value] : record.items()) {
    if (key.ends_with("sources")) collect(value, collect);
    if (key == "offers" || key == "states")
      for (const auto& offer : value) collect(offer["source"], collect);
  }
  Json documents = Json::object();
  for (const std::string& key : keys) {
    const catalog::Source* source = catalog.source(key);
    if (source == nullptr) continue;
    documents[key] = {{"publisher", source->publisher},           {"document", source->document},
                      {"url", text_or_null(source->url)},         {"date", text_or_null(source->date.text())},
                      {"licence", text_or_null(source->licence)}, {"confidence", to_text(source->confidence)}};
  }
  return documents;
}

Table gpu_table(std::span<const Gpu* const> gpus, bool wide) {
  std::vector<Column> columns{
      {say("GPU"), Align::left, 0},  {say("architecture"), Align::left, 4}, {say("year"), Align::right, 6},
      {say("GB"), Align::right, 0},  {say("GB/s"), Align::right, 0},        {say("FP16"), Align::right, 0},
      {say("FP8"), Align::right, 2}, {say("link GB/s"), Align::right, 3},   {say("cc"), Align::right, 5},
      {say("W"), Align::right, 5},   {say("name"), Align::left, 7, 12}};
  if (wide) {
    for (const std::string& title :
         {say("form"), say("memory"), say("usable GiB"), say("FP64"), say("FP32"), say("TF32"), say("BF16"), say("FP4"),
          say("INT8"), say("MIG"), say("RT"), say("NVENC")})
      columns.push_back({title, Align::right, 0});
  }
  Table table(std::move(columns));
  for (const Gpu* gpu : gpus) {
    std::vector<Cell> cells{std::string(gpu->id),
                            shown(gpu->architecture),
                            gpu->release_year ? format("{:.0f}", *gpu->release_year) : "?",
                            shown(gpu->memory_gb),
                            shown(gpu->memory_bandwidth_gbs),
                            shown(gpu->fp16_dense_tflops),
                            shown(gpu->fp8_dense_tflops),
                            shown(gpu->interconnect_gbs_bidir),
                            shown(gpu->compute_capability),
                            shown(gpu->tdp_w),
                            printable(gpu->name)};
    if (wide)
      for (const std::string& cell :
           {shown(gpu->form_factor), shown(gpu->memory_type), shown(gpu->memory_gib_usable), shown(gpu->fp64_tflops),
            shown(gpu->fp32_tflops), shown(gpu->tf32_dense_tflops), shown(gpu->bf16_dense_tflops),
            shown(gpu->fp4_dense_tflops), shown(gpu->int8_dense_tops), shown(gpu->mig_max_instances),
            shown(gpu->rt_cores), shown(gpu->nvenc_count)})
        cells.push_back(cell);
    table.add(std::move(cells));
  }
  return table;
}

Table model_table(std::span<const Model* const> models, bool wide) {
  std::vector<Column> columns{{say("model"), Align::left, 0},     {say("kind"), Align::left, 4},
                              {say("params B"), Align::right, 0}, {say("active B"), Align::right, 2},
                              {say("layers"), Align::right, 3},   {say("hidden"), Align::right, 3},
                              {say("context"), Align::right, 2},  {say("KV B/token"), Align::right, 2},
                              {say("dtype"), Align::left, 5, 6},  {say("licence"), Align::left, 6, 10}};
  if (wide)
    for (const std::string& title : {say("heads"), say("KV heads"), say("FFN"), say("vocabulary"), say("attention"),
                                     say("experts"), say("aliases")})
      columns.push_back({title, Align::left, 0});
  Table table(std::move(columns));
  for (const Model* model : models) {
    const auto whole = [](const Number& value) { return value ? format("{:.0f}", *value) : "?"; };
    std::vector<Cell> cells{std::string(model->id),
                            model->kind ? std::string(to_text(*model->kind)) : "?",
                            model->params_b ? format("{:.3g}", *model->params_b) : "?",
                            model->active_params_b ? format("{:.3g}", *model->active_params_b) : "",
                            whole(model->layers),
                            whole(model->hidden_size),
                            whole(model->max_context),
                            whole(catalog::kv_bytes_per_token_fp16(*model)),
                            shown(model->native_dtype),
                            shown(model->licence)};
    if (wide)
      for (const std::string& cell :
           {whole(model->heads), whole(model->kv_heads), whole(model->ffn_size), whole(model->vocab_size),
            shown(model->attention), model->is_moe() ? whole(model->experts) : "", in_words(model->aliases)})
        cells.push_back(cell);
    table.add(std::move(cells));
  }
  return table;
}

Table instance_table(std::span<const PricedInstance> instances, const Catalog& catalog, Currency currency, bool wide) {
  std::vector<Column> columns{{say("provider"), Align::left, 0},
                              {say("instance"), Align::left, 0, 16},
                              {say("GPUs"), Align::left, 0},
                              {say("GB"), Align::right, 3},
                              {say("vCPU"), Align::right, 2},
                              {say("GiB"), Align::right, 2},
                              {say("Gbit/s"), Align::right, 4},
                              {say("link"), Align::left, 5},
                              {say("region"), Align::left, 4, 8},
                              {say("term"), Align::left, 0},
                              {std::string(currency.code()) + "/h", Align::right, 0}};
  if (wide)
    for (const std::string& title : {say("as of"), say("status"), say("RDMA"), say("SSD GB"), say("CPU"), say("notes")})
      columns.push_back({title, Align::left, 0});
  Table table(std::move(columns));
  for (const PricedInstance& priced : instances) {
    const Instance& i = *priced.instance;
    const Number network = i.fabric_gbps ? i.fabric_gbps : i.network_gbps;
    const std::string gpus = i.gpu.empty() ? say("none") : format("{} × {}", share_text(i.gpu_count), i.gpu);
    std::vector<Cell> cells{std::string(i.provider),
                            printable(i.sku),
                            gpus,
                            i.gpu.empty() ? "" : shown(catalog.gpu_memory_total_gb(i)),
                            shown(i.vcpu),
                            shown(i.memory_gib),
                            shown(network),
                            i.link ? std::string(to_text(*i.link)) : "?",
                            priced.offer == nullptr ? "" : printable(catalog.region_of(*priced.offer).id),
                            priced.offer == nullptr ? "" : std::string(to_text(priced.offer->term)),
                            priced.offer == nullptr ? "?" : human_price(priced.hourly)};
    if (wide) {
      const Date date = priced.offer == nullptr ? Date{} : Date::from_packed(priced.offer->as_of);
      for (const std::string& cell :
           {date.text(), in_words(i.status), in_words(i.rdma), shown(i.local_ssd_gb), shown(i.cpu), printable(i.notes)})
        cells.push_back(cell);
    }
    table.add(std::move(cells));
  }
  return table;
}

std::string gpu_card(const Gpu& gpu, const Catalog& catalog, const Terminal& terminal) {
  return card(gpu, catalog, terminal);
}

std::string model_card(const Model& model, const Catalog& catalog, const Terminal& terminal) {
  const Number bytes = catalog::kv_bytes_per_token_fp16(model);
  return card(model, catalog, terminal) + "\n" +
         (bytes ? say("K/V cache: {} bytes per token at 16 bit", human_number(*bytes)) : say("K/V cache: unknown")) +
         "\n";
}

std::string instance_card(const Instance& instance, const Catalog& catalog, const Terminal& terminal) {
  Instance whole = instance;
  whole.gpu_memory_gb = catalog.gpu_memory_total_gb(instance);
  const std::string out = card(whole, catalog, terminal) + "\n";
  Table table({{say("region"), Align::left, 0},
               {say("term"), Align::left, 0},
               {say("per hour"), Align::right, 0},
               {say("currency"), Align::left, 0},
               {say("as of"), Align::left, 0},
               {say("confidence"), Align::left, 2},
               {say("source"), Align::left, 1, 12},
               {say("note"), Align::left, 3, 12}});
  for (const catalog::Offer& offer : catalog.offers_of(instance)) {
    const catalog::Origin& origin = catalog.origin_of(offer);
    const Date date = Date::from_packed(offer.as_of);
    table.add({printable(catalog.region_of(offer).id), std::string(to_text(offer.term)), human_price(offer.per_hour()),
               std::string(catalog.currency_of(offer).code()), date.known() ? date.text() : say("undated"),
               std::string(to_text(origin.confidence)), printable(origin.source), printable(origin.note)});
  }
  return out + (table.empty() ? say("no published price is known") + "\n" : table.text(terminal)) +
         states_text(instance, catalog, terminal);
}

}  // namespace gpusel::report
