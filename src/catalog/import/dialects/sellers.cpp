// Clouds that ask one price everywhere: RunPod's kinds of GPU, Lambda's instance types.
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/import/readers.hpp"

namespace gpusel::catalog::import {

namespace {

constexpr std::string_view kEverywhere = "all";

/// What RunPod asks for one GPU in its own data centres, and of hosts of others.
struct RunpodCloud {
  std::string_view offered, price, spot, ending;
};
constexpr RunpodCloud kRunpodClouds[] = {{"secureCloud", "securePrice", "secureSpotPrice", "_SECURE"},
                                         {"communityCloud", "communityPrice", "communitySpotPrice", "_COMMUNITY"}};

class RunpodKinds {
 public:
  explicit RunpodKinds(MarketBuilder& market) : market_(market) {}

  void kind(const Node& item, std::uint32_t line) {
    if (!item.is_map()) return market_.ledger().skipped(line, say("no offer"));
    std::uint32_t outcome = market_.ledger().text(say("not to be rented now"));
    for (const RunpodCloud& cloud : kRunpodClouds)
      if (const auto done = offer(item, cloud, line); done && outcome != 0) outcome = *done;
    market_.ledger().count(line, outcome);
  }

 private:
  /// Nothing where this cloud does not have it.
  std::optional<std::uint32_t> offer(const Node& item, const RunpodCloud& cloud, std::uint32_t line) {
    if (member_text(item, cloud.offered) == "false") return std::nullopt;
    std::string reason;
    const Number price = optional_number(member_text(item, cloud.price), cloud.price, reason);
    const Number spot = optional_number(member_text(item, cloud.spot), cloud.spot, reason);
    if (!reason.empty()) return market_.ledger().text(reason);
    if (!price || *price <= 0) return std::nullopt;
    Row row;
    row.line = line;
    row.gpu = member_text(item, "displayName");
    row.gpu_info = member_text(item, "id");
    row.gpu_count = 1;
    row.gpu_memory_gb = optional_number(member_text(item, "memoryInGb"), "memoryInGb", reason);
    if (row.gpu.empty()) return market_.ledger().text(say("no '{}'", "displayName"));
    std::string sku(market_.own_size_with(row, cloud.ending));
    if (sku.empty()) sku = named(row.gpu, cloud.ending);
    row.sku = sku;
    row.region = kEverywhere;
    row.prices.push_back({Term::on_demand, Period::hour, *price});
    if (spot && *spot > 0 && *spot < *price) row.prices.push_back({Term::spot, Period::hour, *spot});
    return market_.add(row);
  }

  /// "1x_RTX-4090_SECURE", as the catalogue's own.
  static std::string named(std::string_view gpu, std::string_view ending) {
    std::string sku = "1x_" + std::string(gpu) + std::string(ending);
    for (char& c : sku)
      if (c == ' ') c = '-';
    return sku;
  }

  MarketBuilder& market_;
};

/// The number before "GB" in "H100 (80 GB SXM5)".
Number memory_in(std::string_view description) {
  const auto open = description.find('(');
  const auto end = description.find(" GB", open == std::string_view::npos ? 0 : open);
  if (open == std::string_view::npos || end == std::string_view::npos) return std::nullopt;
  return plain_number(trim(description.substr(open + 1, end - open - 1)));
}

void lambda_type(const Node& item, std::uint32_t line, MarketBuilder& market) {
  const Node* type = item.find("instance_type");
  if (type == nullptr) type = &item;
  const Node* specs = type->find("specs");
  std::string reason;
  const Number cents = optional_number(member_text(*type, "price_cents_per_hour"), "price_cents_per_hour", reason);
  if (reason.empty() && (!cents || *cents <= 0)) reason = say("no price");
  if (reason.empty() && specs == nullptr) reason = say("no '{}'", "specs");
  Row row;
  row.line = line;
  row.sku = member_text(*type, "name").empty() ? std::string_view(item.key) : member_text(*type, "name");
  row.region = kEverywhere;
  if (specs != nullptr) {
    row.vcpu = optional_number(member_text(*specs, "vcpus"), "vcpus", reason);
    row.memory_gib = optional_number(member_text(*specs, "memory_gib"), "memory_gib", reason);
    row.gpu_count = optional_number(member_text(*specs, "gpus"), "gpus", reason);
  }
  if (!reason.empty()) return market.ledger().skipped(line, reason);
  const std::string_view description = member_text(*type, "gpu_description");
  if (row.gpu_count.value_or(0) > 0) {
    row.gpu = trim(description.substr(0, description.find('(')));
    row.gpu_info = description;
    row.gpu_memory_gb = memory_in(description);
  }
  constexpr double kCents = 100;
  row.prices.push_back({Term::on_demand, Period::hour, *cents / kCents});
  market.take(row);
}

}  // namespace

Status read_runpod(SourceFile& file, MarketBuilder& market) {
  RunpodKinds kinds(market);
  bool found = false;
  const JsonItems items{[](JsonPath path) { return path.size() == 4 && path[2] == "gpuTypes" && path[3].empty(); },
                        [&](JsonPath, const Node& item, std::uint32_t line) {
                          found = true;
                          kinds.kind(item, line);
                        }};
  return read_json(file, market, items, found, say("it has no list '{}'", "gpuTypes"));
}

Status read_lambda(SourceFile& file, MarketBuilder& market) {
  bool found = false;
  const JsonItems items{[](JsonPath path) { return path.size() == 3 && path[1] == "data" && !path[2].empty(); },
                        [&](JsonPath, const Node& item, std::uint32_t line) {
                          found = true;
                          lambda_type(item, line, market);
                        }};
  return read_json(file, market, items, found, say("it has no map '{}'", "data"));
}

}  // namespace gpusel::catalog::import
