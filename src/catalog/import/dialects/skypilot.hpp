// Rows of SkyPilot's vms.csv, and how those of a cloud that prices accelerators apart are put together.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "catalog/import/market.hpp"

namespace gpusel::catalog::import {

/// What a row offers; spot is unknown where the list writes nonsense.
struct PricePair {
  Number on_demand;
  Number spot;
};

/// Hosts and accelerators of one file, to be joined zone by zone when all are there.
class JoinedRows {
 public:
  explicit JoinedRows(MarketBuilder& market) : market_(market) {}

  struct Entry {
    std::uint32_t line = 0;
    std::uint32_t outcome = kUnused;
    std::string_view zone;
    std::string_view region;
    std::string_view name;  // of the size, or of the accelerator
    double count = 0;
    PricePair price;
    Number vcpu;
    Number memory_gib;
  };
  void add_host(Entry entry) { hosts_.push_back(own(entry)); }
  void add_accelerator(Entry entry) { accelerators_.push_back(own(entry)); }
  /// Whether a size is nothing without its accelerator.
  bool needs_accelerator(std::string_view sku) const;
  /// Adds what belongs together, and counts every row.
  void join();

 private:
  static constexpr std::uint32_t kUnused = 0xFFFFFFFF;

  Entry own(Entry entry);
  std::string_view intern(std::string_view text);
  void attach(Entry& accelerator, const std::vector<std::size_t>& hosts);
  void pair(Entry& accelerator, Entry& host, const JoinedAccelerator& link);
  void sell_alone(Entry& host);
  static void settle(Entry& entry, std::uint32_t outcome);

  MarketBuilder& market_;
  std::vector<Entry> hosts_;
  std::vector<Entry> accelerators_;
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, std::string_view> interned_;
};

/// Adds what prices a pair holds; counts nothing.
void put_prices(const PricePair& pair, Row& row);

}  // namespace gpusel::catalog::import
