// The whole answer to one question: a run as long as its percentiles need, what step times leave open, and how latency
// rises with the rate.
#pragma once

#include <span>
#include <vector>

#include "serve/load/demand.hpp"
#include "serve/outcome.hpp"
#include "serve/setup.hpp"

namespace gpusel::serve {

/// What is not known of step times: standard deviations of the logarithm of what memory, links and host take, of what
/// arithmetic takes, and of what the front end adds. A machine that is slower than thought is so in all of them.
struct Doubt {
  double memory = 0;
  double compute = 0;
  double front_end = 0;
};

struct Goal {
  Targets targets;
  double share = 0.95;      // of requests that has to be in time
  double confidence = 0.8;  // chance, over step times, that it is
};

constexpr std::size_t kDraws = 40;  // of step times, evenly over what they may be

struct Effort {
  std::optional<std::size_t> requests;  // absent: until percentiles are known to 5 %
  std::optional<double> warm_up;        // s left out, not with users; absent: a fifth of the run, none of a log
  std::uint64_t seed = 1;
  std::size_t draws = kDraws;         // of step times; 0: none
  std::size_t drawn_requests = 4000;  // of each
  bool knee = true;
  bool keep = false;  // requests and how each went
  DrawnRequests* drawn = nullptr;
};

struct KneePoint {
  double requests_per_s = 0;
  double share_in_time = 0;
  double ttft_p95 = 0, tpot_p95 = 0;  // s
  double utilization = 0;
};

struct Simulation {
  Outcome outcome;
  HalfWidths half_widths;
  std::vector<Outcome> draws;  // beside `drawn`, of the same requests
  Outcome drawn;               // with the step times as they are expected
  double meets_goal = 1;       // share of the draws
  std::vector<KneePoint> knee;
  double most_requests_per_s = 0;  // that keep the goal; without targets, that can be served
  double saturates_at = 0;         // requests per second that can be served; 0: not swept, or users who wait
  std::size_t requests = 0;
  job::Requests asked;  // of the longest run, where they are kept
  std::vector<Served> served;
  bool saturated = false;  // more come than can be served: what is printed depends on how long it lasts
  bool known = true;       // every percentile but the last, to 5 %
};

Simulation simulate(const Setup& setup, const Demand& demand, const Goal& goal, const Doubt& doubt,
                    const Effort& effort);

/// The 10th and 90th percentile of a figure over the draws, which moves with them as the shorter runs do. Infinite
/// where a draw is saturated.
struct Bounds {
  double low = 0;
  double high = 0;
};
Bounds bounds(const Simulation& simulation, double Figures::* figure, Figures Measures::* measure);
Bounds share_bounds(const Simulation& simulation);

// For those who compare candidates: one short run after another on the same requests.

/// A run in which all step times are `slow` standard deviations slower than expected. What is in time falls with them,
/// so that the share reached with a confidence is the share reached at that percentile.
struct Trial {
  double slow = 0;
  std::size_t requests = 3000;
  std::uint64_t seed = 1;
  DrawnRequests* drawn = nullptr;  // those of earlier trials, if they are kept
};

/// Where a queue grows for as long as the run lasts, nothing is in time. `served`: where it is told how each request
/// went.
Outcome trial(const Setup& setup, const Demand& demand, const Goal& goal, const Doubt& doubt, const Trial& how,
              std::vector<Served>* served = nullptr);

/// The result of a run that asks for a share of requests in time.
struct Reached {
  double share = 0;     // in time; 0 where the run ended because too many were late
  bool steady = false;  // those of the second half take no longer than those of the first
};
/// May end, with 0, once fewer than `least` of the requests can be in time; never with users.
Reached reached(double least, const Setup& setup, const Demand& demand, const Goal& goal, const Doubt& doubt,
                const Trial& how);
/// Whether that share of the requests is in time in such a run.
bool reaches(double share, const Setup& setup, const Demand& demand, const Goal& goal, const Doubt& doubt,
             const Trial& how);
/// The share of the draws of step times in which the goal is met. `sure`: it is with the confidence that is asked for.
double chance_of_goal(const Setup& setup, const Demand& demand, const Goal& goal, const Doubt& doubt, bool sure,
                      const Trial& how = {});

}  // namespace gpusel::serve
