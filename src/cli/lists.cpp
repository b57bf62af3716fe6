// gpusel gpus, instances and models: what the catalogue knows, as a list or one record with sources.
#include <algorithm>
#include <memory>

#include "cli/commands.hpp"
#include "gpusel/advise/list.hpp"
#include "gpusel/base/message.hpp"
#include "gpusel/base/text.hpp"
#include "gpusel/catalog/hf_config.hpp"
#include "report/catalog.hpp"
#include "report/records.hpp"
#include "report/yaml.hpp"

namespace gpusel::cli {

namespace {

struct ListOptions {
  std::vector<std::string> words;  // "show ID", or words that must occur
  std::optional<std::int64_t> limit;
  std::vector<std::string> sort_by;  // keys of the JSON item, "-" in front: largest first
  workload::Constraints constraints;
  Currency currency = Currency::usd();
  std::string kind;
  std::string family;

  bool shows_one() const { return !words.empty() && words.front() == "show"; }
};

/// Whether every word occurs in one of the texts.
bool matches(const std::vector<std::string>& words, std::initializer_list<std::string_view> texts) {
  return std::all_of(words.begin(), words.end(), [&](const std::string& word) {
    const std::string folded = fold_name(word);
    return std::any_of(texts.begin(), texts.end(),
                       [&](std::string_view text) { return fold_name(text).find(folded) != std::string::npos; });
  });
}

/// Smaller first, text by letters; what is unknown comes last either way.
bool comes_before(const report::Json& a, const report::Json& b, bool descending) {
  if (a.is_null() || b.is_null()) return !a.is_null();
  return descending ? b < a : a < b;
}

/// The figure a key of a list's item stands for; null where it is unknown.
template <class Record, class MakeJson>
report::Json sort_value(const Record& record, const std::string& key, MakeJson make_json) {
  if constexpr (std::is_same_v<Record, report::PricedInstance>)
    if (key == "price") return record.offer == nullptr ? report::Json(nullptr) : report::Json(record.hourly);
  const report::Json item = make_json(record);
  return item.contains(key) && !item[key].is_structured() ? item[key] : report::Json(nullptr);
}

template <class Record, class MakeJson>
Status sort_records(std::vector<Record>& records, const std::vector<std::string>& keys, MakeJson make_json) {
  for (auto key = keys.rbegin(); key != keys.rend() && !records.empty(); ++key) {
    const bool descending = key->starts_with('-');
    std::string name = key->substr(descending ? 1 : 0);
    std::replace(name.begin(), name.end(), '-', '_');
    std::vector<std::pair<report::Json, Record>> keyed;
    keyed.reserve(records.size());
    for (const Record& record : records) keyed.emplace_back(sort_value(record, name, make_json), record);
    if (std::all_of(keyed.begin(), keyed.end(), [](const auto& entry) { return entry.first.is_null(); })) {
      const report::Json item = make_json(records.front());
      std::vector<std::string> known{"price"};
      for (const auto& member : item.items()) known.push_back(member.key());
      const std::vector<std::string_view> names(known.begin(), known.end());
      return usage_error(say("cannot sort by '{}'", shorten(name, 40)), "--sort-by", did_you_mean(name, names));
    }
    std::stable_sort(keyed.begin(), keyed.end(),
                     [&](const auto& a, const auto& b) { return comes_before(a.first, b.first, descending); });
    std::transform(keyed.begin(), keyed.end(), records.begin(), [](const auto& entry) { return entry.second; });
  }
  return {};
}

class Lists {
 public:
  Lists(const ListOptions& options, Context& context) : options_(options), context_(context) {}

  /// Loads the catalogue, settles the format, and runs `action`.
  template <class Action>
  int with_catalog(Action action) {
    const auto format = context_.format();
    if (!format) return context_.fail(format.error());
    format_ = *format;
    if (options_.shows_one() && options_.words.size() != 2)
      return context_.fail(Error{ErrorKind::usage, say("'show' takes one name"), {}, {}});
    const auto catalog = context_.load_catalog();
    if (!catalog) return context_.fail(catalog.error());
    return action(*catalog);
  }

