// gpuhunt's catalogue: on-demand and spot are rows of their own, memory is that of one GPU.
#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/import/readers.hpp"

namespace gpusel::catalog::import {

namespace {

constexpr std::string_view kRequiredByGpuhunt[] = {"instance_name", "location",  "price", "cpu",
                                                   "memory",        "gpu_count", "spot"};

std::optional<bool> truth(std::string_view text) {
  const std::string word = lower(text);
  if (word == "true" || word == "1") return true;
  if (word == "false" || word == "0") return false;
  return std::nullopt;
}

bool has(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

/// Names a row's size, and its part, where the list's name is only half of it; `sku` keeps the name.
void name_size(Row& row, bool google, const MarketBuilder& market, std::string& sku) {
  if (row.gpu_count.value_or(0) <= 0) return;
  if (market.joins() && (google || row.gpu.starts_with("tpu-"))) {  // "v5litepod-8", in older files with "tpu-"
    sku = (row.gpu.starts_with("tpu-") ? "" : "tpu-") + std::string(row.gpu);
    row.gpu = sku;
    row.gpu_memory_gb = std::nullopt;  // of the slice
    market.as_slice(row);
  } else if (market.joins()) {
    sku = market.as_joined(row);
  } else if (has(market.dialects().counted, market.provider()) && *row.gpu_count > 1) {
    sku = format("{} x{}", row.sku, *row.gpu_count);
  }
  if (!sku.empty()) row.sku = sku;
}

}  // namespace

Status read_gpuhunt(SourceFile& file, MarketBuilder& market) {
  CsvTable table(file);
  if (const Status opened = table.open(kRequiredByGpuhunt); !opened) return opened;
  const int columns[] = {table.column("instance_name"), table.column("location"), table.column("price"),
                         table.column("cpu"),           table.column("memory"),   table.column("gpu_count"),
                         table.column("spot"),          table.column("gpu_name"), table.column("gpu_memory"),
                         table.column("disk_size"),     table.column("cpu_arch"), table.column("gpu_vendor"),
                         table.column("flags")};
  const auto field = [&](std::size_t i) { return table.field(columns[i]); };
  return each_row(table, file, market, [&] {
    std::string reason;
    for (std::size_t i = 0; i < std::size(kRequiredByGpuhunt) && reason.empty(); ++i)
      if (field(i).empty()) reason = say("'{}' is empty", kRequiredByGpuhunt[i]);
    Row row;
    row.line = table.line();
    row.sku = field(0);
    row.region = field(1);
    const Number price = optional_number(field(2), "price", reason);
    row.vcpu = optional_number(field(3), "cpu", reason);
    row.memory_gib = optional_number(field(4), "memory", reason);
    row.gpu_count = optional_number(field(5), "gpu_count", reason);
    const auto spot = truth(field(6));
    if (!spot && reason.empty()) reason = say("'spot' is '{}', neither True nor False", field(6));
    row.gpu = field(7);
    row.gpu_memory_gb = optional_number(field(8), "gpu_memory", reason);
    if (row.gpu_memory_gb && *row.gpu_memory_gb <= 0) row.gpu_memory_gb = std::nullopt;
    row.arm = field(10) == "arm";
    if (!reason.empty()) return market.ledger().skipped(row.line, reason);
    for (const std::string_view flag : split(field(12), ' '))
      if (has(market.dialects().other_products, flag))
        return market.ledger().skipped(row.line, say("'{}': the price of another product than the size itself", flag));
    std::string sku;
    name_size(row, field(11) == "google", market, sku);
    row.prices.push_back({*spot ? Term::spot : Term::on_demand, Period::hour, *price});
    market.take(row);
  });
}

}  // namespace gpusel::catalog::import
