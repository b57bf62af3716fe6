#include "catalog/import/dialects/skypilot.hpp"

#include <algorithm>
#include <cmath>

#include "base/words/message.hpp"

namespace gpusel::catalog::import {

namespace {

/// The sum of two prices as decimals have it, 2.94582 and not 2.9458200000000003; unknown where a part is.
Number sum(const Number& a, const Number& b) {
  constexpr double kDigits = 1e8;
  return a && b ? Number(std::round((*a + *b) * kDigits) / kDigits) : Number{};
}

}  // namespace

std::string_view JoinedRows::intern(std::string_view text) {
  if (const auto known = interned_.find(text); known != interned_.end()) return known->second;
  const std::string_view mine = texts_.emplace_back(text);
  return interned_.emplace(mine, mine).first->second;
}

JoinedRows::Entry JoinedRows::own(Entry entry) {
  entry.zone = intern(entry.zone);
  entry.region = intern(entry.region);
  entry.name = intern(entry.name);
  return entry;
}

/// A row is imported once any use of it was.
void JoinedRows::settle(Entry& entry, std::uint32_t outcome) {
  if (entry.outcome != 0) entry.outcome = outcome;
}

bool JoinedRows::needs_accelerator(std::string_view sku) const {
  const auto& families = market_.dialects().host_families;
  return std::any_of(families.begin(), families.end(), [&](const std::string& f) { return sku.starts_with(f); });
}

void JoinedRows::pair(Entry& accelerator, Entry& host, const JoinedAccelerator& link) {
  Row row;
  row.line = accelerator.line;
  row.region = host.region;
  row.gpu = accelerator.name;
  row.gpu_count = accelerator.count;
  row.vcpu = host.vcpu;
  row.memory_gib = host.memory_gib;
  std::string sku(host.name);
  if (link.hosts.empty()) sku += format("+{}x{}", accelerator.count, accelerator.name);
  row.gpu_index = link.gpu;
  row.without_local_ssd = true;
  row.sku = sku;
  put_prices({sum(accelerator.price.on_demand, host.price.on_demand), sum(accelerator.price.spot, host.price.spot)},
             row);
  const std::uint32_t outcome = market_.add(row);
  settle(accelerator, outcome);
  settle(host, outcome);
}

void JoinedRows::attach(Entry& accelerator, const std::vector<std::size_t>& hosts) {
  const auto& dialects = market_.dialects();
  const std::string folded = fold_gpu_name(accelerator.name);
  bool linked = false;
  for (const JoinedAccelerator& link : dialects.joined) {
    if (link.folded_name != folded || std::abs(link.count - accelerator.count) > 0.005) continue;
    linked = true;
    for (const std::size_t i : hosts) {
      Entry& host = hosts_[i];
      const bool fixed = std::find(link.hosts.begin(), link.hosts.end(), host.name) != link.hosts.end();
      const bool fits = link.hosts.empty() && host.name.starts_with(dialects.attached_family) && host.vcpu &&
                        host.memory_gib && *host.vcpu <= link.max_vcpu && *host.memory_gib <= link.max_memory_gib;
      if (fixed || fits) pair(accelerator, host, link);
    }
  }
  if (accelerator.outcome == kUnused)
    accelerator.outcome = market_.ledger().text(
        linked ? say("'{}' x {} has no host in its zone", accelerator.name, accelerator.count)
               : say("'{}' x {}: which host it belongs to is not known", accelerator.name, accelerator.count));
}

void JoinedRows::sell_alone(Entry& host) {
  if (needs_accelerator(host.name)) {
    if (host.outcome == kUnused)
      host.outcome = market_.ledger().text(say("'{}' has no accelerator in its zone", host.name));
    return;
  }
  Row row;
  row.line = host.line;
  row.sku = host.name;
  row.region = host.region;
  row.vcpu = host.vcpu;
  row.memory_gib = host.memory_gib;
  put_prices(host.price, row);
  settle(host, market_.add(row));
}

void JoinedRows::join() {
  std::unordered_map<std::string_view, std::vector<std::size_t>> by_zone;
  for (std::size_t i = 0; i < hosts_.size(); ++i) by_zone[hosts_[i].zone].push_back(i);
  for (Entry& accelerator : accelerators_) attach(accelerator, by_zone[accelerator.zone]);
  for (Entry& host : hosts_) sell_alone(host);
  for (const auto* rows : {&accelerators_, &hosts_})
    for (const Entry& entry : *rows) market_.ledger().count(entry.line, entry.outcome);
}

}  // namespace gpusel::catalog::import