  /// One record as JSON or as a card.
  int show(report::Json json, std::string_view schema, const std::string& card, const catalog::Catalog& catalog) {
    if (!report::is_data(format_)) {
      context_.out.write(card);
      return kOk;
    }
    json["source_documents"] = report::source_documents(json, catalog);
    context_.out.write(report::dump_as(format_, {{"schema", schema}, {"item", std::move(json)}}));
    return kOk;
  }

  /// Many records as JSON, or as a table in the wanted format.
  template <class Record, class MakeJson, class MakeTable>
  int list(std::vector<Record> records, std::string_view schema, MakeJson make_json, MakeTable make_table) {
    const std::size_t all = records.size();
    if (Status sorted = sort_records(records, options_.sort_by, make_json); !sorted)
      return context_.fail(sorted.error());
    if (options_.limit && records.size() > static_cast<std::size_t>(*options_.limit))
      records.resize(static_cast<std::size_t>(*options_.limit));
    if (report::is_data(format_) || format_ == "csv") {
      report::Json items = report::Json::array();
      for (const Record& record : records) items.push_back(make_json(record));
      if (format_ == "csv")
        context_.out.write(report::csv_of(items));
      else
        context_.out.write(report::dump_as(format_, {{"schema", schema}, {"items", std::move(items)}}));
      return kOk;
    }
    report::Terminal terminal = context_.terminal();
    if (format_ == "wide") terminal.width = 0;
    context_.out.write(make_table(records, format_ != "table").as(format_, terminal));
    if (records.size() < all) context_.note(say("{} of {} shown", records.size(), all));
    if (all == 0) {
      context_.note(say("nothing matches"));
      return kNothing;
    }
    return kOk;
  }

  const std::string& name() const { return options_.words[1]; }

