#include "cli/own_machines.hpp"

#include <set>

#include "base/text/text.hpp"
#include "base/values/enum.hpp"
#include "base/words/message.hpp"
#include "catalog/read/own_prices.hpp"
#include "job/limits/constraints.hpp"
#include "physics/machine.hpp"

namespace gpusel::cli {

Result<OwnMachine> parse_own_machine(std::string_view text) {
  const auto wrong = [&] {
    return usage_error(say("'{}' is not a machine with its price", shorten(text, 60)), {},
                       say("write 8xH100@12/h: GPUs of one machine, and what it costs per hour"));
  };
  const auto at = text.rfind('@');
  if (at == std::string_view::npos) return wrong();
  const job::CountedGpu counted = job::counted_gpu(trim(text.substr(0, at)));
  if (counted.name.empty() || counted.nodes || counted.count.value_or(1) > 72) return wrong();
  auto price = catalog::parse_price(format("own={}", trim(text.substr(at + 1))));
  if (!price) return std::unexpected(price.error());
  return OwnMachine{counted.name, static_cast<int>(counted.count.value_or(1)), price->per_hour};
}

Result<Document> own_machines_document(std::span<const OwnMachine> machines, const catalog::Catalog& catalog,
                                       Date today) {
  std::string families, prices;
  std::set<std::string> names;
  for (const OwnMachine& machine : machines) {
    const auto gpu = catalog.gpu(machine.gpu);
    if (!gpu) {
      Error error = gpu.error();
      error.where = "--own";
      return std::unexpected(std::move(error));
    }
    const std::string sku = format("{}x{}", machine.count, (*gpu)->id);
    if (!names.insert(sku).second) return usage_error(say("'{}' is given twice", sku), "--own");
    const auto link = physics::usual_link(**gpu, machine.count);
    const std::string joined =
        machine.count > 1 ? format("    interconnect: {{kind: {}}}\n", to_text(link.link)) : std::string();
    families += format(
        "  - provider: {4}\n    id: {0}\n    gpu: {1}\n{2}    sources: own-machine\n    sizes:\n"
        "      - {{sku: {0}, gpus: {3}}}\n",
        sku, (*gpu)->id, joined, machine.count, catalog::kOwnProvider);
    prices += format(
        "  - {{provider: {4}, region: own, term: on-demand, currency: {0}, as_of: {1}, source: own-machine, "
        "per_hour: {{{2}: {3}}}}}\n",
        machine.per_hour.currency.code(), today.text(), sku, machine.per_hour.amount, catalog::kOwnProvider);
  }
  return parse_yaml(format("sources:\n  own-machine: {{publisher: own, document: --own on the command line, date: {0}, "
                           "confidence: documented}}\nproviders:\n  - id: {3}\n    name: your own machines\n"
                           "    kind: cloud\n    billing: {{granularity_s: 1, minimum_s: 0, source: own-machine}}\n"
                           "    regions:\n      own: {{name: your own site}}\nfamilies:\n{1}prices:\n{2}",
                           today.text(), families, prices, catalog::kOwnProvider),
                    "--own");
}

}  // namespace gpusel::cli
