#include "show/catalogue/catalog.hpp"
#include "show/job/question.hpp"

#include <cmath>
#include <set>

#include "base/words/message.hpp"
#include "show/json/tell.hpp"
#include "show/lists/words.hpp"
#include "show/money/price_history.hpp"

namespace gpusel::show {

namespace {

using catalog::Catalog;
using catalog::Field;
using catalog::Gpu;
using catalog::Instance;
using catalog::Model;
using catalog::Number;
using catalog::TextList;

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
std::string shown_or_none(const Number& value) { return value == 0.0 ? say("none") : shown(value); }
std::string shown(std::string_view value) { return value.empty() ? "?" : printable(value); }

}  // namespace

std::string share_text(const Number& count) {
  if (!count) return "?";
  const double parts = *count > 0 && *count < 1 ? std::round(1 / *count) : 1;
  const bool one_of = parts > 1 && std::abs(*count * parts - 1) < 0.01;
  return one_of ? format("1/{:.0f}", parts) : human_number(*count);
}

Json gpu_json(const Gpu& gpu) { return record_json(gpu); }

Json model_json(const Model& model) {
  Json json = record_json(model);
  json["moe"] = model.is_moe();
  json["kv_bytes_per_token_fp16"] = number(catalog::kv_bytes_per_token_fp16(model));
  return json;
}

Json provider_json(const catalog::Provider& provider, const Catalog& catalog) {
  Json json = record_json(provider);
  json["regions"] = Json::array();
  for (const catalog::Region& region : catalog.regions())
    if (region.provider == provider.id) json["regions"].push_back(record_json(region));
  return json;
}

SourceUse use_of(const catalog::Source& source, const Catalog& catalog) {
  const auto rests = [&](const auto& record) {
    bool named = false;
    visit_fields(record, [&](const Field& field, const auto& member) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(member)>, TextList>)
        if (field.json.ends_with("sources"))
          for (const std::string_view line : member) named = named || line.substr(line.find('=') + 1) == source.key;
    });
    return named;
  };
  const auto count = [&](const auto& records) {
    return static_cast<std::size_t>(std::ranges::count_if(records, rests));
  };
  SourceUse use{count(catalog.gpus()), count(catalog.models()), count(catalog.instances()), 0, 0};
  for (const auto prices : {catalog.offers(), catalog.history()})
    for (const catalog::Offer& offer : prices) use.offers += catalog.origin_of(offer).source == source.key;
  for (const catalog::RenderScore& score : catalog.render_scores()) use.scores += score.source == source.key;
  return use;
}

Json source_json(const catalog::Source& source, const Catalog& catalog) {
  Json json = record_json(source);
  const SourceUse use = use_of(source, catalog);
  json["rests_on_it"] = {{"gpus", use.gpus},
                         {"models", use.models},
                         {"instances", use.instances},
                         {"offers", use.offers},
                         {"render_scores", use.scores}};
  return json;
}

namespace {

Json offer_json(const catalog::Offer& offer, const Catalog& catalog) {
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
  return entry;
}

/// What the instance itself is, without offers.
Json machine_json(const Instance& instance, const Catalog& catalog) {
  Json json = record_json(instance);
  if (instance.gpu.empty()) json["gpu_count"] = 0;
  json["gpu_memory_total_gb"] = number(catalog.gpu_memory_total_gb(instance));
  return json;
}

}  // namespace

Json gpu_json(const answer::ListedGpu& gpu, const Catalog& catalog, Currency currency) {
  Json json = gpu_json(*gpu.gpu);
  json["render_scores"] =
      list_json(catalog.render_scores_of(*gpu.gpu), [](const auto& score) { return record_json(score); });
  const answer::GpuMarket& market = gpu.market;
  json["instances"] = market.instances;
  json["providers"] = market.providers;
  const bool priced = market.offer != nullptr;
  json["price_per_gpu_hour"] = priced ? number(market.per_gpu_hour) : Json(nullptr);
  json["price_currency"] = priced ? Json(currency.code()) : Json(nullptr);
  json["price_provider"] = priced ? Json(market.cheapest->provider) : Json(nullptr);
  json["price_sku"] = priced ? Json(market.cheapest->sku) : Json(nullptr);
  json["price_region"] = priced ? Json(catalog.region_of(*market.offer).id) : Json(nullptr);
  json["price_as_of"] = priced ? text_or_null(Date::from_packed(market.offer->as_of).text()) : Json(nullptr);
  json["price_source"] = priced ? text_or_null(catalog.origin_of(*market.offer).source) : Json(nullptr);
  return json;
}

