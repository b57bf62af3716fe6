// Offers of the Vast.ai marketplace, as its command line prints them with --raw. One offer is one machine
// or a part of one; the cheapest of a kind and country becomes the price.
#include "base/values/units.hpp"
#include "base/words/message.hpp"
#include "catalog/import/readers.hpp"

namespace gpusel::catalog::import {

namespace {

class VastOffers {
 public:
  explicit VastOffers(MarketBuilder& market) : market_(market) {}

  void offer(const Node& offer, std::uint32_t line) {
    if (!offer.is_map()) return market_.ledger().skipped(line, say("no offer"));
    Row row;
    row.line = line;
    row.gpu = member_text(offer, "gpu_name");
    std::string reason;
    row.gpu_count = optional_number(member_text(offer, "num_gpus"), "num_gpus", reason);
    const Number memory = optional_number(member_text(offer, "gpu_ram"), "gpu_ram", reason);
    const Number price = optional_number(member_text(offer, "dph_total"), "dph_total", reason);
    const Number bid = optional_number(member_text(offer, "min_bid"), "min_bid", reason);
    if (reason.empty() && row.gpu.empty()) reason = say("no 'gpu_name'");
    if (reason.empty() && (!row.gpu_count || *row.gpu_count <= 0)) reason = say("'{}' without a count", row.gpu);
    if (reason.empty() && (member_text(offer, "rentable") == "false" || member_text(offer, "rented") == "true"))
      reason = say("not available now");
    if (reason.empty() && !price) reason = say("no price");
    if (reason.empty() && bid && *bid != 0 && !kPrices.contains(*bid)) reason = say("a spot price of {}", *bid);
    if (!reason.empty()) return market_.ledger().skipped(line, reason);
    // gpu_frac is the offer's share of the machine's GPUs: it offers whole ones.
    if (memory && *memory > 0) row.gpu_memory_gb = *memory / kMibPerGib;
    const std::string sku = sku_of(row);
    row.sku = sku;
    const std::string_view place = member_text(offer, "geolocation");
    row.region = place.empty() ? std::string_view("unknown") : place;
    row.note = "the cheapest machine of its kind and country at that time";
    row.prices.push_back({Term::on_demand, Period::hour, *price});
    if (bid && *bid > 0 && *bid < *price) row.prices.push_back({Term::spot, Period::hour, *bid});
    market_.take(row);
  }

 private:
  /// Hosts are not alike, so a kind is named by its GPUs alone: "8x-H100_SXM-80GB".
  static std::string sku_of(const Row& row) {
    std::string name(row.gpu);
    for (char& c : name)
      if (c == ' ') c = '_';
    std::string sku = format("{}x-{}", *row.gpu_count, name);
    if (row.gpu_memory_gb) sku += format("-{:.0f}GB", *row.gpu_memory_gb);
    return sku;
  }

  MarketBuilder& market_;
};

}  // namespace

Status read_vast(SourceFile& file, MarketBuilder& market) {
  VastOffers offers(market);
  return each_item(file, market, "offers", [&](const Node& item, std::uint32_t line) { offers.offer(item, line); });
}

}  // namespace gpusel::catalog::import
