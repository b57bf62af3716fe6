// gpusel gpus: what the catalogue knows of GPUs, as a list or one with its sources.
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "cli/catalog/lists.hpp"
#include "cli/question/named.hpp"
#include "show/catalogue/card.hpp"
#include "show/catalogue/catalog.hpp"

namespace gpusel::cli {

namespace {

constexpr std::string_view kGpusSchema = "gpusel.gpus/1";

struct GpuOptions {
  ListOptions list;
  std::string purpose;
};

int show_gpu(Lists& lists, const answer::ListQuestion& question, const catalog::Catalog& catalog, Context& context) {
  const Currency currency = question.currency;
  const auto gpu = catalog.gpu(lists.name());
  if (!gpu) return context.fail(gpu.error());
  const auto markets = answer::gpu_markets(currency, catalog, question.today);
  if (!markets) return context.fail(markets.error());
  const auto purposes = rules::read_purposes(catalog.documents("verdicts"));
  if (!purposes) return context.fail(purposes.error());
  const auto coefficients = load_coefficients(catalog);
  if (!coefficients) return context.fail(coefficients.error());
  const rules::Facts facts = answer::gpu_facts(**gpu, catalog, *coefficients);
  const answer::ListedGpu one{.gpu = *gpu,
                              .market = (*markets)[static_cast<std::size_t>(*gpu - catalog.gpus().data())]};
  show::Verdicts verdicts;
  for (const rules::Purpose& purpose : *purposes) verdicts.emplace_back(purpose.id, rules::judge(purpose, facts));
  const auto as_json = [&] {
    show::Json json = show::gpu_json(one, catalog, currency);
    for (const auto& [purpose, verdict] : verdicts) json["verdicts"][purpose] = show::verdict_json(verdict);
    return show::with_documents(std::move(json), catalog);
  };
  return show_record({kGpusSchema, std::string((*gpu)->name), as_json,
                      [&] { return show::gpu_card(one, verdicts, catalog, currency); }},
                     context);
}

int list_gpus(Lists& lists, const GpuOptions& options, const catalog::Catalog& catalog, Context& context) {
  const answer::ListQuestion& question = options.list.question;
  const auto purposes = rules::read_purposes(catalog.documents("verdicts"));
  if (!purposes) return context.fail(purposes.error());
  const rules::Purpose* purpose = nullptr;
  if (!options.purpose.empty()) {
    auto found = rules::find_purpose(options.purpose, *purposes);
    if (!found) {
      found.error().where = "--for";
      return context.fail(found.error());
    }
    purpose = *found;
  }
  const auto coefficients = load_coefficients(catalog);
  if (!coefficients) return context.fail(coefficients.error());
  auto gpus = answer::list_gpus(question, purpose, catalog, *coefficients);
  if (!gpus) return context.fail(gpus.error());
  const auto as_json = [&](const answer::ListedGpu& gpu) {
    show::Json json = show::gpu_json(gpu, catalog, question.currency);
    if (purpose != nullptr) {
      json["purpose"] = purpose->id;
      json.update(show::verdict_json(gpu.verdict));
    }
    return json;
  };
  return lists.list(
      std::move(*gpus), kGpusSchema, say("GPUs"), as_json, as_json,
      [&](const auto& records, bool wide) {
        return purpose != nullptr ? show::verdict_table(records, question.currency, wide)
                                  : show::gpu_table(records, question.currency, wide);
      },
      say("{}/h: one GPU on demand, cheapest seller, estimated for today (gpusel instances GPU)",
          question.currency.code()));
}

int run_gpus(GpuOptions& options, Context& context) {
  Lists lists(options.list, context);
  return lists.with_catalog([&](const catalog::Catalog& catalog) {
    answer::ListQuestion& question = options.list.question;
    // A slice is one of those of its GPU, whose card lists them.
    if (options.list.shows_one() && lists.name().contains(':') && !catalog.has_gpu(lists.name()))
      question.words[1] = lists.name().substr(0, lists.name().find(':'));
    if (options.list.shows_one() && !question.constraints.named_clouds().empty())
      return context.fail(Error{ErrorKind::usage, say("does not apply to a single GPU: all clouds are shown"),
                                "--cloud",
                                format("gpusel instances {} --cloud {}", printable(lists.name()),
                                       printable(question.constraints.named_clouds().front()))});
    const bool is_group = options.list.shows_one() && !catalog.has_gpu(lists.name()) &&
                          !answer::gpus_called(lists.name(), catalog).empty();
    if (options.list.shows_one() && !is_group) return show_gpu(lists, question, catalog, context);
    take_makers(question.words, question.constraints);
    if (is_group) question.words.erase(question.words.begin());  // several go by the name
    tell_broad_names(options.list.question.constraints, catalog, context);
    return list_gpus(lists, options, catalog, context);
  });
}

}  // namespace

Parsed make_gpus() {
  auto options = std::make_shared<GpuOptions>();
  Parsed parsed = list_command(options->list);
  add_limits(parsed.flags, options->list.question.constraints,
             [](const auto& limit) { return limit.on.subject == job::Subject::gpu || limit.option.key == "cloud"; });
  parsed.flags.push_back(currency_flag(options->list.question.currency));
  parsed.flags.push_back({"--for", "training|finetune|inference|rendering|streaming",
                          say("verdict and reason: training, finetune, inference, rendering, streaming"), say("List"),
                          sets(options->purpose)});
  parsed.positional_places = {{"show", "GPU"}};
  parsed.run = [options](Context& context) { return run_gpus(*options, context); };
  return parsed;
}

}  // namespace gpusel::cli