 private:
  const ListOptions& options_;
  Context& context_;
  std::string format_;
};

int run_gpus(const ListOptions& options, Context& context) {
  Lists lists(options, context);
  return lists.with_catalog([&](const catalog::Catalog& catalog) {
    constexpr std::string_view kSchema = "gpusel.gpus/1";
    if (options.shows_one()) {
      const auto gpu = catalog.gpu(lists.name());
      if (!gpu) return context.fail(gpu.error());
      return lists.show(report::gpu_json(**gpu), kSchema, report::gpu_card(**gpu, catalog, context.terminal()),
                        catalog);
    }
    std::vector<const catalog::Gpu*> gpus;
    for (const catalog::Gpu& gpu : catalog.gpus())
      if (matches(options.words, {gpu.id, gpu.name, gpu.architecture, gpu.vendor, gpu.aliases.joined()}))
        gpus.push_back(&gpu);
    return lists.list(
        std::move(gpus), kSchema, [](const catalog::Gpu* gpu) { return report::gpu_json(*gpu); },
        [](const auto& records, bool wide) { return report::gpu_table(records, wide); });
  });
}

int show_config(Lists& lists, const std::string& path, const catalog::Catalog& catalog, Context& context) {
  const auto config = catalog::read_config_file(path);
  if (!config) return context.fail(config.error());
  report::Json json = report::model_json((*config)->model);
  json["unread"] = (*config)->unread;
  return lists.show(std::move(json), "gpusel.models/1",
                    report::model_card((*config)->model, catalog, context.terminal()), catalog);
}

int run_models(const ListOptions& options, Context& context) {
  Lists lists(options, context);
  return lists.with_catalog([&](const catalog::Catalog& catalog) {
    constexpr std::string_view kSchema = "gpusel.models/1";
    if (options.shows_one()) {
      if (catalog::looks_like_path(lists.name())) return show_config(lists, lists.name(), catalog, context);
      const auto model = catalog.model(lists.name());
      if (!model) return context.fail(model.error());
      return lists.show(report::model_json(**model), kSchema, report::model_card(**model, catalog, context.terminal()),
                        catalog);
    }
    std::vector<const catalog::Model*> models;
    for (const catalog::Model& model : catalog.models()) {
      const bool kind = options.kind.empty() || (model.kind && to_text(*model.kind) == options.kind);
      const bool family = options.family.empty() || model.family == lower(options.family);
      if (kind && family && matches(options.words, {model.id, model.family, model.aliases.joined()}))
        models.push_back(&model);
    }
    return lists.list(
        std::move(models), kSchema, [](const catalog::Model* model) { return report::model_json(*model); },
        [](const auto& records, bool wide) { return report::model_table(records, wide); });
  });
}

int run_instances(const ListOptions& options, Context& context) {
  Lists lists(options, context);
  return lists.with_catalog([&](const catalog::Catalog& catalog) {
    constexpr std::string_view kSchema = "gpusel.instances/1";
    if (options.shows_one()) {
      const auto instance = catalog.instance(lists.name());
      if (!instance) return context.fail(instance.error());
      return lists.show(report::instance_json(**instance, catalog), kSchema,
                        report::instance_card(**instance, catalog, context.terminal()), catalog);
    }
    const auto today = context.today();
    if (!today) return context.fail(today.error());
    const auto coefficients = load_coefficients(catalog);
    if (!coefficients) return context.fail(coefficients.error());
    const auto listed = advise::list_instances(options.constraints, options.currency, *today, catalog, *coefficients);
    if (!listed) return context.fail(listed.error());
    std::vector<report::PricedInstance> priced;
    for (const advise::Listed& one : *listed) {
      const catalog::Instance& i = *one.instance;
      if (matches(options.words, {i.sku, i.family, i.provider, i.gpu})) priced.push_back({&i, one.offer, one.hourly});
    }
    return lists.list(
        std::move(priced), kSchema,
        [&](const report::PricedInstance& one) { return report::instance_json(*one.instance, catalog); },
        [&](const auto& records, bool wide) {
          return report::instance_table(records, catalog, options.currency, wide);
        });
  });
}

Parsed make_list(const std::shared_ptr<ListOptions>& options, int (*run)(const ListOptions&, Context&)) {
  Parsed parsed;
  parsed.positional = "WORDS";
  parsed.positional_help = say("'show NAME' for one with its sources, or words that must occur");
  parsed.positional_set = [options](std::string_view word) -> Status {
    options->words.emplace_back(word);
    return {};
  };
  parsed.flags.push_back(
      {"-n,--limit,--max-results,--top", "N", say("rows to show"), say("List"),
       [options](std::string_view text) { return workload::assign(text, options->limit, workload::kCount); }});
  parsed.flags.push_back({"--sort-by", "KEYS", say("keys of the JSON item, as in -memory_gb,id; instances also: price"),
                          say("List"), [options](std::string_view text) -> Status {
                            for (const std::string_view key : split(text, ','))
                              if (!key.empty()) options->sort_by.emplace_back(key);
                            return {};
                          }});
  parsed.run = [options, run](Context& context) { return run(*options, context); };
  return parsed;
}

}  // namespace

Parsed make_gpus() { return make_list(std::make_shared<ListOptions>(), run_gpus); }

Parsed make_models() {
  auto options = std::make_shared<ListOptions>();
  Parsed parsed = make_list(options, run_models);
  parsed.flags.push_back({"--kind", "KIND",
                          say("decoder-llm, vlm, encoder, encoder-decoder, diffusion, cnn, vit or speech"), say("List"),
                          [options](std::string_view text) -> Status {
                            if (!from_text<catalog::ModelKind>(text))
                              return workload::not_one_of(text, enum_names<catalog::ModelKind>);
                            options->kind = text;
                            return {};
                          }});
  parsed.flags.push_back({"--family", "NAME", say("llama, qwen, bert …"), say("List"),
                          [options](std::string_view text) { return workload::assign(text, options->family); }});
  return parsed;
}

Parsed make_instances() {
  auto options = std::make_shared<ListOptions>();
  Parsed parsed = make_list(options, run_instances);
  std::vector<workload::Option<workload::Constraints>> limits;
  static constexpr std::string_view kOfJobs[] = {"budget", "deadline", "nodes", "max_nodes", "include_unavailable"};
  for (const auto& option : workload::constraint_options())
    if (std::find(std::begin(kOfJobs), std::end(kOfJobs), option.key) == std::end(kOfJobs)) limits.push_back(option);
  add_options<workload::Constraints>(parsed.flags, limits, options->constraints);
  parsed.flags.push_back(currency_flag(options->currency));
  return parsed;
}

}  // namespace gpusel::cli
