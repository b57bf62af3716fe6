// What stands against cost where no answer is the best in everything.
#pragma once

#include "answer/whatif/whatif.hpp"

namespace gpusel::answer {

/// Time of a job that ends, latency where requests come at a rate, else throughput: as the ranking marks its frontier.
Against against_of(const job::Job& work);
/// Hours, ms to the whole answer, or the work's own rate.
double place_of(const Recommendation& recommendation, Against against);
/// What that is compared in.
Measure measure_against(Against against);
/// The unit of throughput.
std::string rate_unit_of(const job::Job& work);

}  // namespace gpusel::answer
