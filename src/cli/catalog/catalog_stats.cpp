// gpusel catalog stats: how much the catalogue knows, how old it is, and what was laid on top of it.
#include "cli/commands.hpp"
#include "cli/question/answer.hpp"
#include "show/catalogue/catalog_state.hpp"

namespace gpusel::cli {

namespace {

int run_stats(Context& context) {
  const auto format = context.format();
  if (!format) return context.fail(format.error());
  const auto today = context.today();
  if (!today) return context.fail(today.error());
  const auto layers = changes_by_layer(context);
  if (!layers) return context.fail(layers.error());
  const auto catalog = context.load_catalog();
  if (!catalog) return context.fail(catalog.error());
  const show::CatalogState state{catalog::statistics(*catalog, *today), *layers, money::check_outlook(*catalog)};
  print({.data = [&] { return show::statistics_json(state, *catalog, *today); },
         .document = [&](bool all) { return show::statistics_page(state, *catalog, *today, all); }},
        *format, context);
  return kOk;
}

}  // namespace

Parsed make_catalog_stats() {
  Parsed parsed;
  parsed.run = run_stats;
  return parsed;
}

}  // namespace gpusel::cli
