// Numbers for autoscalers, wherever they stand.
#pragma once

#include <string>

#include "gpusel/cost/autoscale.hpp"
#include "report/json/json.hpp"

namespace gpusel::report {

/// What a KEDA ScaledObject and a HorizontalPodAutoscaler take, and the metric they follow.
Json autoscale_json(const cost::Autoscale& rule, workload::Engine engine);

/// What "in flight" is, of an engine's own metrics.
std::string in_flight_text(workload::Engine engine);

/// Where none may remain: who wakes the first one, as an instance that is gone exports no metric.
std::string waking_text();

/// The rule in words.
std::string autoscale_text(const cost::Autoscale& rule);

}  // namespace gpusel::report
