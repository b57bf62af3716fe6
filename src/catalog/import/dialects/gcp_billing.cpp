// Google's billing catalogue: cores, memory, GPUs and disks apart, by region. The sizes that the catalogue has are put
// together of them, where and on what terms it knows them to be sold: the list has parts of what is sold nowhere.
#include <map>

#include "base/text/text.hpp"
#include "base/values/units.hpp"
#include "base/words/message.hpp"
#include "catalog/import/readers.hpp"

namespace gpusel::catalog::import {

namespace {

constexpr std::string_view kSpotWord = "Spot Preemptible ";
/// What stands behind the name of a part: where it is, and on what terms.
constexpr std::string_view kBehind[] = {" running in", " attached to"};
constexpr std::string_view kLocalDisk = "SSD backed Local Storage";

class BillingParts {
 public:
  explicit BillingParts(MarketBuilder& market) : market_(market), parts_(market.billed_parts()) {
    for (const ComposedSize& size : market.dialects().composed) {
      wanted_.insert({size.core, "h"});
      wanted_.insert({size.ram, "GiBy.h"});
      for (const std::string& gpu : size.gpu) wanted_.insert({gpu, "h"});
    }
    wanted_.insert({std::string(kLocalDisk), "GiBy.mo"});
  }

  void sku(const Node& item, std::uint32_t line) {
    const std::string reason = keep(item);
    reason.empty() ? market_.ledger().imported() : market_.ledger().skipped(line, reason);
  }

  /// Adds what the parts make.
  void compose() {
    for (const Instance* size : market_.own_sizes())
      for (const ComposedSize& parts : market_.dialects().composed)
        if (size->sku.starts_with(parts.prefix)) sell(*size, parts);
  }

 private:
  /// Why it is no part of anything; empty where it is.
  std::string keep(const Node& item) {
    const Node* category = item.find("category");
    const Node* regions = item.find("serviceRegions");
    const std::string_view usage = category == nullptr ? std::string_view() : member_text(*category, "usageType");
    if (usage != "OnDemand" && usage != "Preemptible") return say("a price of the type '{}'", printable(usage));
    std::string_view name = member_text(item, "description");
    if (name.starts_with(kSpotWord)) name.remove_prefix(kSpotWord.size());
    const bool disk = name.starts_with(kLocalDisk);
    for (const std::string_view behind : kBehind) name = name.substr(0, name.find(behind));
    const auto wanted = wanted_.find(disk ? kLocalDisk : name);
    if (wanted == wanted_.end() || regions == nullptr) return say("no part of an accelerator's size");
    std::string reason;
    const Number price = price_of(item, wanted->second, reason);
    if (!price) return reason;
    for (const Node& region : regions->children) parts_[{wanted->first, region.text, usage == "Preemptible"}] = *price;
    return {};
  }

  static Number price_of(const Node& item, std::string_view unit, std::string& reason) {
    const Node* info = item.find("pricingInfo");
    const Node* expression =
        info == nullptr || info->children.empty() ? nullptr : info->children.front().find("pricingExpression");
    const Node* rates = expression == nullptr ? nullptr : expression->find("tieredRates");
    const Node* price =
        rates == nullptr || rates->children.empty() ? nullptr : rates->children.back().find("unitPrice");
    if (price == nullptr) {
      reason = say("no price");
    } else if (member_text(*expression, "usageUnit") != unit) {
      reason = say("a price per '{}'", printable(member_text(*expression, "usageUnit")));
    } else if (member_text(*price, "currencyCode") != "USD") {
      reason = say("'{}' is not a currency", printable(member_text(*price, "currencyCode")));
    } else {
      constexpr double kNano = 1e-9;
      const Number whole = optional_number(member_text(*price, "units"), "units", reason);
      const Number nanos = optional_number(member_text(*price, "nanos"), "nanos", reason);
      if (reason.empty()) return whole.value_or(0) + nanos.value_or(0) * kNano;
    }
    return std::nullopt;
  }

  Number part(const std::string& name, std::string_view region, bool spot) const {
    const auto found = parts_.find({name, std::string(region), spot});
    return found == parts_.end() ? Number{} : Number(found->second);
  }

  /// The whole, where no part is missing.
  Number whole(const Instance& size, const ComposedSize& parts, std::string_view region, bool spot) const {
    const Number core = part(parts.core, region, spot), ram = part(parts.ram, region, spot);
    Number gpu;
    for (const std::string& name : parts.gpu)
      if (!gpu) gpu = part(name, region, spot);
    if (!core || !ram || !gpu || !size.vcpu || !size.memory_gib || !size.gpu_count) return std::nullopt;
    double sum = *core * *size.vcpu + *ram * *size.memory_gib + *gpu * *size.gpu_count;
    if (const double disk = size.local_ssd_gb.value_or(0); disk > 0) {
      const Number rate = part(std::string(kLocalDisk), region, spot);
      if (!rate) return std::nullopt;
      sum += *rate / kHoursPerMonth * disk;
    }
    return sum;
  }

  void sell(const Instance& size, const ComposedSize& parts) {
    const Catalog& known = market_.known();
    for (const Offer& offer : known.offers_of(size)) {
      if (offer.term != Term::on_demand && offer.term != Term::spot) continue;
      const std::string_view region = known.region_of(offer).id;
      const Number price = whole(size, parts, region, offer.term == Term::spot);
      if (!price || *price <= 0) continue;
      Row row;
      row.sku = size.sku;
      row.region = region;
      row.prices.push_back({offer.term, Period::hour, *price});
      market_.add(row);
    }
  }

  MarketBuilder& market_;
  std::map<std::string, std::string, std::less<>> wanted_;  // names of parts, and the unit each is billed by
  BilledParts& parts_;
};

}  // namespace

Status read_gcp_billing(SourceFile& file, MarketBuilder& market) {
  BillingParts parts(market);
  const Status read =
      each_item(file, market, "skus", [&](const Node& item, std::uint32_t line) { parts.sku(item, line); });
  if (read) parts.compose();
  return read;
}

}  // namespace gpusel::catalog::import
