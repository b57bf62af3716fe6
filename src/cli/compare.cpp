// gpusel compare A B …: GPUs or instances side by side, with a job's figures if one is given.
#include <algorithm>
#include <memory>

#include "cli/commands.hpp"
#include "gpusel/advise/compare.hpp"
#include "gpusel/base/message.hpp"
#include "report/compare.hpp"
#include "report/yaml.hpp"

namespace gpusel::cli {

namespace {

struct CompareOptions {
  std::vector<std::string> names;
  advise::Question question;
  bool explain = false;
};

int run_compare(CompareOptions& options, Context& context) {
  const auto format = context.format();
  if (!format) return context.fail(format.error());
  const auto today = context.today();
  if (!today) return context.fail(today.error());
  options.question.today = *today;
  if (Status strict = check_strict(options.question.constraints); !strict) return context.fail(strict.error());
  const auto catalog = context.load_catalog();
  if (!catalog) return context.fail(catalog.error());
  const auto coefficients = load_coefficients(*catalog);
  if (!coefficients) return context.fail(coefficients.error());
  const auto comparison = advise::compare(options.names, options.question, *catalog, *coefficients, options.explain);
  if (!comparison) return context.fail(as_flag(comparison.error()));
  if (options.explain && !comparison->work)
    context.note(say("--explain is of a job's figures: give --model and --task"));
  report::Terminal terminal = context.terminal();
  if (*format == "wide") terminal.width = 0;
  context.out.write(report::is_data(*format) ? report::dump_as(*format, report::compare_json(*comparison, *catalog))
                                             : report::compare_text(*comparison, *catalog, *format, terminal));
  std::vector<const catalog::Offer*> offers;
  for (const advise::Compared& item : comparison->items) offers.push_back(item.offer);
  return gate_price_age(options.question.constraints, offers, *today, context, kOk);
}

}  // namespace

Parsed make_compare() {
  auto options = std::make_shared<CompareOptions>();
  Parsed parsed;
  parsed.positional = "NAMES";
  parsed.positional_help = say("two to eight GPUs, instances, or several of one: h100:8, \"2x p4d.24xlarge\"");
  parsed.positional_required = true;
  parsed.positional_set = [options](std::string_view name) -> Status {
    options->names.emplace_back(name);
    return {};
  };
  std::vector<workload::Option<workload::Request>> job;
  for (const auto& option : workload::request_options())
    if (option.key != "gpu" && option.key != "id") job.push_back(option);
  add_options<workload::Request>(parsed.flags, job, options->question.request);
  static constexpr std::string_view kOfPrices[] = {"term",      "cloud",         "region", "infra",
                                                   "residency", "max_price_age", "strict"};
  std::vector<workload::Option<workload::Constraints>> prices;
  for (const auto& option : workload::constraint_options())
    if (std::find(std::begin(kOfPrices), std::end(kOfPrices), option.key) != std::end(kOfPrices))
      prices.push_back(option);
  add_options<workload::Constraints>(parsed.flags, prices, options->question.constraints);
  parsed.flags.push_back({"--explain", "", say("formula, substituted values and source of the job's figures"),
                          say("Output and data"), [options](std::string_view) -> Status {
                            options->explain = true;
                            return {};
                          }});
  parsed.flags.push_back(currency_flag(options->question.currency));
  parsed.shows_prices = true;
  parsed.run = [options](Context& context) { return run_compare(*options, context); };
  return parsed;
}

}  // namespace gpusel::cli
