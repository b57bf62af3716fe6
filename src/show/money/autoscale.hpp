// Numbers for autoscalers, wherever they stand.
#pragma once

#include <string>

#include "money/over_time/autoscale.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

/// What a KEDA ScaledObject and a HorizontalPodAutoscaler take, and the metric they follow.
Json autoscale_json(const money::Autoscale& rule, job::Engine engine);

/// What "in flight" is, of an engine's own metrics.
std::string in_flight_text(job::Engine engine);

/// Where none may remain: who wakes the first one, as an instance that is gone exports no metric.
std::string waking_text();

/// The rule in words.
std::string autoscale_text(const money::Autoscale& rule);

}  // namespace gpusel::show
