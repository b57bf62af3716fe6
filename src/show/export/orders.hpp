// What other tools can order, as data/targets has it: read by tools/targets out of their own sources, with release and
// date.
#pragma once

#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/document.hpp"
#include "base/values/date.hpp"
#include "rules/pattern.hpp"

namespace gpusel::show {

struct CloudOrders {
  std::string cloud;  // as the tool calls it
  bool several_nodes = true;
  bool spot = true;
  bool ports = true;                                         // whether it opens any
  bool containers = true;                                    // whether a run may be in an image of its own
  std::vector<std::shared_ptr<const rules::Pattern>> types;  // empty: every one
  std::vector<std::string> gpus;                             // as the tool calls them; empty: every one
  std::vector<std::string> regions;                          // empty: every one

  bool takes_region(std::string_view region) const;
  bool takes_type(std::string_view type) const;
  bool takes_gpu(std::string_view gpu) const;
};

struct ToolOrders {
  std::string id;  // of the export target
  std::string version;
  std::string commit;
  Date as_of;
  std::vector<std::string> vendors;                  // whose devices a container sees on its machines; empty: all
  std::map<std::string, std::vector<double>> cards;  // memory in GB, as marketed or rounded, by name
  std::vector<CloudOrders> clouds;

  /// Null: the tool has no such cloud.
  const CloudOrders* find(std::string_view cloud) const;
  bool takes_vendor(std::string_view vendor) const;
  /// Of the sizes that the tool knows of a card, the nearest; nothing where it does not know the card.
  std::optional<double> card_memory(std::string_view name, double memory_gb) const;
};

std::expected<std::vector<ToolOrders>, Errors> read_orders(std::span<const gpusel::Document> documents);

/// Of the tool of that name. Null: its sources were not read.
const ToolOrders* find_orders(std::span<const ToolOrders> all, std::string_view target);

}  // namespace gpusel::show
