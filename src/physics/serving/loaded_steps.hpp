// How long requests wait for tokens while others arrive at random: the steps of one replica as a Markov chain.
#pragma once

#include <optional>
#include <vector>

#include "base/values/units.hpp"

namespace gpusel::physics {

/// Share of the time that prompts may take: a queue closer to all of it has no steady state.
inline constexpr double kMostRead = 0.98;

struct Percentiles {
  Seconds mean, p50, p90, p95, p99, p999;
  /// 50 to 99.9 of 100; between those that are known, evenly over how rare it is to be slower.
  Seconds within(double percent) const;
};

/// One replica whose steps read what has come of prompts meanwhile. A prompt is counted in parts, so that a step can
/// read some of it. The number of parts that wait at the start of a step depends on that number a step before (a queue
/// with Poisson arrivals, constant service and bulks, as M/D/1: docs/method.md); its stationary distribution gives all
/// percentiles.
struct LoadedSteps {
  double arrivals_per_s = 0;  // requests
  Seconds bare;               // a step without prompts; 0: nothing decodes here
  double parts = 1;           // of a prompt
  double parts_of_step = 1;   // at most, in all batches of a pipeline
  Seconds first_part;         // each of the first prompt in a step adds this
  Seconds further_part;       // each of those behind it
  bool reads_alone = false;   // a step is prompts or decoding, and prompts come first
  bool ahead = false;         // a token is sent a step later: the next one is scheduled before it is known
  Seconds alone;              // reading a prompt where nothing else runs
  Seconds overhead;           // of a first token: neither waiting nor reading
  Seconds spread;             // standard deviation of `bare`, as sequences come and go
  double in_flight = 1;       // requests
  double room = 1;            // requests
  Seconds stay;               // of a request
  double stages = 1;          // of a pipeline, with as many batches on their way
  double tokens_of_step = 1;  // of each sequence
  Seconds per_token;          // mean over a request's tokens behind the first
  double steps = 0;           // tokens behind the first
};

/// Percentiles of one load, each computed when it is first asked for: few of thousands of plans ever are.
class LoadedTimes {
 public:
  explicit LoadedTimes(const LoadedSteps& steps) : steps_(steps) {}
  const LoadedSteps& steps() const { return steps_; }
  const Percentiles& ttft() const;
  const Percentiles& tpot() const;  // needs no queue
  const Percentiles& itl() const;
  const Percentiles& e2e() const;

 private:
  const std::vector<double>& waiting() const;

  LoadedSteps steps_;
  mutable std::vector<double> waiting_;  // share of the steps that begin with that many parts waiting
  mutable std::optional<Percentiles> ttft_, tpot_, itl_, e2e_;
};

}  // namespace gpusel::physics
