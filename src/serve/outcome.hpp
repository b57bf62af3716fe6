// What a run comes down to: percentiles, shares in time, and what the replicas did.
#pragma once

#include <array>
#include <optional>

#include "serve/service.hpp"

namespace gpusel::serve {

/// Mean and percentiles in seconds; infinite where requests that are never served make them so.
struct Figures {
  double mean = 0, p50 = 0, p90 = 0, p95 = 0, p99 = 0, p999 = 0;
  /// Whether there was anything to measure: an answer of one token has no time between tokens.
  bool any() const { return mean != 0; }
};
inline constexpr std::array kFigures = {&Figures::mean, &Figures::p50, &Figures::p90,
                                        &Figures::p95,  &Figures::p99, &Figures::p999};

struct Measures {
  Figures ttft;  // arrival to first token
  Figures tpot;  // mean time per token behind the first, of each request that has one
  Figures itl;   // between tokens
  Figures e2e;   // arrival to last token
};
inline constexpr std::array kMeasures = {&Measures::ttft, &Measures::tpot, &Measures::itl, &Measures::e2e};

/// What is asked of each request, in seconds. Of the gaps between its tokens, 95 of 100 have to be as short.
struct Targets {
  std::optional<double> ttft, tpot, itl, e2e;
  bool any() const { return ttft || tpot || itl || e2e; }
};

/// Shares of all requests that meet a target, and that meet all there are.
struct Shares {
  double all = 1, ttft = 1, tpot = 1, itl = 1, e2e = 1;
};

struct Level {
  double mean = 0, p95 = 0, most = 0;
};

struct Outcome {
  Measures measures;
  Shares in_time;
  std::size_t requests = 0;
  std::size_t unserved = 0;
  double seconds = 0;
  double requests_per_s = 0;       // that ended
  double output_tokens_per_s = 0;  // generated
  double total_tokens_per_s = 0;
  double good_requests_per_s = 0;  // in time
  double good_output_tokens_per_s = 0;
  double wait = 0;  // s, mean, until the engine first works on a request
  Level queue;      // requests that wait, of one replica
  Level batch;      // sequences at work
  std::uint64_t preemptions = 0;
  double cache_peak = 0;   // share of the cache
  double prefix_hit = 0;   // share of prompt tokens found
  double utilization = 0;  // share of the time that replicas were busy
  double utilization_peak_minute = 0;
  double replicas = 0;  // that were there, on average
};

/// Whether a request is over, and was in time by every target.
bool is_in_time(const Served& served, const Request& request, const Targets& targets);

/// Requests per second that end in the middle half of a run's ends.
double served_per_s(const Requests& requests, const Run& run);

/// Requests whose last gap counts are in Served::slow, where there is a target for gaps.
Outcome outcome_of(const Requests& requests, const Run& run, const Targets& targets, const Window& window);

/// Half of the width that a finite run leaves open at a level of 95 %, by batch means; nothing below 20 requests a
/// part.
struct HalfWidths {
  Measures measures;
  double share_in_time = 0;
};
HalfWidths half_widths(const Requests& requests, const Run& run, const Targets& targets, const Window& window);

}  // namespace gpusel::serve
