// Latencies that may be asked of serving, one row each: the planner, the nearest answer, fleets and explanations walk
// this table.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "physics/serving/inference.hpp"

namespace gpusel::physics {

struct LatencyTarget {
  std::string_view key;  // of the request; its flag is "--" and this
  std::optional<double> job::Request::* given;
  std::optional<double> job::Inference::* asked;  // ms
  /// Which so many of 100 requests meet, where the load says how they differ; else that of the typical one.
  Seconds (InferenceSpeed::*within)(double percent) const;

  Seconds reached(const InferenceSpeed& speed, double percent) const { return (speed.*within)(percent); }
};

std::span<const LatencyTarget> latency_targets();

/// Whether a target is asked for at all.
bool has_targets(const job::Inference& job);
job::Job without_targets(job::Job work);
/// The same model and requests, as many of them as the machine takes, however long each waits.
job::Job at_full_load(job::Job work);
/// How much longer steps and first tokens take than estimated.
struct Slowness {
  double steps = 1;
  double first_token = 1;

  /// Of the time that a target is about.
  double of(const LatencyTarget& target) const { return target.key == "ttft" ? first_token : steps; }
};

/// For the share of requests that was asked for, if everything is that much slower.
bool meets_targets(const job::Inference& job, const InferenceSpeed& speed, const Slowness& slow);
/// How far the requests are from the targets: the worst share of one, 1 is on them; 0 where there are none.
double missed_by(const job::Inference& job, const InferenceSpeed& speed);

}  // namespace gpusel::physics
