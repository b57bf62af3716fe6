// gpusel catalog show: any one record of the catalogue, whatever its kind.
#include <algorithm>
#include <memory>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "cli/catalog/lists.hpp"
#include "job/limits/families.hpp"
#include "show/catalogue/card.hpp"
#include "show/catalogue/catalog.hpp"

namespace gpusel::cli {

namespace {

constexpr std::string_view kCatalogSchema = "gpusel.catalog-show/1";

struct ShowOptions {
  std::vector<std::string> words;  // NAME, or KIND NAME
};

using Catalog = catalog::Catalog;

bool is_known_gpu(const Catalog& c, std::string_view name) {
  return c.gpu(name) || !answer::gpus_called(name, c).empty();
}
bool is_known_model(const Catalog& c, std::string_view name) { return c.model(name).has_value(); }
bool is_known_instance(const Catalog& c, std::string_view name) {
  return c.instance(name) || job::family_called(name, c);
}
bool is_known_provider(const Catalog& c, std::string_view name) { return c.provider(name).has_value(); }
bool is_known_source(const Catalog& c, std::string_view name) { return c.source(name) != nullptr; }

/// The command that shows such a record by itself, with "show NAME".
template <Parsed (*make)()>
int by_list(const Catalog&, const std::string& name, Context& context) {
  Parsed parsed = make();
  for (const std::string& word : {std::string("show"), name})
    if (Status set = parsed.positional_set(word); !set) return context.fail(set.error());
  return parsed.run(context);
}

int show_provider(const Catalog& catalog, const std::string& name, Context& context) {
  const catalog::Provider& provider = **catalog.provider(name);
  return show_record(
      {kCatalogSchema, std::string(provider.name), [&] { return show::provider_json(provider, catalog); },
       [&] { return show::provider_card(provider, catalog); }},
      context);
}

int show_source(const Catalog& catalog, const std::string& name, Context& context) {
  const catalog::Source& source = *catalog.source(name);
  return show_record({kCatalogSchema, std::string(source.key), [&] { return show::source_json(source, catalog); },
                      [&] { return show::source_card(source, catalog); }},
                     context);
}

struct ShownKind {
  std::string_view name;
  bool (*knows)(const Catalog&, std::string_view name);
  int (*show)(const Catalog&, const std::string& name, Context&);
};

/// In this order a name is looked for.
constexpr ShownKind kKinds[] = {
    {"gpu", is_known_gpu, by_list<make_gpus>},
    {"model", is_known_model, by_list<make_models>},
    {"instance", is_known_instance, by_list<make_instances>},
    {"provider", is_known_provider, show_provider},
    {"source", is_known_source, show_source},
};

std::string nearest(const Catalog& catalog, const std::string& name) {
  std::vector<std::string_view> known;
  for (const auto& gpu : catalog.gpus()) known.push_back(gpu.id);
  for (const auto& model : catalog.models()) known.push_back(model.id);
  for (const auto& instance : catalog.instances()) known.push_back(instance.sku);
  for (const auto& provider : catalog.providers()) known.push_back(provider.id);
  for (const auto& source : catalog.sources()) known.push_back(source.key);
  return did_you_mean(name, known);
}

}  // namespace

std::optional<int> show_any(const Catalog& catalog, const std::string& name, Context& context, std::string_view of) {
  for (const ShownKind& kind : kKinds)
    if ((of.empty() || kind.name == of) && kind.knows(catalog, name)) return kind.show(catalog, name, context);
  return std::nullopt;
}

namespace {

int run_show(const ShowOptions& options, Context& context) {
  if (options.words.size() > 2)
    return context.fail(Error{ErrorKind::usage, say("'show' takes one name"), {}, say("as in: source aws-price-list")});
  const auto catalog = context.load_catalog();
  if (!catalog) return context.fail(catalog.error());
  const std::string& name = options.words.back();
  const bool any = options.words.size() == 1;
  std::vector<std::string_view> kinds;
  for (const ShownKind& kind : kKinds) kinds.push_back(kind.name);
  if (const auto shown = show_any(*catalog, name, context, any ? std::string_view() : options.words.front()))
    return *shown;
  if (!any && std::find(kinds.begin(), kinds.end(), options.words.front()) == kinds.end()) {
    const Status wrong = job::not_one_of(options.words.front(), kinds);
    return context.fail(wrong.error());
  }
  for (const ShownKind& kind : kKinds)
    if (kind.knows(*catalog, name))
      return context.fail(Error{ErrorKind::usage,
                                say("'{}' is no {}", shorten(name, 60), options.words.front()),
                                {},
                                say("it is a {}", kind.name)});
  return context.fail(
      Error{ErrorKind::usage, say("unknown name '{}'", shorten(name, 60)), {}, nearest(*catalog, name)});
}

}  // namespace

Parsed make_catalog_show() {
  auto options = std::make_shared<ShowOptions>();
  Parsed parsed;
  parsed.positional = "[KIND] NAME";
  parsed.positional_places = {{"", "GPU|MODEL|SKU|PROVIDER|SOURCE"},
                              {"gpu", "GPU"},
                              {"model", "MODEL"},
                              {"instance", "SKU"},
                              {"provider", "PROVIDER"},
                              {"source", "SOURCE"}};
  parsed.positional_help = say("a GPU, model, instance, provider or source; KIND if the name is ambiguous");
  parsed.positional_required = true;
  parsed.positional_set = appends_to(options->words);
  parsed.run = [options](Context& context) { return run_show(*options, context); };
  return parsed;
}

}  // namespace gpusel::cli
