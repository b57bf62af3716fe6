// gpusel catalog drift: how prices have moved, by GPU, kind of seller and term.
#include "cli/commands.hpp"
#include "cli/question/answer.hpp"
#include "show/money/price_history.hpp"

namespace gpusel::cli {

namespace {

int run_drift(Context& context) {
  const auto format = context.format();
  if (!format) return context.fail(format.error());
  const auto catalog = context.load_catalog();
  if (!catalog) return context.fail(catalog.error());
  const std::vector<catalog::PriceMoves> moves = catalog::price_moves(*catalog);
  print({.data = [&] { return show::drift_json(moves, *catalog); },
         .document = [&](bool) { return show::drift_page(moves); }},
        *format, context);
  return moves.empty() ? kNothing : kOk;
}

}  // namespace

Parsed make_catalog_drift() {
  Parsed parsed;
  parsed.run = run_drift;
  return parsed;
}

}  // namespace gpusel::cli
