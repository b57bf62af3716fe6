#include "money/storage.hpp"

#include <algorithm>

#include "base/words/message.hpp"
#include "physics/economy.hpp"

namespace gpusel::money {

namespace {

using catalog::Storage;
using catalog::StorageKind;

/// Of one volume or file system; nothing where no figure says it.
std::optional<double> volume_rate(const Storage& storage, const StorageUse& use) {
  std::optional<double> rate = storage.read_gbs_included;
  if (storage.read_gbs_per_tb) rate = rate.value_or(0) + *storage.read_gbs_per_tb * use.sold_gb() / 1000;
  if (rate && storage.per_gbs_month) *rate += use.bought_gbs;
  if (!rate) return storage.read_gbs;
  if (*rate <= 0) return std::nullopt;  // all of it is bought, and none was
  return storage.read_gbs ? std::min(*rate, *storage.read_gbs) : rate;
}

}  // namespace

std::optional<ReadRate> read_rate(const Storage& storage, const StorageUse& use) {
  std::optional<ReadRate> least;
  const auto at_most = [&](std::optional<double> gbs, std::string_view bound) {
    if (gbs && (!least || *gbs < least->gbs)) least = {*gbs, bound};
  };
  if (const auto volume = volume_rate(storage, use)) at_most(*volume * volumes_of(storage, use), to_name("volume"));
  if (storage.read_gbs_per_node) at_most(*storage.read_gbs_per_node * use.nodes, to_name("instance"));
  if (!least || storage.kind == StorageKind::local) return least;
  // What comes over a network that is not known may be any less than what a bucket or volume gives.
  if (!use.node_gbs) return std::nullopt;
  at_most(*use.node_gbs * use.nodes, to_name("network"));
  return least;
}

double throughput_to_buy(const Storage& storage, const StorageUse& use, double wanted_gbs) {
  if (!storage.per_gbs_month || *storage.per_gbs_month <= 0) return 0;
  StorageUse plain = use;
  plain.bought_gbs = 0;
  const double has = volume_rate(storage, plain).value_or(0);
  double wanted = wanted_gbs / volumes_of(storage, use);
  if (storage.read_gbs) wanted = std::min(wanted, *storage.read_gbs);
  if (storage.read_gbs_per_node) wanted = std::min(wanted, *storage.read_gbs_per_node * use.nodes);
  return std::max(0.0, wanted - has);
}

bool holds(const Storage& storage, double gb) { return !storage.max_gb || gb <= *storage.max_gb; }

std::optional<Money> price_per_month(const Storage& storage, const StorageUse& use) {
  if (storage.kind == StorageKind::local) return Money{0, Currency::parse(storage.currency).value_or(Currency::usd())};
  const auto currency = Currency::parse(storage.currency);
  if (!storage.per_gb_month || !currency || !holds(storage, use.gb)) return std::nullopt;
  return Money{month_of(physics::Untold{}, storage, use), *currency};
}

std::vector<const catalog::Storage*> storages_at(const Place& place, catalog::StorageKind kind,
                                                 const catalog::Catalog& catalog) {
  std::vector<const catalog::Storage*> everywhere;
  std::vector<const catalog::Storage*> here;
  for (const catalog::Storage& storage : catalog.storage()) {
    if (storage.provider != place.instance.provider || storage.kind != kind) continue;
    if (storage.regions.empty()) everywhere.push_back(&storage);
    for (const std::string_view region : storage.regions)
      if (region == place.region) here.push_back(&storage);
  }
  // A region's own record stands for the general one of its name.
  for (const catalog::Storage* general : everywhere)
    if (std::none_of(here.begin(), here.end(), [&](const auto* own) { return own->name == general->name; }))
      here.push_back(general);
  return here;
}

StorageUse storage_use(const catalog::Instance& instance, double gb, int nodes) {
  StorageUse use;
  use.gb = gb;
  use.nodes = nodes;
  if (instance.network_gbps) use.node_gbs = *instance.network_gbps / 8;
  return use;
}

std::optional<double> local_gbs(const Place& place, const catalog::Catalog& catalog,
                                const physics::Coefficients& coefficients) {
  const double disks_gb = place.instance.local_ssd_gb.value_or(0);
  if (disks_gb <= 0) return std::nullopt;
  for (const catalog::Storage* storage : storages_at(place, catalog::StorageKind::local, catalog))
    if (const auto rate = read_rate(*storage, storage_use(place.instance, disks_gb, 1))) return rate->gbs;
  return disks_gb / 1000 * coefficients.economy->storage_local_gbs_per_tb.value;
}

std::optional<double> most_node_gbs(const catalog::Instance& instance, std::optional<StorageKind> kind,
                                    const catalog::Catalog& catalog, const physics::Coefficients& coefficients) {
  constexpr double kLargeGb = 1e6;     // rates that grow with the size are bought by size
  constexpr double kAllThereIs = 1e6;  // GB/s
  std::optional<double> most;
  if (kind.value_or(StorageKind::local) == StorageKind::local) most = local_gbs({instance, {}}, catalog, coefficients);
  if (kind == StorageKind::local) return most;
  bool is_known = false;
  for (const Storage& storage : catalog.storage()) {
    if (storage.provider != instance.provider || storage.kind == StorageKind::local) continue;
    if (kind && storage.kind != *kind) continue;
    StorageUse use = storage_use(instance, storage.max_gb.value_or(kLargeGb), 1);
    use.bought_gbs = throughput_to_buy(storage, use, kAllThereIs);
    const auto rate = read_rate(storage, use);
    if (!rate) return std::nullopt;  // it may be the fastest
    is_known = true;
    most = std::max(most.value_or(0), rate->gbs);
  }
  return is_known ? most : std::nullopt;
}

}  // namespace gpusel::money
