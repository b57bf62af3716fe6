#include "serve/engine/pool.hpp"

#include <algorithm>
#include <ranges>

namespace gpusel::serve {

/// Calls `f(id, start, blocks, grows)` for each named part of a prompt that fills a block or more.
template <class Function>
void Pool::walk(const Requests& requests, const Request& request, Function f) const {
  std::uint64_t tokens = 0;
  requests.for_each_block(request, [&](std::uint64_t id, std::uint32_t length, bool grows) {
    const auto start = static_cast<std::uint32_t>(tokens / block_tokens_);
    tokens += length;
    const auto blocks = static_cast<std::uint32_t>(tokens / block_tokens_) - start;
    return blocks == 0 || f(id, start, blocks, grows);
  });
}

Pool::Found Pool::find(const Requests& requests, const Request& request) const {
  Found found;
  if (!keeps_ || request.input == 0) return found;
  const std::uint64_t most = (request.input - 1) / block_tokens_;  // the last token is always computed
  walk(requests, request, [&](std::uint64_t id, std::uint32_t, std::uint32_t blocks, bool) {
    const auto at = by_id_.find(id);
    if (at == by_id_.end()) return false;
    const Node& node = nodes_[at->second];
    const std::uint32_t here = std::min(node.resident, blocks);
    found.blocks += here;
    if (node.users == 0) found.idle += node.resident;
    return here == blocks;
  });
  found.blocks = std::min(found.blocks, most);
  return found;
}

void Pool::hold(const Requests& requests, const Request& request, Held& held) {
  held.nodes.clear();
  held.own = 0;
  held.filling = 0;
  held.grows = false;
  if (!keeps_) return;
  bool found = true;  // so far
  walk(requests, request, [&](std::uint64_t id, std::uint32_t start, std::uint32_t blocks, bool grows) {
    const auto at = by_id_.find(id);
    std::uint32_t index = 0;
    if (at != by_id_.end()) {
      index = at->second;
      Node& node = nodes_[index];
      const bool whole = node.resident >= blocks;
      if (node.users > 0 && (!whole || !found)) return false;  // another is computing it
      if (node.users == 0) {
        unlink(index);
        kept_ -= node.resident;
        used_ += node.resident;
        if (!found) {  // behind a gap it is of no use
          used_ -= node.resident;
          node.resident = 0;
        }
      }
      ++node.users;
      node.start = start;
      node.blocks = std::max(blocks, node.resident);
      found = found && whole;
    } else {
      index = make_node();
      nodes_[index] = {.id = id, .resident = 0, .blocks = blocks, .start = start, .users = 1, .named = true};
      by_id_.emplace(id, index);
      found = false;
    }
    held.nodes.push_back(index);
    if (found) held.filling = static_cast<std::uint32_t>(held.nodes.size());
    held.grows = grows;
    return true;
  });
}

void Pool::take(std::uint64_t count) {
  make_room(count);
  used_ += count;
}

void Pool::take(Held& held, std::uint64_t count) {
  take(count);
  held.own += count;
}

void Pool::computed(Held& held, std::uint64_t tokens) {
  const std::uint64_t whole = tokens / block_tokens_;
  while (held.filling < held.nodes.size()) {
    Node& node = nodes_[held.nodes[held.filling]];
    if (whole <= node.start) return;
    const auto until = static_cast<std::uint32_t>(std::min<std::uint64_t>(node.blocks, whole - node.start));
    const std::uint64_t more = until > node.resident ? std::min<std::uint64_t>(until - node.resident, held.own) : 0;
    node.resident += static_cast<std::uint32_t>(more);
    held.own -= more;
    if (node.resident < node.blocks) return;
    ++held.filling;
  }
}

void Pool::release(Held& held, std::uint64_t tokens) {
  if (held.grows && !held.nodes.empty() && held.filling == held.nodes.size()) {
    Node& node = nodes_[held.nodes.back()];
    const std::uint64_t whole = tokens / block_tokens_;
    if (node.users == 1 && whole > node.start + node.resident) {
      const std::uint64_t more = std::min<std::uint64_t>(whole - node.start - node.resident, held.own);
      node.resident += static_cast<std::uint32_t>(more);
      node.blocks = node.resident;
      held.own -= more;
    }
  }
  used_ -= held.own;
  // What nobody can find is in the way all the same, until it is the oldest. Ends are evicted before beginnings.
  if (keeps_ && held.own > 0 && !by_id_.empty()) {
    const std::uint32_t index = make_node();
    nodes_[index] = {.resident = static_cast<std::uint32_t>(held.own)};
    kept_ += held.own;
    link(index);
  }
  for (const std::uint32_t index : std::views::reverse(held.nodes)) {
    Node& node = nodes_[index];
    if (--node.users > 0) continue;
    used_ -= node.resident;
    kept_ += node.resident;
    if (node.resident == 0)
      forget(index);
    else
      link(index);
  }
  held.nodes.clear();
  held.own = 0;
  held.filling = 0;
}

void Pool::make_room(std::uint64_t count) {
  while (total_ - used_ - kept_ < count && oldest_ != kNone) {
    const std::uint64_t wanted = count - (total_ - used_ - kept_);
    Node& node = nodes_[oldest_];
    const auto gone = static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, node.resident));
    node.resident -= gone;
    kept_ -= gone;
    if (node.resident > 0) return;
    const std::uint32_t index = oldest_;
    unlink(index);
    forget(index);
  }
}

std::uint32_t Pool::make_node() {
  if (spare_.empty()) {
    nodes_.emplace_back();
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  const std::uint32_t index = spare_.back();
  spare_.pop_back();
  return index;
}

void Pool::forget(std::uint32_t node) {
  if (nodes_[node].named) by_id_.erase(nodes_[node].id);
  spare_.push_back(node);
}

void Pool::link(std::uint32_t node) {
  nodes_[node].older = newest_;
  nodes_[node].newer = kNone;
  (newest_ != kNone ? nodes_[newest_].newer : oldest_) = node;
  newest_ = node;
}

void Pool::unlink(std::uint32_t node) {
  const Node& n = nodes_[node];
  (n.older != kNone ? nodes_[n.older].newer : oldest_) = n.newer;
  (n.newer != kNone ? nodes_[n.newer].older : newest_) = n.older;
}

}  // namespace gpusel::serve
