// gpusel whatif: one or two inputs varied, and what that does to the answer.
#include <algorithm>
#include <iterator>
#include <memory>

#include "answer/whatif/whatif.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "cli/commands.hpp"
#include "cli/question/answer.hpp"
#include "cli/question/job.hpp"
#include "show/whatif/whatif.hpp"

namespace gpusel::cli {

namespace {

struct WhatIfOptions {
  answer::WhatIfQuestion question;
  // What the flags' values are tried on; the answer is asked from the settings.
  job::Request request;
  job::Constraints constraints;
  money::Duty duty;
  money::Extras extras;
  answer::LoadQuestion load;
  std::vector<std::string> rule_files;
  bool all = false;
  std::optional<std::int64_t> limit;  // rows of each table
  std::vector<std::string> words;
};

int show(const answer::WhatIf& answer, const LoadedFacts& ground, const WhatIfOptions& options, Context& context) {
  const catalog::Catalog& catalog = ground.catalog;
  print({.data =
             [&] {
               show::Json json = show::whatif_json(answer, catalog);
               json["assumed"]["today"] = ground.today.text();
               return json;
             },
         .document =
             [&](bool all) {
               return show::whatif_page(answer, catalog, all || options.all || options.question.explained,
                                        static_cast<std::size_t>(options.limit.value_or(0)));
             },
         .csv = [&] { return show::whatif_table(answer, catalog); }},
        ground.format, context);
  std::vector<const catalog::Offer*> offers;
  const auto add = [&](const answer::Outcome& one) {
    const auto same = [&](const catalog::Offer* other) {
      return other->instance == one.offer.instance && other->region == one.offer.region &&
             other->term == one.offer.term;
    };
    if (one.fits() && std::none_of(offers.begin(), offers.end(), same)) offers.push_back(&one.offer);
  };
  add(answer.now);
  for (const answer::Sample& sample : answer.samples) add(sample.best);
  const bool fits = answer.axes.empty() ? answer.now.fits() : answer.any_fits();
  if (!fits) return kNothing;
  return gate_price_age(options.constraints, offers, options.question.today, context, kOk);
}

/// The question is asked from its settings: what words say, and what they leave to be told, is added to them.
std::expected<void, int> settle_settings(WhatIfOptions& options, const catalog::Catalog& catalog, Context& context) {
  // "rps=1..10" as --vary takes it.
  const auto varied =
      std::ranges::stable_partition(options.words, [](const auto& word) { return !word.contains('='); });
  std::ranges::move(varied, std::back_inserter(options.question.vary));
  options.words.erase(varied.begin(), varied.end());
  auto& settings = options.question.settings;
  const Spoken spoken{options.request, &options.constraints, Takes::all,
                      [&](const Meant& meant) { settings.push_back({std::string(meant.key), meant.value}); },
                      &options.load};
  const bool typed = !options.constraints.money_in.empty();
  const auto settled = settle_question(options.words, spoken, &options.question.currency, catalog, context);
  if (!settled || !typed) return settled;
  for (auto& setting : settings) {
    if (setting.key == "max_price" && options.constraints.max_price)
      setting.value = format("{}", *options.constraints.max_price);
    if (setting.key == "budget" && options.constraints.budget)
      setting.value = format("{}", *options.constraints.budget);
  }
  return {};
}

int run_whatif(WhatIfOptions& options, Context& context) {
  auto ground = prepare({options.constraints, &options.rule_files}, context);
  if (!ground) return ground.error();
  options.question.today = ground->today;
  if (const auto settled = settle_settings(options, ground->catalog, context); !settled) return settled.error();
  tell_broad_names(options.constraints, ground->catalog, context);
  answer::WhatIfQuestion& question = options.question;
  if (question.vary.empty() && !question.tornado && !question.pareto) {
    // Of a service it is the load that changes the pick; what ends has inputs that change its cost.
    const auto model = ground->catalog.model(options.request.model);
    const bool serves = options.request.task == job::Task::inference && model && (*model)->is_generator() &&
                        !options.request.concurrency && !options.request.tokens;
    question.tornado = true;
    if (serves) question.vary.emplace_back("rps=1..64");
    context.note(serves ? say("no --vary given: showing --vary rps=1..64 --tornado (also --vary quant=bf16,fp8, "
                              "--vary term=on-demand,reserved-1y, --pareto)")
                        : say("no --vary given: showing --tornado (also --pareto)"));
  }
  const auto answer = answer::whatif(options.question, ground->catalog, ground->rules, ground->coefficients);
  if (!answer) return context.fail(as_flag(answer.error()));
  return show(*answer, *ground, options, context);
}

/// A flag for every option, which also keeps the words.
template <class Target>
void add_settings(std::vector<Flag>& flags, std::span<const job::Option<Target>> list, Target& target,
                  const std::shared_ptr<WhatIfOptions>& options) {
  const std::size_t first = flags.size();
  add_options<Target>(flags, list, target);
  for (std::size_t i = 0; i < list.size(); ++i) {
    Flag& flag = flags[first + i];
    flag.set = [set = flag.set, key = list[i].key, options](std::string_view text) {
      // "--rps 1..64" varies it.
      if (text.contains("..") && !set(text)) {
        options->question.vary.push_back(format("{}={}", key, text));
        return Status{};
      }
      Status done = set(text);
      if (done) options->question.settings.push_back({std::string(key), std::string(text)});
      return done;
    };
  }
}

/// Where a key alone is to be varied, over its usual values.
std::string with_range(std::string_view text) {
  static constexpr std::pair<std::string_view, std::string_view> kUsual[] = {{"rps", "1..64"},
                                                                             {"qps", "1..64"},
                                                                             {"request-rate", "1..64"},
                                                                             {"concurrency", "1..256"},
                                                                             {"context", "4k..128k"},
                                                                             {"isl", "256..16k"},
                                                                             {"osl", "64..2k"},
                                                                             {"quant", "bf16,fp8"},
                                                                             {"weights-precision", "bf16,fp8"},
                                                                             {"term", "on-demand,reserved-1y"}};
  for (const auto& [key, values] : kUsual)
    if (job::same_spelling(key, text)) return format("{}={}", text, values);
  return std::string(text);
}

Status set_swing(std::string_view text, double& place) {
  const auto swing = parse_share(text);
  if (!swing) return std::unexpected(swing.error());
  if (*swing <= 0 || *swing >= 1)
    return usage_error(say("'{}' is not a swing", shorten(text, 20)), {}, say("between 0 and 1"));
  place = *swing;
  return {};
}

void add_own_flags(std::vector<Flag>& flags, const std::shared_ptr<WhatIfOptions>& options) {
  const std::string group = say("What if");
  auto& question = options->question;
  Flag vary{"--vary", "KEY=VALUES",
            say("context=4k..128k, rps=1..64/7, weights_precision=bf16,fp8, price:aws=-30%..+30%; one or two"), group,
            [&question](std::string_view text) -> Status {
              question.vary.emplace_back(with_range(text));
              return {};
            }};
  vary.repeats = true;
  flags.push_back(vary);
  flags.push_back(
      {"--tornado", "", say("which inputs move the cost of the best answer most"), group, turns_on(question.tornado)});
  flags.push_back({"--swing", "SHARE", say("of each input of the tornado, up and down (default 0.2)"), group,
                   [&question](std::string_view text) { return set_swing(text, question.swing); }});
  flags.push_back(
      {"--pareto", "", say("cost × time, latency or throughput of every candidate"), group, turns_on(question.pareto)});
  flags.push_back({"--objective,--sort,--sort-by", "KIND", say("cost, speed or balanced"), group,
                   [&question](std::string_view text) {
                     std::optional<job::ObjectiveKind> kind;
                     Status set = job::assign(text, kind);
                     if (set) question.objective.kind = *kind;
                     return set;
                   }});
  flags.push_back(filter_flag(question.filter, group));
  flags.push_back({"-n,--limit", "N", say("rows of each table (default: what a screen has room for)"),
                   say("Output and data"), sets(options->limit, job::kCount)});
  flags.push_back(rules_flag(options->rule_files, say("Output and data")));
  flags.push_back({"--explain", "", say("how each figure was computed"), group, turns_on(question.explained)});
  flags.push_back(
      why_flag(options->all, "--why", say("charts, every row, what was assumed, and where prices come from")));
  flags.push_back(currency_flag(question.currency));
}

}  // namespace

Parsed make_whatif() {
  auto options = std::make_shared<WhatIfOptions>();
  Parsed parsed;
  add_words(parsed, options->words, Takes::all);
  add_settings<job::Request>(parsed.flags, options_of_jobs(), options->request, options);
  add_settings<answer::LoadQuestion>(parsed.flags, options_of_loads(), options->load, options);
  add_settings(parsed.flags, job::constraint_options(), options->constraints, options);
  add_settings(parsed.flags, money::duty_options(), options->duty, options);
  add_settings(parsed.flags, money::extra_options(), options->extras, options);
  add_own_flags(parsed.flags, options);
  parsed.shows_prices = true;
  parsed.run = [options](Context& context) { return run_whatif(*options, context); };
  return parsed;
}

}  // namespace gpusel::cli
