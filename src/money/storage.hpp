// Storage as a rate and a price: what instances together read from it, and what a month of it costs.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/values/money.hpp"
#include "base/values/units.hpp"
#include "catalog/catalog.hpp"
#include "catalog/records/services.hpp"
#include "physics/coefficients.hpp"
#include "physics/record.hpp"

namespace gpusel::money {

/// What is stored, and who reads it.
struct StorageUse {
  double gb = 0;
  int nodes = 1;
  std::optional<double> node_gbs;  // that the network of one instance carries; absent: not known
  double bought_gbs = 0;           // throughput bought apart, of one volume or file system
  double least_gb = 0;             // smaller ones are not sold

  /// What is paid for, and what rates that grow with the size follow.
  double sold_gb() const { return gb > least_gb ? gb : least_gb; }
};

struct ReadRate {
  double gbs = 0;             // all nodes together
  std::string_view bound_by;  // "volume", "instance" or "network"
};

/// Disks and block volumes are each node's own; file systems and buckets are one for all.
constexpr bool is_each_nodes_own(catalog::StorageKind kind) {
  return kind == catalog::StorageKind::local || kind == catalog::StorageKind::block;
}

/// The lesser of what volumes give (included, bought, or by what is stored) and what nodes draw over their network.
/// Nothing where neither volumes nor nodes are known, or where the network is not.
std::optional<ReadRate> read_rate(const catalog::Storage& storage, const StorageUse& use);

/// Throughput to buy of one volume for all nodes to read `wanted_gbs` together, as far as it is sold; 0 where none is
/// sold apart.
double throughput_to_buy(const catalog::Storage& storage, const StorageUse& use, double wanted_gbs);

constexpr double volumes_of(const catalog::Storage& storage, const StorageUse& use) {
  return is_each_nodes_own(*storage.kind) ? use.nodes : 1;
}

/// Capacity and bought throughput of all volumes, in the storage's own currency; a GB of it has a price.
template <class Tell>
auto month_of(const Tell& told, const catalog::Storage& storage, const StorageUse& use) {
  return (told("price of a GB and month", *storage.per_gb_month) * told("GB", use.sold_gb()) +
          told("price of a GB/s and month", storage.per_gbs_month.value_or(0)) *
              told.some("GB/s bought", use.bought_gbs)) *
         told("volumes", volumes_of(storage, use));
}

/// The same, with its currency. Disks of the instance cost nothing on
/// top of it. Nothing where no price is known, or a volume cannot be that large.
std::optional<Money> price_per_month(const catalog::Storage& storage, const StorageUse& use);

/// Where something runs: storage is sold by the provider, region by region.
struct Place {
  const catalog::Instance& instance;
  std::string_view region;
};

/// Those of a kind that are sold there: the region's own before those of every region.
std::vector<const catalog::Storage*> storages_at(const Place& place, catalog::StorageKind kind,
                                                 const catalog::Catalog& catalog);

/// `gb` on that storage, read by `nodes` of these instances.
StorageUse storage_use(const catalog::Instance& instance, double gb, int nodes);

/// What one instance reads from its own disks; nothing without any.
std::optional<double> local_gbs(const Place& place, const catalog::Catalog& catalog,
                                const physics::Coefficients& coefficients);

/// The most that one instance reads of a data set: from the fastest storage of its provider, its own disks included, or
/// from the fastest of a kind, as large and as fast as it is sold. Nothing where none is known, or not how fast it is.
std::optional<double> most_node_gbs(const catalog::Instance& instance, std::optional<catalog::StorageKind> kind,
                                    const catalog::Catalog& catalog, const physics::Coefficients& coefficients);

/// Whether one volume or file system holds that much, as far as its limit is known.
bool holds(const catalog::Storage& storage, double gb);

}  // namespace gpusel::money
