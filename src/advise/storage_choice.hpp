// Which of a provider's storages is meant. Private to this room.
#pragma once

#include <vector>

#include "gpusel/advise/data_path.hpp"
#include "gpusel/cost/storage.hpp"

namespace gpusel::advise {

/// Those of a kind that are sold where the instance runs: the region's own before those of every region.
std::vector<const catalog::Storage*> storages_at(const Place& place, catalog::StorageKind kind,
                                                 const catalog::Catalog& catalog);

/// `gb` on that storage, read by `nodes` of these instances.
cost::StorageUse use_of(const catalog::Instance& instance, double gb, int nodes);

/// What one instance reads from its own disks; nothing without any.
std::optional<double> local_gbs(const Place& place, const catalog::Catalog& catalog,
                                const estimate::Coefficients& coefficients);

}  // namespace gpusel::advise
