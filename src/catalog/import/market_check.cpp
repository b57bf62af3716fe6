// Prices and shapes that cannot be right, by what stands beside them and by what the catalogue knows: another product,
// a unit, a currency or a column that is not what it is taken for. They are taken as they are, and said.
#include <algorithm>
#include <limits>
#include <map>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "catalog/import/market.hpp"
#include "catalog/lint/prices.hpp"

namespace gpusel::catalog::import {

namespace {

/// More of a price than that between regions: two products, not two places.
constexpr double kRegionSpread = 2;
/// A price of the same machine, region and term moves in steps larger than this, or is of another product: Windows, the
/// accelerator alone. Price lists that agree differ by rounding.
constexpr double kSameProduct = 1.02;
/// Beyond the range that the catalogue has of a GPU-hour by these: cents, another currency or period, or one GPU's.
constexpr double kBelowRange = 3;
constexpr double kAboveRange = 1.5;
/// Of fewer prices the range says little.
constexpr std::size_t kEnoughPrices = 3;
/// Discounts of more than that are no provider's.
constexpr double kDeepestSpot = 0.03;
/// Below this share of the lowest quartile a price is kept out, where so many prices say where that is.
constexpr double kDoubted = 0.25;
constexpr std::size_t kEnoughToDoubt = 5;
/// USD per vCPU and hour without a GPU: from burstable sizes to machines of many TiB.
constexpr Range kPerVcpu{0.001, 1.5};
/// GiB per vCPU: from compute sizes to machines of many TiB.
constexpr Range kPerVcpuMemory{0.2, 100};

}  // namespace

/// What the catalogue knows, by what an import asks of it.
struct KnownPrices {
  struct OfGpu {
    double low = std::numeric_limits<double>::infinity();
    double high = 0;
    std::size_t count = 0;

    void add(double usd) {
      low = std::min(low, usd);
      high = std::max(high, usd);
      ++count;
    }
  };

  explicit KnownPrices(const Catalog& catalog) {
    for (const Instance& instance : catalog.instances()) {
      instances.emplace(std::string(instance.provider) + "\n" + fold_name(instance.sku), &instance);
      if (instance.gpu.empty() || instance.gpu_count.value_or(0) <= 0) continue;
      for (const Offer& offer : catalog.offers_of(instance)) {
        const Number usd = offer.term == Term::on_demand ? usd_per_hour(catalog, offer) : Number{};
        if (!usd || *usd <= 0) continue;
        const auto provider = catalog.provider(instance.provider);
        const bool market = provider && (*provider)->kind == ProviderKind::marketplace;
        gpus[{instance.gpu, true}].add(*usd / *instance.gpu_count);  // a marketplace is compared with all of them
        if (!market) gpus[{instance.gpu, false}].add(*usd / *instance.gpu_count);
      }
    }
  }

  const Instance* find(const Instance& instance) const {
    const auto found = instances.find(std::string(instance.provider) + "\n" + fold_name(instance.sku));
    return found == instances.end() ? nullptr : found->second;
  }

