#include "money/over_time/autoscale.hpp"

#include <algorithm>
#include <cmath>

#include "base/words/message.hpp"

namespace gpusel::money {

namespace {

// What the autoscalers of Kubernetes do unasked.
constexpr double kUsualWindow = 300;   // seconds: stabilizationWindowSeconds and cooldownPeriod
constexpr double kUsualPolling = 30;   // seconds: pollingInterval
constexpr double kFastestPolling = 5;  // more often asks the metrics' own resolution
constexpr double kTolerance = 0.1;     // of the target, within which nothing is changed
constexpr double kPollsPerStart = 10;  // a cold start is lengthened by a tenth at most
constexpr double kWindowSteps = 30;    // seconds that windows are rounded up to
constexpr std::string_view kAutoscalers = "Kubernetes: Horizontal Pod Autoscaling; KEDA: ScaledObject specification";

}  // namespace

Autoscale autoscale(const Scaled& facts, physics::Trace* trace, std::string_view prefix) {
  Autoscale out;
  const double start_h = in_hours(facts.cold_start);
  const double grown = 1 + std::max(0.0, facts.steepest_rise) * start_h;
  out.target_in_flight = std::max(1.0, std::floor(facts.in_flight / grown + 1e-9));
  out.min_replicas = facts.scale_to_zero ? 0 : std::max(1.0, facts.least);
  out.max_replicas = std::max(out.min_replicas, facts.most);
  const double from = std::max(1.0, out.min_replicas) + 1;
  out.scale_in_below = std::min((from - 1) / from, 1 - kTolerance);
  out.cold_start = facts.cold_start;
  const double window = std::max(kUsualWindow, std::ceil(facts.cold_start.raw() / kWindowSteps) * kWindowSteps);
  out.stabilization = seconds(window);
  out.cooldown = seconds(window);
  out.polling_interval =
      seconds(std::clamp(std::floor(facts.cold_start.raw() / kPollsPerStart), kFastestPolling, kUsualPolling));
  if (trace == nullptr) return out;
  const auto line = [&](std::string_view name, std::string formula, std::string numbers, physics::Figure value) {
    trace->push_back({format("{}.{}", prefix, name), std::move(formula), std::move(numbers), std::move(value),
                      std::string(kAutoscalers)});
  };
  line("target_in_flight",
       say("requests in flight at the planned rate ÷ (1 + steepest rise × cold start), rounded down"),
       say("{:.1f} ÷ (1 + {:.2f}/h × {:.4f} h)", facts.in_flight, facts.steepest_rise, start_h),
       physics::shown("{:g}", out.target_in_flight, to_name("requests")));
  line("min_replicas", say("replicas at the quietest hour, at least one unless none may run"),
       say("{:g}, {:g} of them spare", facts.least, facts.spare), physics::shown("{:g}", out.min_replicas));
  line("max_replicas", say("replicas at the busiest hour"), say("{:g}, {:g} of them spare", facts.most, facts.spare),
       physics::shown("{:g}", out.max_replicas));
  line("scale_in_below", say("(n − 1) ÷ n of the target for one replica above the fewest, and never within 10 % of it"),
       say("n = {:g}", from), physics::shown("{:.2f}", out.scale_in_below));
  line("stabilization", say("300 s, or the cold start where that is longer, up to a multiple of 30 s"),
       say("cold start {:.0f} s", facts.cold_start.raw()), physics::shown("{:g}", window, "s"));
  line("polling_interval", say("a tenth of the cold start, from 5 to 30 s"),
       say("cold start {:.0f} s", facts.cold_start.raw()), physics::shown("{:g}", out.polling_interval.raw(), "s"));
  return out;
}

// https://docs.vllm.ai/en/latest/usage/metrics.html, https://docs.sglang.io/references/production_metrics.html (with
// --enable-metrics)
QueueMetrics queue_metrics(job::Engine engine) {
  using job::Engine;
  switch (engine) {
    case Engine::vllm: return {"vllm:num_requests_running", "vllm:num_requests_waiting", "model_name"};
    case Engine::sglang: return {"sglang:num_running_reqs", "sglang:num_queue_reqs", "model_name"};
    case Engine::tgi: return {"tgi_batch_current_size", "tgi_queue_size", ""};
    case Engine::llama_cpp: return {"llamacpp:requests_processing", "llamacpp:requests_deferred", ""};
    default: return {};
  }
}

}  // namespace gpusel::money
