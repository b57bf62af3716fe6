// gpuhunt's catalogue: on-demand and spot are rows of their own, memory is that of one GPU.
#include "catalog/import/readers.hpp"
#include "gpusel/base/message.hpp"
#include "gpusel/base/text.hpp"

namespace gpusel::catalog::import {

namespace {

constexpr std::string_view kRequired[] = {"instance_name", "location", "price", "cpu", "memory", "gpu_count", "spot"};

std::optional<bool> truth(std::string_view text) {
  const std::string word = lower(text);
  if (word == "true" || word == "1") return true;
  if (word == "false" || word == "0") return false;
  return std::nullopt;
}

/// "v5litepod-8" of Google is a slice of TPUs, which older files and we call "tpu-v5litepod-8"; empty: it is none.
std::string slice_name(const Row& row, bool google) {
  if (row.gpu.starts_with("tpu-")) return std::string(row.gpu);
  return google ? "tpu-" + std::string(row.gpu) : std::string();
}

}  // namespace

Status read_gpuhunt(SourceFile& file, MarketBuilder& market) {
  CsvTable table(file);
  if (const Status opened = table.open(kRequired); !opened) return opened;
  const int columns[] = {table.column("instance_name"), table.column("location"), table.column("price"),
                         table.column("cpu"),           table.column("memory"),   table.column("gpu_count"),
                         table.column("spot"),          table.column("gpu_name"), table.column("gpu_memory"),
                         table.column("disk_size"),     table.column("cpu_arch"), table.column("gpu_vendor")};
  const auto field = [&](std::size_t i) { return table.field(columns[i]); };
  return each_row(table, file, market, [&] {
    std::string reason;
    for (std::size_t i = 0; i < std::size(kRequired) && reason.empty(); ++i)
      if (field(i).empty()) reason = say("'{}' is empty", kRequired[i]);
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
    std::string sku;
    if (market.joins() && row.gpu_count.value_or(0) > 0) {
      sku = slice_name(row, field(11) == "google");
      if (!sku.empty()) {
        row.sku = row.gpu = sku;
        row.gpu_memory_gb = std::nullopt;  // of the slice
        market.as_slice(row);
      } else if (sku = market.as_joined(row); !sku.empty()) {
        row.sku = sku;
      }
    }
    row.prices.push_back({*spot ? Term::spot : Term::on_demand, Period::hour, *price});
    market.take(row);
  });
}

}  // namespace gpusel::catalog::import
