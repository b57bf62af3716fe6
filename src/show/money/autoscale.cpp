#include "show/money/autoscale.hpp"

#include <algorithm>

#include "base/words/message.hpp"

namespace gpusel::show {

Json autoscale_json(const money::Autoscale& rule, job::Engine engine) {
  const auto metrics = money::queue_metrics(engine);
  Json out{{"target_in_flight", number(rule.target_in_flight)},
           {"scale_in_below", number(rule.scale_in_below)},
           {"cold_start_s", number(rule.cold_start.raw())},
           {"keda",
            {{"pollingInterval", number(rule.polling_interval.raw())},
             {"cooldownPeriod", number(rule.cooldown.raw())},
             {"minReplicaCount", number(rule.min_replicas)},
             {"maxReplicaCount", number(rule.max_replicas)},
             {"threshold", number(rule.target_in_flight)}}},
           {"hpa",
            {{"minReplicas", number(std::max(1.0, rule.min_replicas))},
             {"maxReplicas", number(rule.max_replicas)},
             {"averageValue", number(rule.target_in_flight)},
             {"scaleDown_stabilizationWindowSeconds", number(rule.stabilization.raw())}}}};
  out["metrics"] = metrics.running.empty()
                       ? Json(nullptr)
                       : Json{{"running", metrics.running},
                              {"waiting", metrics.waiting},
                              {"query", format("sum({}) + sum({})", metrics.running, metrics.waiting)}};
  return out;
}

std::string in_flight_text(job::Engine engine) {
  const auto metrics = money::queue_metrics(engine);
  if (metrics.running.empty()) return say("running and waiting requests");
  return say("sum({}) + sum({})", metrics.running, metrics.waiting);
}

std::string waking_text() {
  return say(
      "at zero nothing exports that metric: let requests that wait at the gateway wake the first (KEDA's HTTP "
      "add-on), or keep one");
}

std::string autoscale_text(const money::Autoscale& rule) {
  if (rule.min_replicas >= 1)
    return say(
        "{:g} to {:g} instances, {:g} requests in flight each; scale in below {:.0f} % of that, {:.0f} s after the "
        "last higher demand; poll every {:.0f} s; cold start {:.0f} s",
        rule.min_replicas, rule.max_replicas, rule.target_in_flight, 100 * rule.scale_in_below,
        rule.stabilization.raw(), rule.polling_interval.raw(), rule.cold_start.raw());
  return say(
      "{:g} to {:g} instances, {:g} requests in flight each; scale in below {:.0f} % of that, {:.0f} s after the last "
      "higher demand; poll every {:.0f} s; the last one stops after {:.0f} s; cold start {:.0f} s",
      rule.min_replicas, rule.max_replicas, rule.target_in_flight, 100 * rule.scale_in_below, rule.stabilization.raw(),
      rule.polling_interval.raw(), rule.cooldown.raw(), rule.cold_start.raw());
}

}  // namespace gpusel::show
