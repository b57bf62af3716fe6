// Where each record stands in the YAML it was read from.
#include <algorithm>

#include "catalog/lint/checks.hpp"

namespace gpusel::catalog {

namespace {

/// The figure "memory.usable_gib" in its record.
const Node* figure(const Node& record, std::string_view path) {
  const auto dot = path.find('.');
  const Node* node = record.find(path.substr(0, dot));
  if (node == nullptr || dot == std::string_view::npos) return node;
  return node->find(path.substr(dot + 1));
}

}  // namespace

void Places::set(std::string record, const Document& document, const Node& node, bool at_key) {
  records_[std::move(record)] = {&document, &node, at_key};
}

void Places::add(std::vector<Document> documents) {
  for (const Document& document : files_.emplace_back(std::move(documents)))
    for (const Node& section : document.root.children) add_section(document, section);
}

void Places::add_section(const Document& document, const Node& section) {
  static constexpr std::pair<std::string_view, std::string_view> kById[] = {{"gpus", "gpu"},
                                                                            {"models", "model"},
                                                                            {"providers", "provider"},
                                                                            {"places", "place"},
                                                                            {"country_groups", "place"}};
  for (const Node& record : section.children) {
    for (const auto& [name, kind] : kById)
      if (section.key == name) set(format("{} {}", kind, record.text_at("id")), document, record);
    if (section.key == "sources") set("source " + record.key, document, record, true);
    if (section.key == "exchange_rates") set("rate " + record.text_at("currency"), document, record);
    if (section.key == "families") add_family(document, record);
    if (section.key == "prices") add_sheet(document, record);
    if (section.key == "providers" || section.key == "regions")
      if (const Node* regions = record.find("regions"); regions != nullptr)
        for (const Node& region : regions->children)
          set(format("region {}/{}", record.text_at(section.key == "regions" ? "provider" : "id"), region.key),
              document, region, true);
  }
}

void Places::add_family(const Document& document, const Node& family) {
  const std::string provider = family.text_at("provider");
  set(format("family {}/{}", provider, family.text_at("id")), document, family);
  if (const Node* sizes = family.find("sizes"); sizes != nullptr)
    for (const Node& size : sizes->children)
      set(format("instance {}/{}", provider, size.text_at("sku")), document, size);
}

void Places::add_sheet(const Document& document, const Node& sheet) {
  const std::string provider = sheet.text_at("provider");
  const std::string term = sheet.text_at("term");
  set(format("prices {}/{}", provider, sheet.text_at("source")), document, sheet);
  std::vector<std::string> regions = sheet.texts_at("region");
  for (std::string& region : sheet.texts_at("regions")) regions.push_back(std::move(region));
  for (const std::string_view period : enum_names<Period>) {
    const Node* amounts = sheet.find("per_" + std::string(period));
    if (amounts == nullptr) continue;
    for (const Node& amount : amounts->children)
      for (const std::string& region : regions)
        set(format("price {}/{} {} {}", provider, amount.key, region, term), document, amount, true);
  }
}

void Places::add_snapshot(const Catalog& own) {
  market_ = true;
  for (const Gpu& gpu : own.gpus()) records_["gpu " + std::string(gpu.id)] = {};
  for (const Model& model : own.models()) records_["model " + std::string(model.id)] = {};
  for (const Source& source : own.sources()) records_["source " + std::string(source.key)] = {};
  for (const ExchangeRate& rate : own.exchange_rates()) records_["rate " + std::string(rate.currency.code())] = {};
}

bool Places::holds(const std::string& record) const {
  static constexpr std::string_view kMarket[] = {"instance ", "price ", "prices ", "family ", "provider ", "region "};
  if (!limited_ || records_.contains(record)) return true;
  return market_ && std::any_of(std::begin(kMarket), std::end(kMarket),
                                [&](std::string_view kind) { return record.starts_with(kind); });
}

std::string Places::find(const std::string& record, std::string_view path) const {
  const auto found = records_.find(record);
  if (found == records_.end() || found->second.node == nullptr) return {};
  const auto& [document, node, at_key] = found->second;
  const Node* exact = path.empty() ? nullptr : figure(*node, path);
  if (exact != nullptr) return position(document->name, *exact);
  return at_key ? key_position(document->name, *node) : position(document->name, *node);
}

bool Places::has_file(std::string_view name) const {
  for (const auto& documents : files_)
    for (const Document& document : documents)
      if (document.name == name) return true;
  return false;
}

}  // namespace gpusel::catalog
