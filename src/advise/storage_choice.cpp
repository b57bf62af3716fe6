#include "advise/storage_choice.hpp"

#include <algorithm>

#include "gpusel/estimate/economy.hpp"

namespace gpusel::advise {

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

cost::StorageUse use_of(const catalog::Instance& instance, double gb, int nodes) {
  cost::StorageUse use;
  use.gb = gb;
  use.nodes = nodes;
  if (instance.network_gbps) use.node_gbs = *instance.network_gbps / 8;
  return use;
}

std::optional<double> local_gbs(const Place& place, const catalog::Catalog& catalog,
                                const estimate::Coefficients& coefficients) {
  const double disks_gb = place.instance.local_ssd_gb.value_or(0);
  if (disks_gb <= 0) return std::nullopt;
  for (const catalog::Storage* storage : storages_at(place, catalog::StorageKind::local, catalog))
    if (const auto rate = cost::read_rate(*storage, use_of(place.instance, disks_gb, 1))) return rate->gbs;
  return disks_gb / 1000 * coefficients.economy->storage_local_gbs_per_tb.value;
}

}  // namespace gpusel::advise
