// SkyPilot's catalogue: one row per instance type and zone. GCP's hosts and accelerators stand in rows of
// their own; TPU rows are whole slices.
#include "catalog/import/dialects/skypilot.hpp"

#include <set>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/import/readers.hpp"

namespace gpusel::catalog::import {

namespace {

constexpr std::string_view kRequiredBySkyPilot[] = {"InstanceType", "AcceleratorName", "Price", "Region"};

struct Columns {
  explicit Columns(const CsvTable& table)
      : instance(table.column("InstanceType")),
        accelerator(table.column("AcceleratorName")),
        count(table.column("AcceleratorCount")),
        vcpu(table.column("vCPUs")),
        memory(table.column("MemoryGiB")),
        info(table.column("GpuInfo")),
        price(table.column("Price")),
        spot(table.column("SpotPrice")),
        region(table.column("Region")),
        zone(table.column("AvailabilityZone")),
        arch(table.column("Arch")),
        upstream(table.column("UpstreamCloudId")) {}

  int instance, accelerator, count, vcpu, memory, info, price, spot, region, zone, arch, upstream;
};

class Skypilot {
 public:
  Skypilot(CsvTable& table, MarketBuilder& market)
      : table_(table), market_(market), columns_(table), joined_(market), joins_(market.joins()) {}

  void row() {
    Row row;
    row.line = table_.line();
    row.sku = table_.field(columns_.instance);
    row.gpu = table_.field(columns_.accelerator);
    row.gpu_info = table_.field(columns_.info);
    row.upstream = table_.field(columns_.upstream);
    row.region = region_of(table_.field(columns_.region), table_.field(columns_.zone));
    row.arm = table_.field(columns_.arch) == "arm64";
    std::string reason;
    row.gpu_count = optional_number(table_.field(columns_.count), "AcceleratorCount", reason);
    row.vcpu = optional_number(table_.field(columns_.vcpu), "vCPUs", reason);
    row.memory_gib = optional_number(table_.field(columns_.memory), "MemoryGiB", reason);
    PricePair price;
    price.on_demand = optional_number(table_.field(columns_.price), "Price", reason);
    price.spot = optional_number(table_.field(columns_.spot), "SpotPrice", reason);
    if (reason.empty() && price.spot && *price.spot != 0 && !kPrices.contains(*price.spot))
      reason = say("a spot price of {}", *price.spot);
    if (!reason.empty()) return market_.ledger().skipped(row.line, reason);
    if (is_filler(row.gpu, price.on_demand))
      return market_.ledger().skipped(row.line, say("a price of {} means an unknown one", *price.on_demand));
    clean_spot(row, price);
    if (joins_ && (row.sku.empty() || (row.gpu.empty() && row.gpu_count.value_or(0) == 0)))
      return keep_to_join(row, price);
    if (joins_ && !row.gpu.empty()) return with_known_gpu(row, price);
    put_prices(price, row);
    market_.take(row);
  }
  void finish() { joined_.join(); }

 private:
  /// Where it is left out, the known region with whose name the zone begins: jp-tok of jp-tok-2.
  std::string_view region_of(std::string_view stated, std::string_view zone) {
    if (!stated.empty()) {
      if (stated != region_) region_ = *regions_.emplace(stated).first;
      return stated;
    }
    const auto after = regions_.upper_bound(zone);
    if (after == regions_.begin()) return {};
    const std::string& region = *std::prev(after);
    return zone.size() > region.size() + 1 && zone.starts_with(region) && zone[region.size()] == '-'
               ? region
               : std::string_view{};
  }

  bool is_filler(std::string_view name, const Number& price) const {
    const std::string folded = fold_name(name);
    for (const Filler& known : market_.dialects().fillers)
      if (price && *price == known.price && folded.starts_with(known.prefix)) return true;
    return false;
  }

  /// 0 is unknown; the on-demand price, or more, is what is written where there is no spot offer.
  void clean_spot(const Row& row, PricePair& price) {
    if (!price.spot) return;
    if (*price.spot == 0 && price.on_demand && *price.on_demand == 0) return;  // a host that costs nothing
    const bool filler = is_filler(row.gpu, price.spot);
    if (*price.spot > 0 && !filler && (!price.on_demand || *price.spot < *price.on_demand)) return;
    if (filler) {
      market_.ledger().warn(row.line, say("'{}': a spot price of {} means unknown: left out", row.gpu, *price.spot));
    } else if (price.on_demand && *price.spot > *price.on_demand && *price.on_demand > 0) {
      market_.ledger().warn(row.line,
                            say("'{}': spot above on demand, so one of the two is the price of another product; "
                                "the spot price is left out",
                                row.sku.empty() ? row.gpu : row.sku));
    }
    price.spot = std::nullopt;
  }

  void keep_to_join(const Row& row, const PricePair& price) {
    const std::string_view zone = table_.field(columns_.zone);
    JoinedRows::Entry entry;
    entry.line = row.line;
    entry.region = row.region;
    entry.zone = zone.empty() ? row.region : zone;
    entry.price = price;
    if (!row.sku.empty()) {
      entry.name = row.sku;
      entry.vcpu = row.vcpu;
      entry.memory_gib = row.memory_gib;
      return joined_.add_host(entry);
    }
    if (row.gpu.empty()) return market_.ledger().skipped(row.line, say("neither an instance type nor an accelerator"));
    if (slice(row, price)) return;
    if (!row.gpu_count || *row.gpu_count <= 0)
      return market_.ledger().skipped(row.line, say("'{}' without a count", row.gpu));
    entry.name = row.gpu;
    entry.count = *row.gpu_count;
    joined_.add_accelerator(entry);
  }

  /// "tpu-v5litepod-8" is a slice of eight chips, host included.
  bool slice(const Row& given, const PricePair& price) {
    if (!fold_name(given.gpu).starts_with("tpu")) return false;
    Row row = given;
    row.sku = given.gpu;
    row.vcpu = row.memory_gib = std::nullopt;
    row.gpu_info = {};
    put_prices(price, row);
    if (market_.as_slice(row))
      market_.take(row);
    else
      market_.ledger().skipped(given.line, say("'{}': how many chips that is, is not known", given.gpu));
    return true;
  }

  void with_known_gpu(Row& row, const PricePair& price) {
    put_prices(price, row);
    const std::string sku = market_.as_joined(row);
    if (!sku.empty()) row.sku = sku;
    market_.take(row);
  }

  CsvTable& table_;
  MarketBuilder& market_;
  Columns columns_;
  JoinedRows joined_;
  bool joins_;
  std::set<std::string, std::less<>> regions_;
  std::string_view region_;
};

}  // namespace

void put_prices(const PricePair& pair, Row& row) {
  if (pair.on_demand && *pair.on_demand != 0) row.prices.push_back({Term::on_demand, Period::hour, *pair.on_demand});
  if (pair.spot && *pair.spot != 0) row.prices.push_back({Term::spot, Period::hour, *pair.spot});
}

Status read_skypilot(SourceFile& file, MarketBuilder& market) {
  CsvTable table(file);
  if (const Status opened = table.open(kRequiredBySkyPilot); !opened) return opened;
  Skypilot rows(table, market);
  const Status read = each_row(table, file, market, [&] { rows.row(); });
  rows.finish();
  return read;
}

}  // namespace gpusel::catalog::import
