// A service: replicas behind a router, and requests that come to it from outside or from users who wait for answers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/values/enum.hpp"
#include "serve/engine/engine.hpp"

namespace gpusel::serve {

/// Where a request goes.
enum class Router : std::uint8_t {
  round_robin,
  least_requests,
  least_tokens,
  prefix  ///< where most of the prompt is cached, unless that replica has far more to do than others
};

}  // namespace gpusel::serve

template <>
inline constexpr auto gpusel::enum_names<gpusel::serve::Router> =
    std::to_array<std::string_view>({"round-robin", "least-requests", "least-tokens", "prefix"});

namespace gpusel::serve {

struct Fleet {
  std::uint32_t replicas = 1;
  Router router = Router::least_requests;
  std::uint32_t prompt_replicas = 0;  // of `replicas`, those that read prompts for the others; 0: all do both
  double transfer_per_token = 0;      // s, from those to these
  double transfer_fixed = 0;          // s
  std::uint32_t most_replicas = 0;    // autoscaling from `replicas` to as many; 0: none
  double wanted_requests = 0;         // in flight per replica, that autoscaling aims at
  double start_delay = 0;             // s until a replica that is started serves
  double reclaims_per_hour = 0;       // of each replica, at random; another is started then
};

/// What of a run is counted: requests by the order in which they come.
struct Window {
  std::size_t from = 0;
  std::size_t until = SIZE_MAX;
  std::size_t parts = 1;  // of equal numbers of requests, whose gaps between tokens are kept apart
};

/// When a run need not go on: `ends` says so of how requests went so far, and is asked `times` times of those in the
/// window that have come, from the first of them.
struct Watch {
  std::function<bool(std::span<const Served> served, std::size_t from, std::size_t until)> ends;
  std::size_t times = 16;
};

struct Run {
  std::vector<Served> served;       // of each request
  std::vector<double> arrivals;     // of a closed loop: when each was asked
  double ended = 0;                 // s, last step of any replica
  double replica_seconds = 0;       // that replicas were there
  std::uint32_t most_replicas = 0;  // at once
  bool ended_early = false;         // as whoever watched it wanted: nothing but `served` counts

  // Of the window:
  Usage usage;               // of all replicas
  std::vector<Spread> gaps;  // of its parts
  double begin = 0;          // s
  double end = 0;
};

/// Everything happens in one order, which requests, fleet and seed decide. `requests` are sorted by arrival; with
/// `users` they are asked in their order by whoever is free, and arrivals are what is thought before. Such a run is not
/// watched.
Run serve_requests(const Requests& requests, const StepTimes& times, const Scheduling& scheduling, const Fleet& fleet,
                   std::uint32_t users, const Window& window, std::uint64_t seed, const Watch* watch = nullptr);

}  // namespace gpusel::serve
