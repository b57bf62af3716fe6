// gpusel catalog stats: how much the catalogue knows, how old it is, and what was laid on top of it.
#include "cli/commands.hpp"
#include "report/catalog_state.hpp"
#include "report/yaml.hpp"

namespace gpusel::cli {

namespace {

int run_stats(Context& context) {
  const auto format = context.format({"table", "wide", "json", "yaml", "csv", "markdown"});
  if (!format) return context.fail(format.error());
  const auto today = context.today();
  if (!today) return context.fail(today.error());
  const auto layers = changes_by_layer(context);
  if (!layers) return context.fail(layers.error());
  const auto catalog = context.load_catalog();
  if (!catalog) return context.fail(catalog.error());
  const catalog::Statistics statistics = catalog::statistics(*catalog, *today);
  report::Terminal terminal = context.terminal();
  if (*format == "wide") terminal.width = 0;
  if (report::is_data(*format))
    context.out.write(report::dump_as(*format, report::statistics_json(statistics, *catalog, *today, *layers)));
  else if (*format == "csv" || *format == "markdown")
    context.out.write(report::provider_table(statistics).as(*format, terminal));
  else
    context.out.write(report::statistics_text(statistics, *catalog, *today, *layers, terminal));
  return kOk;
}

}  // namespace

Parsed make_catalog_stats() {
  Parsed parsed;
  parsed.run = run_stats;
  return parsed;
}

}  // namespace gpusel::cli