  std::unordered_map<std::string, const Instance*> instances;
  /// By GPU, and whether marketplaces are among those that ask it.
  std::map<std::pair<std::string_view, bool>, OfGpu> gpus;
};

void MarketBuilder::doubt_low_prices() {
  std::map<std::string_view, std::vector<double>> prices;
  for (const Instance& instance : known_.instances()) {
    if (instance.gpu.empty() || instance.gpu_count.value_or(0) <= 0) continue;
    for (const Offer& offer : known_.offers_of(instance)) {
      if (offer.term != Term::on_demand) continue;
      if (const Number usd = usd_per_hour(known_, offer); usd && *usd > 0)
        prices[instance.gpu].push_back(*usd / *instance.gpu_count);
    }
  }
  for (auto& [key, list] : prices) {
    if (list.size() < kEnoughToDoubt) continue;
    const auto quartile = list.begin() + static_cast<std::ptrdiff_t>(list.size() / 4);
    std::ranges::nth_element(list, quartile);
    floors_[key] = *quartile * kDoubted;
  }
}

/// Why the row is kept out; empty where it is not.
std::string MarketBuilder::too_low(const Row& row, const Instance& instance) const {
  if (floors_.empty() || instance.gpu.empty() || instance.gpu_count.value_or(0) <= 0) return {};
  for (const RowPrice& price : row.prices) {
    const auto floor = floors_.find(instance.gpu);  // spot may go as low
    if (price.term != Term::on_demand || floor == floors_.end()) continue;
    const ExchangeRate* rate = known_.rate(row.currency);
    const double per_usd = row.currency == Currency::usd() ? 1 : rate->per_usd.value_or(1);
    Offer offer;
    offer.amount = price.amount;
    offer.period = price.period;
    const double each = offer.per_hour() / per_usd / *instance.gpu_count;
    if (each < floor->second)
      return say(
          "{:.4g} USD per {} and hour, below a quarter of the catalog's cheapest quarter: excluded, --trust includes "
          "it",
          each, instance.gpu);
  }
  return {};
}

Number MarketBuilder::usd_of(const Offer& offer) const {
  const Currency currency = tables_->currencies[offer.currency];
  if (currency == Currency::usd()) return offer.per_hour();
  const ExchangeRate* rate = known_.rate(currency);
  if (rate == nullptr || rate->per_usd.value_or(0) <= 0) return std::nullopt;
  return offer.per_hour() / *rate->per_usd;
}

std::string MarketBuilder::price_text(const Offer& offer) const {
  return format("{} {}", human_price(offer.per_hour()), tables_->currencies[offer.currency].code());
}

bool MarketBuilder::is_market(const Instance& instance) const {
  return std::any_of(tables_->providers.begin(), tables_->providers.end(), [&](const Provider& p) {
    return p.id == instance.provider && p.kind == ProviderKind::marketplace;
  });
}

void MarketBuilder::check_spot(const Instance& instance, Offers offers, std::uint32_t line) {
  for (std::size_t i = 0; i + 1 < offers.size(); ++i) {
    const Offer& full = offers[i];
    for (std::size_t j = i + 1; full.term == Term::on_demand && j < offers.size(); ++j) {
      const Offer& other = offers[j];
      if (other.region != full.region) break;
      if (other.currency != full.currency) continue;
      const bool spot = other.term == Term::spot;
      const std::string place = printable(tables_->regions[full.region].id);
      if (spot && full.per_hour() <= other.per_hour())
        ledger_.warn(
            line, say("'{}/{}' in {}: spot is not below on demand", instance.provider, printable(instance.sku), place));
      else if (is_discount(other.term) && other.per_hour() > full.per_hour() * kSameProduct)
        ledger_.warn(line,
                     say("'{}/{}' in {}: {} per hour of {} is above {} on demand", instance.provider,
                         printable(instance.sku), place, price_text(other), to_text(other.term), price_text(full)));
      else if (other.per_hour() < full.per_hour() * kDeepestSpot)
        ledger_.warn(line, say("'{}/{}' in {}: {} per hour of {} is less than {:g} % of {} on demand",
                               instance.provider, printable(instance.sku), place, price_text(other),
                               to_text(other.term), kDeepestSpot * 100, price_text(full)));
    }
  }
}

void MarketBuilder::check_regions(const Instance& instance, Offers offers, std::uint32_t line) {
  const Offer* cheapest = nullptr;
  const Offer* dearest = nullptr;
  for (const Offer& offer : offers) {
    if (offer.term != Term::on_demand || offer.currency != offers.front().currency) continue;
    if (cheapest == nullptr || offer.per_hour() < cheapest->per_hour()) cheapest = &offer;
    if (dearest == nullptr || offer.per_hour() > dearest->per_hour()) dearest = &offer;
  }
  if (cheapest == nullptr || instance.gpu.empty()) return;
  if (dearest->per_hour() <= kRegionSpread * cheapest->per_hour()) return;
  if (is_market(instance)) return;
  ledger_.warn(line,
               say("'{}/{}' costs {} {} per hour in {} and {} in {}: more than twice as much, one may be the "
                   "price of another product",
                   instance.provider, printable(instance.sku), human_price(cheapest->per_hour()),
                   tables_->currencies[cheapest->currency].code(), printable(tables_->regions[cheapest->region].id),
                   human_price(dearest->per_hour()), printable(tables_->regions[dearest->region].id)));
}

/// Against the catalogue's own price of the same machine, or else its prices of the GPU: the farthest is said.
void MarketBuilder::check_against_known(const Instance& instance, Offers offers, const KnownPrices& known,
                                        std::uint32_t line) {
  const Instance* own = known.find(instance);
  const auto gpu = known.gpus.find({instance.gpu, is_market(instance)});
  double farthest = 1;
  std::string said;
  const auto consider = [&](double off, const auto& text) {
    if (off <= farthest) return;
    farthest = off;
    said = text();
  };
  for (const Offer& offer : offers) {
    const Number usd = usd_of(offer);
    if (!usd || *usd <= 0) continue;
    const std::string place = printable(tables_->regions[offer.region].id);
    bool compared = false;
    for (const Offer& mine : own != nullptr ? known_.offers_of(*own) : std::span<const Offer>()) {
      if (mine.term != offer.term || offer.term == Term::spot) continue;
      if (fold_name(known_.region_of(mine).id) != fold_name(tables_->regions[offer.region].id)) continue;
      const Number there = usd_per_hour(known_, mine);
      if (!there || *there <= 0) continue;
      compared = true;
      const double off = std::max(*usd / *there, *there / *usd);
      if (off <= kSameProduct) continue;
      consider(off, [&] {
        return say(
            "'{}/{}' in {}: {} per hour, and the catalog has {:.4g} USD of {}: an old price, another unit or "
            "currency, or another product (Windows, the accelerator alone)",
            instance.provider, printable(instance.sku), place, price_text(offer), *there,
            Date::from_packed(mine.as_of).text());
      });
    }
    const bool comparable =
        gpu != known.gpus.end() && instance.gpu_count.value_or(0) > 0 && offer.term == Term::on_demand && !compared;
    if (!comparable) continue;
    const double each = *usd / *instance.gpu_count;
    const auto& [low, high, count] = gpu->second;
    if (each >= low / kBelowRange && each <= high * (count < kEnoughPrices ? kBelowRange : kAboveRange)) continue;
    consider(each < low ? low / each : each / high, [&] {
      return say(
          "'{}/{}' in {}: {:.4g} USD per {} and hour, and the catalog's prices are {:.4g} to {:.4g}: is it in "
          "cents, of another currency or period, or of another number of GPUs?",
          instance.provider, printable(instance.sku), place, each, instance.gpu, low, high);
    });
  }
  if (!said.empty()) ledger_.warn(line, said);
}

/// Columns that were swapped, and prices of machines without a GPU.
void MarketBuilder::check_host(const Instance& instance, Offers offers, std::uint32_t line) {
  const double vcpu = instance.vcpu.value_or(0);
  if (vcpu > 0 && instance.memory_gib && !kPerVcpuMemory.contains(*instance.memory_gib / vcpu))
    ledger_.warn(line, say("'{}/{}' has {:g} vCPUs and {:g} GiB: are the columns swapped?", instance.provider,
                           printable(instance.sku), vcpu, *instance.memory_gib));
  if (vcpu > 0 && instance.gpu_count.value_or(0) > vcpu)
    ledger_.warn(line, say("'{}/{}' has {:g} GPUs and {:g} vCPUs: are the columns swapped?", instance.provider,
                           printable(instance.sku), *instance.gpu_count, vcpu));
  if (vcpu <= 0 || !instance.gpu.empty()) return;
  for (const Offer& offer : offers) {
    const Number usd = offer.term == Term::on_demand ? usd_of(offer) : Number{};
    if (!usd || kPerVcpu.contains(*usd / vcpu)) continue;
    ledger_.warn(line, say("'{}/{}' in {}: {} per hour for {:g} vCPUs without a GPU: is it in cents, or of another "
                           "period?",
                           instance.provider, printable(instance.sku), printable(tables_->regions[offer.region].id),
                           price_text(offer), vcpu));
    return;
  }
}

/// Offers lie sorted by instance, region and term: prices that cannot both be true stand near each other.
void MarketBuilder::check_prices() {
  const KnownPrices known(known_);
  for (std::size_t first = 0, next = 0; first < offers_.size(); first = next) {
    for (next = first; next < offers_.size() && offers_[next].instance == offers_[first].instance; ++next) {
    }
    const Instance& instance = tables_->instances[offers_[first].instance];
    const auto [file, line] = met_[offers_[first].instance];
    const Offers offers = std::span(offers_).subspan(first, next - first);
    ledger_.begin_file(file);
    check_spot(instance, offers, line);
    check_regions(instance, offers, line);
    check_against_known(instance, offers, known, line);
    check_host(instance, offers, line);
  }
}

}  // namespace gpusel::catalog::import
