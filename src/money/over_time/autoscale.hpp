// When to add and when to take away replicas of a service, as numbers that a KEDA ScaledObject or a
// HorizontalPodAutoscaler asks for.
#pragma once

#include <string_view>

#include "base/values/units.hpp"
#include "job/request/terms.hpp"
#include "physics/trace.hpp"

namespace gpusel::money {

/// What one replica does and how traffic moves.
struct Scaled {
  double in_flight = 0;      // requests at once on one replica at the rate it is planned for
  double least = 0;          // replicas at the quietest time
  double most = 1;           // and at the busiest
  double spare = 0;          // of them, that may be out
  double steepest_rise = 0;  // of traffic, per hour: 1 doubles it
  Seconds cold_start;        // from the decision to the first answer
  bool scale_to_zero = false;
};

struct Autoscale {
  double target_in_flight = 0;  // per replica, on average
  double scale_in_below = 0;    // of that target, at the least number of replicas above the minimum
  double min_replicas = 0;
  double max_replicas = 1;
  Seconds cold_start;
  Seconds stabilization;  // no replica goes within this of a higher demand
  Seconds polling_interval;
  Seconds cooldown;  // before the last one goes, where none may remain
};

/// With lines for --explain, named after `prefix`, where a trace is given.
Autoscale autoscale(const Scaled& facts, physics::Trace* trace = nullptr, std::string_view prefix = "autoscale");

/// What an engine's own metrics call requests that run and that wait; empty where it has none.
struct QueueMetrics {
  std::string_view running;
  std::string_view waiting;
  std::string_view model_label;  // that tells the model on both; empty: none does
};
QueueMetrics queue_metrics(job::Engine engine);

}  // namespace gpusel::money