Json instance_json(const Instance& instance, const Catalog& catalog) {
  Json json = machine_json(instance, catalog);
  json["offers"] =
      list_json(catalog.offers_of(instance), [&](const catalog::Offer& offer) { return offer_json(offer, catalog); });
  json["states"] = list_json(catalog.states_of(instance), [](const auto& state) { return record_json(state); });
  return json;
}

Json instance_json(const Instance& instance, const Catalog& catalog, Date today) {
  Json json = instance_json(instance, catalog);
  const money::PriceOutlook outlook(catalog, today);
  std::size_t i = 0;
  for (const catalog::Offer& offer : catalog.offers_of(instance)) {
    Json& entry = json["offers"][i++];
    entry.update(tree_of([&](JsonOut& out) { tell_price_today(out, outlook.expected(offer)); }));
    entry["history"] = history_json(offer, catalog);
  }
  return json;
}

Json listed_offer_json(const answer::Listed& listed, const Catalog& catalog, Currency currency) {
  if (listed.offer == nullptr) return nullptr;
  Json json = offer_json(*listed.offer, catalog);
  json["price"] = number(listed.hourly);
  json["price_currency"] = currency.code();
  return json;
}

Json offer_row_json(const answer::Listed& listed, const Catalog& catalog, Currency currency) {
  Json json = machine_json(*listed.instance, catalog);
  for (const char* key : {"price", "price_currency", "region", "country", "term", "currency", "price_per_hour", "as_of",
                          "source", "confidence"})
    json[key] = nullptr;
  const Json offer = listed_offer_json(listed, catalog, currency);
  if (!offer.is_null())
    for (const auto& [key, value] : offer.items())
      if (json.contains(key)) json[key] = value;
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
      for (const auto& offer : value) {
        collect(offer["source"], collect);
        if (offer.contains("history"))
          for (const auto& old : offer["history"]) collect(old["source"], collect);
      }
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

Json with_documents(Json record, const Catalog& catalog) {
  record["source_documents"] = source_documents(record, catalog);
  return record;
}

std::string gpus_text(const Instance& instance) {
  return instance.gpu.empty() ? say("none") : format("{} × {}", share_text(instance.gpu_count), instance.gpu);
}

Json verdict_json(const rules::FitnessVerdict& verdict) {
  Json ids = list_json(verdict.because, [](const rules::FitnessRule* one) { return one->rule.id; });
  return {{"verdict", to_text(verdict.fitness)}, {"reason", verdict.reason}, {"rules", std::move(ids)}};
}

namespace {

std::string price_text(const answer::ListedGpu& gpu) {
  return gpu.market.offer == nullptr ? "?" : human_price(gpu.market.per_gpu_hour);
}

/// Billions of parameters to three figures, and never with an exponent.
std::string billions_text(double billions) {
  return billions < 1000 ? format("{:.3g}", billions) : format("{:.0f}", billions);
}

}  // namespace

Table verdict_table(std::span<const answer::ListedGpu> gpus, Currency currency, bool wide) {
  Table table({left(say("GPU")), left(say("verdict")), right(say("GB"), 2), right(say("GB/s"), 3),
               right(say("{}/h", currency.code()), 1), left(say("why"), 0, wide ? 0U : 24U)});
  for (const answer::ListedGpu& listed : gpus)
    table.add({std::string(listed.gpu->id), said(listed.verdict.fitness), shown(listed.gpu->memory_gb),
               shown(listed.gpu->memory_bandwidth_gbs), price_text(listed), printable(listed.verdict.reason)});
  return table;
}

Table gpu_table(std::span<const answer::ListedGpu> gpus, Currency currency, bool wide) {
  std::vector<Column> columns{left(say("GPU")),
                              left(say("architecture"), 4),
                              right(say("year"), 6),
                              right(say("GB")),
                              right(say("GB/s")),
                              right(say("FP16")),
                              right(say("FP8"), 2),
                              right(say("link GB/s"), 3),
                              right(say("cc"), 5),
                              right(say("W"), 5),
                              right(say("{}/h", currency.code()), 1),
                              left(say("name"), 7, 12)};
  if (wide) {
    for (const std::string& title :
         {say("form"), say("memory"), say("usable GiB"), say("FP64"), say("FP32"), say("TF32"), say("BF16"), say("FP4"),
          say("INT8"), say("MIG"), say("RT"), say("NVENC")})
      columns.push_back(right(title));
  }
  Table table(std::move(columns));
  for (const answer::ListedGpu& listed : gpus) {
    const Gpu* gpu = listed.gpu;
    std::vector<Cell> cells{std::string(gpu->id),
                            shown(gpu->architecture),
                            gpu->release_year ? format("{:.0f}", *gpu->release_year) : "?",
                            shown(gpu->memory_gb),
                            shown(gpu->memory_bandwidth_gbs),
                            shown(gpu->fp16_dense_tflops),
                            shown_or_none(gpu->fp8_dense_tflops),
                            shown_or_none(gpu->interconnect_gbs_bidir),
                            shown(gpu->compute_capability),
                            shown(gpu->tdp_w),
                            price_text(listed),
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
  std::vector<Column> columns{left(say("model")),         left(say("kind"), 4),          right(say("params B")),
                              right(say("active B"), 2),  right(say("layers"), 3),       right(say("hidden"), 3),
                              right(say("context"), 2),   right(say("KV KiB/token"), 2), left(say("dtype"), 5, 6),
                              left(say("license"), 6, 10)};
  if (wide)
    for (const std::string& title : {say("heads"), say("KV heads"), say("FFN"), say("vocabulary"), say("attention"),
                                     say("experts"), say("aliases")})
      columns.push_back(left(title));
  Table table(std::move(columns));
  for (const Model* model : models) {
    const auto whole = [](const Number& value) { return value ? format("{:.0f}", *value) : "?"; };
    constexpr double kBytesPerKib = 1024;
    const Number kv = catalog::kv_bytes_per_token_fp16(*model);
    std::vector<Cell> cells{std::string(model->id),
                            model->kind ? said(*model->kind) : "?",
                            model->params_b ? billions_text(*model->params_b) : "?",
                            model->active_params_b ? billions_text(*model->active_params_b) : "",
                            whole(model->layers),
                            whole(model->hidden_size),
                            whole(model->max_context),
                            kv ? human_number(*kv / kBytesPerKib) : "?",
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

Table instance_table(std::span<const answer::Listed> instances, const Catalog& catalog, Currency currency,
                     InstanceColumns shown_as) {
  const bool wide = shown_as.wide;
  const auto price = [&](const answer::Listed& one, double gpus = 1) {
    if (one.offer == nullptr) return std::string("?");
    if (!shown_as.published) return human_price(one.hourly / gpus);
    return with_currency(listed_price(one.offer->per_hour() / gpus), catalog.currency_of(*one.offer));
  };
  std::vector<Column> columns{left(say("provider")),
                              left(say("instance"), 0, 16),
                              left(say("GPUs"), 1),
                              right(say("GB"), 3),
                              right(say("vCPU"), 2),
                              right(say("GiB"), 2),
                              right(say("Gbit/s"), 4),
                              left(say("link"), 5),
                              left(say("region"), 2),
                              left(say("term"), 2),
                              right(shown_as.published ? say("per hour") : say("{}/h", currency.code())),
                              right(say("per GPU"), 1),
                              left(say("price date"), 3)};
  if (wide)
    for (const std::string& title : {say("status"), say("RDMA"), say("SSD GB"), say("CPU"), say("notes")})
      columns.push_back(left(title));
  Table table(std::move(columns));
  for (const answer::Listed& priced : instances) {
    const Instance& i = *priced.instance;
    const Number network = i.fabric_gbps ? i.fabric_gbps : i.network_gbps;
    std::vector<Cell> cells{
        std::string(i.provider),
        printable(i.sku),
        gpus_text(i),
        i.gpu.empty() ? "" : shown(catalog.gpu_memory_total_gb(i)),
        shown(i.vcpu),
        shown(i.memory_gib),
        shown(network),
        i.link ? std::string(to_text(*i.link)) : "?",
        priced.offer == nullptr ? "" : printable(catalog.region_of(*priced.offer).id),
        priced.offer == nullptr ? Cell("") : Cell(said(priced.offer->term), std::string(to_text(priced.offer->term))),
        price(priced),
        priced.offer == nullptr || i.gpu.empty() || i.gpu_count.value_or(0) <= 0 ? "" : price(priced, *i.gpu_count)};
    const Date date = priced.offer == nullptr ? Date{} : Date::from_packed(priced.offer->as_of);
    cells.emplace_back(date.text());
    if (wide) {
      for (const std::string& cell :
           {in_words(i.status), in_words(i.rdma), shown(i.local_ssd_gb), shown(i.cpu), printable(i.notes)})
        cells.push_back(cell);
    }
    table.add(std::move(cells));
  }
  return table;
}

}  // namespace gpusel::show
