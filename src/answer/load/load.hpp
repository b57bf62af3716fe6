// What is asked of a service: requests of one length, a kind of traffic, a log, or users who wait for their answers.
// simulate replays it; recommend sizes services by it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "job/request/request.hpp"
#include "job/traffic/log.hpp"
#include "serve/load/demand.hpp"

namespace gpusel::answer {

struct LoadQuestion {
  std::string traffic;  // a profile's name or a file
  std::optional<job::TimeUnit> time_unit;
  job::Count hash_block;
  std::string arrivals;  // poisson, even, gamma:CV or a profile's name
  job::Count users, sessions, turns;
  std::optional<double> think_s;
  job::Count shared_prefix;

  bool waits() const { return users || sessions; }
  /// The first flag that is given; none: all that is said is how many requests come and how long they are.
  std::string_view first_flag() const;
  bool given() const { return !first_flag().empty(); }
};

/// The flags of a load.
std::span<const job::Option<LoadQuestion>> load_options();

/// The name of requests that are all alike.
inline constexpr std::string_view kOneLength = "fixed";

/// Figures of the requests that are asked.
struct AskedTraffic {
  std::string source;  // fixed, profile, file, users or sessions
  std::string name;
  std::string arrivals;  // poisson, gamma, even, profile, trace or closed-loop
  std::optional<job::TimeUnit> time_unit;
  job::TimeUnitFrom time_unit_from = job::TimeUnitFrom::none;
  double requests = 0;
  double left_out = 0;  // of a log: answers of no token
  double duration_s = 0;
  double requests_per_s = 0;
  double gap_cv = 0;
  double dispersion_60s = 0;  // variance of requests per minute over their mean; 1: at random
  double peak_minute_over_mean = 0;
  struct Lengths {
    double mean = 0, p50 = 0, p95 = 0, most = 0;
  };
  Lengths input, output;
  double too_long = 0;  // requests beyond the model's context
};

/// Requests to draw or to replay, before any machine is known, and what they come down to.
struct AskedLoad {
  serve::Demand demand;
  AskedTraffic traffic;
  std::vector<std::string> notes;

  /// Tokens of a prompt and of an answer, on average.
  double mean_input() const;
  double mean_output() const;
};

/// That lengths are assumed, with those that are taken; none: both are given.
std::optional<std::string> assumed_lengths(const job::Request& request);

/// `seed`: of arrivals that a log of lengths alone is given. Errors: no source or two, what has no meaning for it,
/// files and profiles that cannot be read.
Result<AskedLoad> asked_load(const LoadQuestion& question, const job::Request& request, std::uint64_t seed,
                             const catalog::Catalog& catalog);

/// The figures of requests as they come.
void measure(const job::Requests& requests, AskedTraffic& traffic);

}  // namespace gpusel::answer
