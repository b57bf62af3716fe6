#include "show/export/orders.hpp"

#include <algorithm>
#include <cmath>

#include "base/io/fields.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/records/field.hpp"

namespace gpusel::show {

namespace {

CloudOrders read_cloud(const Node& node, Problems& problems) {
  Fields fields(node, problems);
  fields.require("cloud");
  CloudOrders cloud;
  cloud.cloud = fields.text("cloud");
  cloud.several_nodes = fields.boolean("several_nodes").value_or(true);
  cloud.spot = fields.boolean("spot").value_or(true);
  cloud.ports = fields.boolean("ports").value_or(true);
  cloud.containers = fields.boolean("containers").value_or(true);
  cloud.gpus = fields.texts("gpus");
  cloud.regions = fields.texts("regions");
  for (const std::string& type : fields.texts("types")) {
    auto pattern = rules::Pattern::compiled("^(?:" + type + ")$");
    if (pattern)
      cloud.types.push_back(std::move(*pattern));
    else
      fields.fail(node, pattern.error().message);
  }
  fields.finish();
  return cloud;
}

ToolOrders read_tool(const Node& node, Problems& problems) {
  Fields fields(node, problems);
  for (const char* key : {"id", "version", "as_of", "clouds"}) fields.require(key);
  ToolOrders tool;
  tool.id = fields.text("id");
  tool.version = fields.text("version");
  tool.commit = fields.text("commit");
  tool.as_of = fields.date("as_of").value_or(Date{});
  tool.vendors = fields.texts("vendors");
  for (const Node& card : fields.entries("cards")) {
    Fields of_card(card, problems);
    std::vector<double>& sizes = tool.cards[of_card.text("name")];
    for (const std::string& text : of_card.texts("memory_gb"))
      if (const auto size = plain_number(text))
        sizes.push_back(*size);
      else
        of_card.fail(card, say("'{}' is not a number", shorten(text, 20)));
    of_card.finish();
  }
  for (const Node& cloud : fields.entries("clouds")) tool.clouds.push_back(read_cloud(cloud, problems));
  fields.finish();
  return tool;
}

}  // namespace

bool CloudOrders::takes_type(std::string_view type) const {
  return types.empty() || std::ranges::any_of(types, [&](const auto& pattern) { return pattern->is_in(type); });
}

bool CloudOrders::takes_region(std::string_view region) const { return catalog::none_or_has(regions, region); }

bool CloudOrders::takes_gpu(std::string_view gpu) const { return catalog::none_or_has(gpus, gpu); }

const CloudOrders* ToolOrders::find(std::string_view cloud) const {
  const auto found = std::ranges::find(clouds, cloud, &CloudOrders::cloud);
  return found == clouds.end() ? nullptr : &*found;
}

bool ToolOrders::takes_vendor(std::string_view vendor) const { return catalog::none_or_has(vendors, vendor); }

std::optional<double> ToolOrders::card_memory(std::string_view name, double memory_gb) const {
  const auto found = cards.find(std::string(name));
  if (found == cards.end() || found->second.empty()) return std::nullopt;
  return *std::ranges::min_element(found->second, {}, [&](double size) { return std::abs(size - memory_gb); });
}

std::expected<std::vector<ToolOrders>, Errors> read_orders(std::span<const gpusel::Document> documents) {
  return read_section(documents, "targets", read_tool, &ToolOrders::id);
}

const ToolOrders* find_orders(std::span<const ToolOrders> all, std::string_view target) {
  const auto found = std::ranges::find(all, target, &ToolOrders::id);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace gpusel::show
