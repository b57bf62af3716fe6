// gpusel models: what the catalogue knows of models, or what a file of one says.
#include "base/words/message.hpp"
#include "catalog/hf/hf_config.hpp"
#include "catalog/weights/quantised_name.hpp"
#include "cli/catalog/lists.hpp"
#include "show/catalogue/card.hpp"
#include "show/catalogue/catalog.hpp"
#include "show/catalogue/own_model.hpp"
#include "show/money/token_prices.hpp"

namespace gpusel::cli {

namespace {

constexpr std::string_view kModelsSchema = "gpusel.models/1";

struct ModelOptions {
  ListOptions list;
  answer::ModelLimits limits;
};

int show_file(Lists& lists, const catalog::Catalog& catalog, Context& context) {
  const auto model = catalog::read_model_file(lists.name());
  if (!model) return context.fail(model.error());
  return show_record({kModelsSchema, std::string((*model)->model.id),
                      [&] { return show::with_documents(show::own_model_json(**model), catalog); },
                      [&] { return show::own_model_card(**model, catalog); }},
                     context);
}

/// A quantised repository is shown as its base, and a copy as what it is of.
void note_base(std::string_view name, const catalog::Model& model, Context& context) {
  const auto quantised = catalog::quantised_name(name);
  std::vector<std::string_view> names{model.id};
  for (const std::string_view alias : model.aliases) names.push_back(alias);
  if (quantised && !catalog::is_called(names, name))
    context.note(say("'{}' is {} in {}; shown is the model itself", shorten(name, 80), model.id, quantised->format));
  const auto is_one = [&](std::string_view one) { return fold_name(one) == fold_name(name); };
  if (name.contains('/') && catalog::is_called(names, name.substr(name.rfind('/') + 1)) &&
      std::ranges::none_of(names, is_one))
    context.note(say("'{}' is taken as {}, which has that name", shorten(name, 80), model.id));
}

int run_models(ModelOptions& options, Context& context) {
  Lists lists(options.list, context);
  return lists.with_catalog([&](const catalog::Catalog& catalog) {
    if (options.list.shows_one()) {
      if (catalog::looks_like_path(lists.name())) return show_file(lists, catalog, context);
      const auto model = catalog.model(lists.name());
      if (!model) return context.fail(model.error());
      note_base(lists.name(), **model, context);
      return show_record({kModelsSchema, std::string((*model)->id),
                          [&] {
                            show::Json json = show::model_json(**model);
                            json["token_prices"] = show::token_prices_json(**model, catalog);
                            return show::with_documents(std::move(json), catalog);
                          },
                          [&] {
                            show::Document page = show::model_card(**model, catalog);
                            show::add_token_prices(**model, catalog, page);
                            return page;
                          }},
                         context);
    }
    auto models = answer::list_models(options.list.question, options.limits, catalog);
    if (!models) return context.fail(models.error());
    const auto as_json = [](const catalog::Model* model) { return show::model_json(*model); };
    return lists.list(std::move(*models), kModelsSchema, say("Models"), as_json, as_json,
                      [](const auto& records, bool wide) { return show::model_table(records, wide); });
  });
}

}  // namespace

Parsed make_models() {
  auto options = std::make_shared<ModelOptions>();
  answer::ModelLimits& limits = options->limits;
  Parsed parsed = list_command(options->list);
  const std::string group = say("Limits");
  parsed.flags.push_back({"--kind", "KIND",
                          say("decoder-llm, vlm, encoder, encoder-decoder, diffusion, cnn, vit or speech"), group,
                          [&limits](std::string_view given) -> Status {
                            if (!from_text<catalog::ModelKind>(given))
                              return job::not_one_of(given, enum_names<catalog::ModelKind>);
                            limits.kind = given;
                            return {};
                          }});
  parsed.flags.push_back({"--family", "MODEL-FAMILY", say("llama, qwen, bert …"), group, sets(limits.family)});
  parsed.flags.push_back(
      {"--licence,--license", "TEXT", say("text in the license's name: apache, mit …"), group, sets(limits.licence)});
  static constexpr job::Limits kParams{{.low = 1, .high = 1e15}, 1000};
  parsed.flags.push_back({"--min-params", "N", say("minimum parameters: 7B"), group, sets(limits.min_params, kParams)});
  parsed.flags.push_back(
      {"--max-params", "N", say("maximum parameters: 13B"), group, sets(limits.max_params, kParams)});
  parsed.flags.push_back(
      {"--min-context", "TOKENS", say("minimum context length: 128k"), group, sets(limits.min_context, job::kLength)});
  parsed.positional_places = {{"show", "MODEL"}};
  parsed.run = [options](Context& context) { return run_models(*options, context); };
  return parsed;
}

}  // namespace gpusel::cli
