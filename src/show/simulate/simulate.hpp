// A simulation of serving as a page and as JSON.
#pragma once

#include "answer/simulate/simulate.hpp"
#include "show/document/document.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

/// What is asked, as "traffic".
Json traffic_json(const answer::AskedTraffic& traffic, const serve::Users& users);
/// schema gpusel.simulate/1.
Json simulate_json(const answer::Simulated& simulated);
/// The verdict, the percentiles, the queue and the cache, the knee. `all`: every note and figure.
Document simulate_page(const answer::Simulated& simulated, bool all);
/// One row per measure.
Table simulate_table(const answer::Simulated& simulated);

}  // namespace gpusel::show
