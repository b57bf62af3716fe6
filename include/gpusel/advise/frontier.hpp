// What stands against cost where no answer is the best in everything.
#pragma once

#include "gpusel/advise/whatif.hpp"

namespace gpusel::advise {

/// Time of a job that ends, latency where requests come at a rate, else throughput: as the ranking marks its frontier.
Against against_of(const workload::Workload& work);
/// Hours, ms to the whole answer, or the work's own rate.
double place_of(const Recommendation& recommendation, Against against);
/// What that is compared in.
Measure measure_against(Against against);
/// The unit of throughput.
std::string rate_unit_of(const workload::Workload& work);

}  // namespace gpusel::advise
