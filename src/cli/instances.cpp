// gpusel instances: machines and their prices, as a list or one with its sources.
#include "cli/lists.hpp"
#include "gpusel/base/message.hpp"
#include "report/card.hpp"
#include "report/catalog.hpp"

namespace gpusel::cli {

namespace {

constexpr std::string_view kSchema = "gpusel.instances/1";

struct InstanceOptions {
  ListOptions list;
  bool every_offer = false;
};

int run_instances(InstanceOptions& options, Context& context) {
  Lists lists(options.list, context);
  return lists.with_catalog([&](const catalog::Catalog& catalog) {
    if (options.list.shows_one()) {
      const auto instance = catalog.instance(lists.name());
      if (!instance) return context.fail(instance.error());
      return lists.show(report::instance_json(**instance, catalog), kSchema,
                        report::instance_card(**instance, catalog, context.terminal()), catalog);
    }
    const auto coefficients = load_coefficients(catalog);
    if (!coefficients) return context.fail(coefficients.error());
    const advise::ListQuestion& question = options.list.question;
    // JSON lists every offer below its instance already.
    const bool every_offer = options.every_offer && !lists.is_data();
    auto listed = advise::list_instances(question, every_offer, catalog, *coefficients);
    if (!listed) return context.fail(listed.error());
    return lists.list(
        std::move(*listed), kSchema,
        [&](const advise::Listed& one) {
          report::Json json = report::instance_json(*one.instance, catalog);
          json["best_offer"] = report::listed_offer_json(one, catalog, question.currency);
          return json;
        },
        [&](const advise::Listed& one) { return report::offer_row_json(one, catalog, question.currency); },
        [&](const auto& records, bool wide) {
          return report::instance_table(records, catalog, question.currency, wide);
        });
  });
}

}  // namespace

Parsed make_instances() {
  static constexpr std::string_view kOfJobs[] = {"budget", "deadline", "nodes", "max_nodes", "include_unavailable"};
  auto options = std::make_shared<InstanceOptions>();
  Parsed parsed = list_command(options->list);
  std::vector<std::string_view> limits;
  for (const auto& option : workload::constraint_options())
    if (std::find(std::begin(kOfJobs), std::end(kOfJobs), option.key) == std::end(kOfJobs))
      limits.push_back(option.key);
  add_limits(parsed.flags, limits, options->list.question.constraints);
  parsed.flags.push_back(currency_flag(options->list.question.currency));
  parsed.flags.push_back({"--all-offers", "", say("a row per offer, not per instance"), say("List"),
                          [options](std::string_view) -> Status {
                            options->every_offer = true;
                            return {};
                          }});
  parsed.run = [options](Context& context) { return run_instances(*options, context); };
  return parsed;
}

}  // namespace gpusel::cli
