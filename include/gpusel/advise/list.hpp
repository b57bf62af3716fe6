// Instances that meet limits, each with its cheapest offer: a price list, no job.
#pragma once

#include <vector>

#include "gpusel/advise/recommend.hpp"

namespace gpusel::advise {

struct Listed {
  const catalog::Instance* instance = nullptr;
  const catalog::Offer* offer = nullptr;  // the cheapest that meets the limits; on-demand where there is one
  double hourly = 0;                      // in the asked currency
};

/// In catalogue order. Limits on price, place, term or age drop instances without such an offer.
Result<std::vector<Listed>> list_instances(const workload::Constraints& constraints, Currency currency, Date today,
                                           const catalog::Catalog& catalog, const estimate::Coefficients& coefficients);

}  // namespace gpusel::advise
