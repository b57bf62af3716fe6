// gpusel gpus: what the catalogue knows of GPUs, as a list or one with its sources.
#include "cli/lists.hpp"
#include "report/card.hpp"
#include "report/catalog.hpp"

namespace gpusel::cli {

namespace {

constexpr std::string_view kSchema = "gpusel.gpus/1";

int show_gpu(Lists& lists, const ListOptions& options, const catalog::Catalog& catalog, Context& context) {
  const auto gpu = catalog.gpu(lists.name());
  if (!gpu) return context.fail(gpu.error());
  const auto markets = advise::gpu_markets(options.question.currency, catalog);
  if (!markets) return context.fail(markets.error());
  const advise::ListedGpu one{*gpu, (*markets)[static_cast<std::size_t>(*gpu - catalog.gpus().data())]};
  const Currency currency = options.question.currency;
  return lists.show(report::gpu_json(one, catalog, currency), kSchema,
                    report::gpu_card(one, catalog, currency, context.terminal()), catalog);
}

int run_gpus(ListOptions& options, Context& context) {
  Lists lists(options, context);
  return lists.with_catalog([&](const catalog::Catalog& catalog) {
    if (options.shows_one()) return show_gpu(lists, options, catalog, context);
    const auto coefficients = load_coefficients(catalog);
    if (!coefficients) return context.fail(coefficients.error());
    auto gpus = advise::list_gpus(options.question, catalog, *coefficients);
    if (!gpus) return context.fail(gpus.error());
    const Currency currency = options.question.currency;
    const auto as_json = [&](const advise::ListedGpu& gpu) { return report::gpu_json(gpu, catalog, currency); };
    return lists.list(std::move(*gpus), kSchema, as_json, as_json,
                      [&](const auto& records, bool wide) { return report::gpu_table(records, currency, wide); });
  });
}

}  // namespace

Parsed make_gpus() {
  static constexpr std::string_view kLimits[] = {
      "gpu", "min_vram", "max_vram", "min_bandwidth", "nvlink", "interconnect", "min_capability", "formats", "vendor"};
  auto options = std::make_shared<ListOptions>();
  Parsed parsed = list_command(*options);
  add_limits(parsed.flags, kLimits, options->question.constraints);
  parsed.flags.push_back(currency_flag(options->question.currency));
  parsed.run = [options](Context& context) { return run_gpus(*options, context); };
  return parsed;
}

}  // namespace gpusel::cli
