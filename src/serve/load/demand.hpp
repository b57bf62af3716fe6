// What is asked of a service, as something to draw requests from: how long they are, how they come, what they share.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "job/traffic/length.hpp"
#include "job/traffic/requests.hpp"

namespace gpusel::serve {

using job::Length;

/// How requests come that nobody waits for: gaps of a gamma distribution, at a rate that differs from minute to minute.
struct Process {
  double gap_cv = 1;     // standard deviation of the gaps over their mean; 1: at random (Poisson), 0: evenly
  double minute_cv = 0;  // the same of the minutes' rates
  bool operator==(const Process&) const = default;
};

/// Users who wait for their answers. What each thinks before it asks is exponential.
struct Users {
  std::uint32_t count = 0;  // 0: requests come on their own
  double think = 0;         // s, mean
  std::uint32_t turns = 0;  // of a session whose prompts grow by every turn and answer; 0: requests stand alone
  bool operator==(const Users&) const = default;
};

struct Demand {
  Length input = Length::fixed(1024);
  Length output = Length::fixed(256);
  double correlation = 0;  // of the normal variables behind the two
  Process process;
  double rate = 1;  // requests per second, where no users are
  Users users;
  double shared_prefix = 0;                  // tokens at the start of every prompt
  double session_share = 0;                  // of requests, those that go on with an earlier prompt and its answer
  std::uint32_t longest = 0;                 // tokens of a prompt and its answer, that sessions end at; 0: no end
  std::shared_ptr<const job::Requests> log;  // replayed as it is, stretched to `rate`; nothing else counts then
  double log_rate = 1;                       // its own, requests per second

  bool replays() const { return log != nullptr; }
  /// Whether a part of many replicas, with its share of the requests, is as busy as all of them.
  bool divides() const { return !replays(); }
  /// What reaches that part: of requests that come many at once, it gets its share of each burst. Gaps of a renewal
  /// process that is thinned at random: D. R. Cox, Renewal Theory (1962), section 8.
  Demand part(double share) const;
  /// So many replicas are a part that is as busy as any number of them. Minutes of different rates need long runs.
  double enough_replicas() const;
  /// Minutes of different rates that a run needs, so that its busiest are as many of all as they are in the long run:
  /// with the exponential distribution's spread, one in twenty requests comes in the busiest of sixty.
  double enough_minutes() const;
  bool operator==(const Demand&) const = default;
};

/// The first `count` requests at that rate, sorted by arrival; the same for every rate but for the time between them.
job::Requests draw(const Demand& demand, std::size_t count, double rate, std::uint64_t seed);

/// Those that were drawn last: candidates are compared on the same requests.
class DrawnRequests {
 public:
  /// As draw() has them; good until the next call.
  const job::Requests& of(const Demand& demand, std::size_t count, double rate, std::uint64_t seed);

 private:
  struct Draw {
    Demand demand;
    std::size_t count;
    double rate;
    std::uint64_t seed;
    job::Requests requests;
    std::uint64_t used = 0;
  };
  static constexpr std::size_t kMost = 24;  // of up to some megabytes
  std::vector<Draw> draws_;
  std::uint64_t uses_ = 0;
};

/// Of a longer log the `most` requests one behind the other that come fastest, at their own rate.
Demand busiest(Demand demand, std::size_t most);

}  // namespace gpusel::serve
