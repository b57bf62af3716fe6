// What stands beside an instance: managed services that run it under another name and price, and what the provider
// promises for it.
#pragma once

#include <vector>

#include "catalog/catalog.hpp"
#include "job/job.hpp"

namespace gpusel::answer {

struct Services {
  std::vector<const catalog::Service*> managed;
  std::vector<std::string_view> unrecorded;  // services for such work that have no record of this family
  std::vector<const catalog::ServiceLevel*> promises;

  bool empty() const { return managed.empty() && unrecorded.empty() && promises.empty(); }
};

/// Of the provider, for this instance and work of this kind. A record that names the SKU stands for the general one of
/// its name.
Services services_of(const catalog::Instance& instance, catalog::Term term, const job::Job& work,
                     const catalog::Catalog& catalog);

}  // namespace gpusel::answer
