// The paged cache of one replica: blocks of tokens in use, prefixes that are kept behind their requests, and eviction
// of what was used longest ago.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "serve/engine/served.hpp"

namespace gpusel::serve {

/// What one request holds of a pool.
struct Held {
  std::vector<std::uint32_t> nodes;  // prefixes, from the prompt's start on
  std::uint64_t own = 0;             // blocks beside these
  std::uint32_t filling = 0;         // index of the first of `nodes` that this request is still to compute
  bool grows = false;                // the last of `nodes` takes the answer in, too
};

class Pool {
 public:
  /// `keeps`: whether prefixes stay behind their requests.
  Pool(std::uint64_t blocks, std::uint32_t block_tokens, bool keeps)
      : total_(blocks), block_tokens_(block_tokens), keeps_(keeps) {}

  std::uint64_t total() const { return total_; }
  std::uint64_t used() const { return used_; }
  /// Blocks that nobody uses, kept prefixes among them.
  std::uint64_t free() const { return total_ - used_; }
  std::uint64_t blocks_of(std::uint64_t tokens) const { return (tokens + block_tokens_ - 1) / block_tokens_; }

  /// Blocks at the start of a prompt that are in the cache, and how many of them nobody uses right now.
  struct Found {
    std::uint64_t blocks = 0;
    std::uint64_t idle = 0;
  };
  Found find(const Requests& requests, const Request& request) const;

  /// Holds what find() found, and a place for the prompt's other named blocks. At most `blocks` of it.
  void hold(const Requests& requests, const Request& request, Held& held);
  /// `count` blocks more. Needs as many free.
  void take(Held& held, std::uint64_t count);
  /// For sequences that grow together: blocks that are nobody's until give().
  void take(std::uint64_t count);
  /// These are this request's.
  void give(Held& held, std::uint64_t count) const { held.own += count; }
  /// Whole blocks up to `tokens` of the prompt are there for others to find.
  void computed(Held& held, std::uint64_t tokens);
  /// All that it holds. `tokens`: of prompt and answer.
  void release(Held& held, std::uint64_t tokens);

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  struct Node {
    std::uint64_t id = 0;
    std::uint32_t resident = 0;  // blocks of it in the cache, from its start
    std::uint32_t blocks = 0;    // that it has
    std::uint32_t start = 0;     // blocks of the prompt before it
    std::uint32_t users = 0;
    std::uint32_t newer = kNone, older = kNone;  // in the order of eviction, while nobody uses it
    bool named = false;
  };

  std::uint32_t make_node();
  void make_room(std::uint64_t count);
  void link(std::uint32_t node);
  void unlink(std::uint32_t node);
  void forget(std::uint32_t node);
  template <class Function>
  void walk(const Requests& requests, const Request& request, Function f) const;

  std::uint64_t total_;
  std::uint64_t used_ = 0;
  std::uint64_t kept_ = 0;
  std::uint32_t block_tokens_;
  bool keeps_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> spare_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_id_;
  std::uint32_t oldest_ = kNone, newest_ = kNone;
};

}  // namespace gpusel::serve
