// How a request went.
#pragma once

#include <cstdint>
#include <limits>

#include "job/traffic/requests.hpp"

namespace gpusel::serve {

using Request = job::LoggedRequest;
using job::Requests;

inline constexpr double kNever = std::numeric_limits<double>::infinity();

/// How a request went. Times in seconds from its arrival; infinite: never.
struct Served {
  float queued = 0;  // until the engine first worked on it, the front end included
  float ttft = std::numeric_limits<float>::infinity();
  float e2e = std::numeric_limits<float>::infinity();
  std::uint32_t cached = 0;  // tokens of its prompt that were found
  std::uint32_t slow = 0;    // gaps between its tokens that were longer than Scheduling::slow_gap
  std::uint16_t replica = 0;
  std::uint16_t preempted = 0;  // times

  bool done() const { return e2e < std::numeric_limits<float>::infinity(); }
  /// Mean time per token behind the first; of a single token 0.
  double tpot(std::uint32_t output) const { return output > 1 ? (double{e2e} - double{ttft}) / (output - 1) : 0; }
};

}  // namespace gpusel::serve
