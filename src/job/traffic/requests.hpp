// What is asked of a service: requests in the order in which they come, and what their prompts share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gpusel::job {

struct LoggedRequest {
  double arrival = 0;         // seconds from the first; in a closed loop what its user thinks before
  std::uint32_t input = 0;    // tokens
  std::uint32_t output = 0;   // tokens, one at least
  std::uint32_t prefix = 0;   // index into Requests::runs; 0: shares nothing
  std::uint32_t follows = 0;  // 1 + the request whose answer comes before it in its session; 0: none
};

/// Blocks of prompt tokens that come one after the other: equal ids are equal texts behind equal texts.
struct BlockRun {
  std::uint64_t first = 0;  // id; the next block has the next one
  std::uint32_t blocks = 0;
  std::uint32_t tokens = 0;  // of each block; 0: one block that takes the rest of the prompt and grows with the session
  bool last = true;          // of the prompt's runs; what follows is its own
};

struct Requests {
  std::vector<LoggedRequest> all;
  std::vector<BlockRun> runs = {BlockRun{}};
  bool shares() const { return runs.size() > 1; }

  /// Calls `f(id, tokens, grows)` for each block of a request's prompt that has an id, until it returns false.
  template <class Function>
  void for_each_block(const LoggedRequest& request, Function f) const {
    if (request.prefix == 0) return;
    std::uint32_t left = request.input;
    for (const BlockRun* run = &runs[request.prefix];; ++run) {
      for (std::uint32_t i = 0; i < run->blocks && left > 0; ++i) {
        const std::uint32_t tokens = run->tokens == 0 ? left : std::min(run->tokens, left);
        if (!f(run->first + i, tokens, run->tokens == 0)) return;
        left -= tokens;
      }
      if (run->last) return;
    }
  }
};

}  // namespace gpusel::job
