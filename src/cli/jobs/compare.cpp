// gpusel compare A B …: GPUs or instances side by side, with a job's figures if one is given.
#include <algorithm>
#include <memory>

#include "answer/facts/limits.hpp"
#include "answer/lists/compare.hpp"
#include "answer/lists/like.hpp"
#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "cli/commands.hpp"
#include "cli/question/answer.hpp"
#include "cli/question/job.hpp"
#include "cli/question/named.hpp"
#include "cli/question/usual_gpu.hpp"
#include "cli/words/left_out.hpp"
#include "show/lists/compare.hpp"

namespace gpusel::cli {

namespace {

const std::vector<std::string> kNoRuleFiles;

struct CompareOptions {
  std::vector<std::string> names;
  answer::Question question;
  bool explain = false;
  bool specs = false;
  bool sources = false;
};

/// A name that stands for several is each of them, and a family its smallest size; `taken` says what else was meant.
std::vector<std::string> each_named(const std::vector<std::string>& names, const catalog::Catalog& catalog,
                                    std::vector<std::string>& taken, Context& context) {
  std::vector<std::string> out;
  for (const std::string& name : names) {
    const std::string bare(job::counted_gpu(name).name);
    const auto at = name.find(bare);
    const auto with = [&](std::string_view id) { return std::string(name).replace(at, bare.size(), id); };
    const bool known = catalog.has_instance(name) || catalog.has_gpu(bare) || catalog.has_instance(bare);
    const auto gpus = answer::gpus_called(bare, catalog);
    const auto smallest = known || !gpus.empty() ? nullptr : answer::base_called(bare, catalog).value_or(nullptr);
    std::string usual = bare;
    if (std::string words = take_usual_gpu(usual, catalog); !words.empty()) taken.push_back(std::move(words));
    if (smallest != nullptr) {
      context.note(say("{} is a family: compared with its smallest, {}/{}", bare, smallest->provider, smallest->sku));
      out.push_back(with(format("{}/{}", smallest->provider, smallest->sku)));
    } else if (usual != bare && catalog.gpu(bare) && usual != (*catalog.gpu(bare))->id) {
      out.push_back(with(usual));
    } else if (known || gpus.empty()) {
      out.push_back(name);
    } else {
      for (const catalog::Gpu* gpu : gpus) out.push_back(with(gpu->id));
    }
  }
  return out;
}

int run_compare(CompareOptions& options, Context& context) {
  const auto ground = prepare({options.question.constraints, &kNoRuleFiles}, context);
  if (!ground) return ground.error();
  options.question.today = ground->today;
  // Beside two that are compared, a provider says whose prices count.
  const bool sold = std::ranges::count_if(options.names, [&](const std::string& name) {
                      return ground->catalog.has_gpu(name) || !ground->catalog.provider(name);
                    }) > 1;
  const Spoken spoken{options.question.request, &options.question.constraints, sold ? Takes::sold : Takes::job};
  if (const auto settled = settle_question(options.names, spoken, &options.question.currency, ground->catalog, context);
      !settled)
    return settled.error();
  std::vector<std::string> taken;
  const auto names = each_named(options.names, ground->catalog, taken, context);
  std::vector<std::string> sellers;  // of all that is compared, or none
  for (const std::string& name : names)
    if (const auto instance = ground->catalog.instance(name); instance) sellers.emplace_back((*instance)->provider);
  if (sellers.size() == names.size()) settle_currency(options.question.currency, sellers, ground->catalog, context);
  const auto comparison =
      answer::compare(names, options.question, ground->catalog, ground->rules, ground->coefficients, options.explain);
  if (!comparison) return context.fail(as_flag(comparison.error()));
  if (std::string sizing = answer::sizing_note(options.question.request); !sizing.empty()) context.note(sizing);
  if (options.explain && !comparison->work)
    context.note(say("--explain shows a job's figures: add --model and --task"));
  print({.data = [&] { return show::compare_json(*comparison, ground->catalog); },
         .document =
             [&](bool all) {
               show::Document page =
                   show::compare_page(*comparison, ground->catalog,
                                      {all, all || options.specs, all || options.sources || options.explain});
               for (const std::string& words : taken) page.line(say("Note: {}", words));
               return page;
             },
         .csv = [&] { return show::compare_table(*comparison, ground->catalog); }},
        ground->format, context);
  tell_left_out(ground->format, {{options.explain, "--explain"}}, context);
  std::vector<const catalog::Offer*> offers;
  for (const answer::Compared& item : comparison->items) offers.push_back(item.offer);
  return gate_price_age(options.question.constraints, offers, ground->today, context, kOk);
}

}  // namespace

Parsed make_compare() {
  auto options = std::make_shared<CompareOptions>();
  Parsed parsed;
  parsed.positional = "NAMES";
  parsed.positional_places = {{"", "GPU|SKU"}};
  parsed.positional_help =
      say("GPUs, instances, or several of one, two or more: h100:8, \"2x p4d.24xlarge\"; and a model");
  parsed.positional_required = true;
  parsed.positional_set = [options](std::string_view name) -> Status {
    static constexpr std::string_view kBetween[] = {"vs", "vs.", "versus", "and", "or"};
    if (std::ranges::find(kBetween, name) != std::end(kBetween)) return {};
    for (const std::string_view one : split(name, ','))  // "h100,a100"
      if (!trim(one).empty()) options->names.emplace_back(trim(one));
    return {};
  };
  std::vector<job::Option<job::Request>> job;
  for (const auto& option : job::request_options())
    if (option.key != "gpu" && option.key != "nodes" && option.key != "id") job.push_back(option);
  add_options<job::Request>(parsed.flags, job, options->question.request);
  add_limits(parsed.flags, options->question.constraints,
             [](const auto& limit) { return limit.on.subject == job::Subject::offer || limit.also.of_ending; });
  add_use_flags(parsed.flags, options->question);
  const std::string group = say("Output and data");
  parsed.flags.push_back({"--specs", "", say("every figure of the hardware too"), group, turns_on(options->specs)});
  parsed.flags.push_back({"--sources,--why", "", say("where prices come from, what was assumed, and the plans"), group,
                          turns_on(options->sources)});
  parsed.flags.push_back({"--explain", "", say("formula, substituted values and source of the job's figures"), group,
                          turns_on(options->explain)});
  parsed.flags.push_back(currency_flag(options->question.currency));
  parsed.shows_prices = true;
  parsed.run = [options](Context& context) { return run_compare(*options, context); };
  return parsed;
}

}  // namespace gpusel::cli
