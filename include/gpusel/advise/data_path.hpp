// The way of data to the GPUs: how much there is, how fast it must come, which storage of the provider brings it, and
// how long a fresh instance takes until it answers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpusel/catalog/catalog.hpp"
#include "gpusel/estimate/trace.hpp"
#include "gpusel/plan/plan.hpp"

namespace gpusel::advise {

/// Where something runs: storage is sold by the provider, region by region.
struct Place {
  const catalog::Instance& instance;
  std::string_view region;
};

/// From a fresh instance to the first answer: weights are loaded, then the engine starts. What a provider takes to hand
/// over the instance and to fetch the container comes before it and is not in it.
struct ColdStart {
  Bytes weights;                              // that one node reads
  std::optional<catalog::StorageKind> kind;   // they are read from
  const catalog::Storage* storage = nullptr;  // null: none of that kind is known there, and the usual rate stands
  double storage_gbs = 0;                     // one node
  double loader_gbs = 0;                      // that the engine's loader takes, one node
  Seconds load;
  Seconds engine;

  double gbs() const { return storage_gbs < loader_gbs ? storage_gbs : loader_gbs; }
  std::string_view bound_by() const { return storage_gbs < loader_gbs ? "storage" : "loader"; }
  Seconds total() const { return load + engine; }
};

/// Nothing for work that loads no model. `from`: where the weights are kept; a bucket of the provider if not told.
std::optional<ColdStart> cold_start(const workload::Workload& work, const estimate::Machine& machine,
                                    const plan::Choice& choice, const Place& place, const catalog::Catalog& catalog,
                                    const estimate::Coefficients& coefficients, estimate::Trace* trace = nullptr,
                                    catalog::StorageKind from = catalog::StorageKind::object);

}  // namespace gpusel::advise
