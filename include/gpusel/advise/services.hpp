// What stands beside an instance: managed services that run it under another name and price, and what the provider
// promises for it.
#pragma once

#include <vector>

#include "gpusel/catalog/catalog.hpp"
#include "gpusel/workload/terms.hpp"

namespace gpusel::advise {

struct Services {
  std::vector<const catalog::Service*> managed;
  std::vector<const catalog::ServiceLevel*> promises;

  bool empty() const { return managed.empty() && promises.empty(); }
};

/// Of the provider, for instances of this family and work of this kind.
Services services_of(const catalog::Instance& instance, workload::Task task, const catalog::Catalog& catalog);

}  // namespace gpusel::advise
