#include "cli/mcp/brief.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <string>

#include "base/text/text.hpp"

namespace gpusel::cli::mcp {

namespace {

using show::Json;

// Members of a row that are kept, where they stand in the whole one: JSON pointers.
constexpr std::string_view kRanks[] = {"/rank",
                                       "/provider",
                                       "/sku",
                                       "/region",
                                       "/gpu",
                                       "/gpus",
                                       "/nodes",
                                       "/plan/sharding",
                                       "/plan/tp",
                                       "/plan/pp",
                                       "/plan/dp",
                                       "/plan/micro_batch",
                                       "/plan/precision",
                                       "/plan/activation_checkpointing",
                                       "/plan/weights_precision",
                                       "/plan/kv_precision",
                                       "/plan/concurrency",
                                       "/cost/billing",
                                       "/cost/currency",
                                       "/cost/hourly",
                                       "/cost/total",
                                       "/cost/per_million_tokens",
                                       "/cost/per_unit",
                                       "/cost/price_as_of",
                                       "/performance/output_tokens_per_s",
                                       "/performance/tokens_per_s",
                                       "/performance/throughput/value",
                                       "/performance/ttft_ms_p95",
                                       "/performance/itl_ms",
                                       "/performance/latency_ms",
                                       "/memory/per_gpu/total",
                                       "/probability/fits",
                                       "/probability/targets"};
constexpr std::string_view kInstances[] = {
    "/provider",    "/sku",    "/gpu",    "/gpu_count", "/vcpu", "/memory_gib", "/intra_node_interconnect",
    "/fabric_gbps", "/status", "/offers", "/best_offer"};
constexpr std::string_view kGpus[] = {
    "/id",         "/name",           "/memory_gb", "/memory_bandwidth_gbs", "/bf16_dense_tflops", "/fp8_dense_tflops",
    "/tdp_w",      "/native_formats", "/instances", "/price_per_gpu_hour",   "/price_currency",    "/price_provider",
    "/price_as_of"};
constexpr std::string_view kModels[] = {
    "/id",           "/kind",     "/params_b", "/active_params_b",         "/max_context",
    "/native_dtype", "/instruct", "/base",     "/kv_bytes_per_token_fp16", "/licence",
    "/aliases"};

/// Lists whose rows have more members than anybody compares.
struct Rows {
  std::string_view tool;
  std::string_view list;
  std::span<const std::string_view> members;
};
constexpr Rows kTabular[] = {{"recommend", "recommendations", kRanks},
                             {"instances", "items", kInstances},
                             {"prices", "items", kInstances},
                             {"gpus", "items", kGpus},
                             {"models", "items", kModels}};

/// Where facts come from is for who reads the whole; in the brief it is as long as what it is about.
constexpr std::string_view kLeftOut[] = {"schema",       "score_parts",    "sources", "source",        "figure_sources",
                                         "price_source", "origin",         "aliases", "switch",        "evidence",
                                         "trace",        "params_sources", "states",  "render_scores", "decision"};

/// How much of an answer is kept, from most to least.
struct Measure {
  std::size_t rows;
  std::size_t letters;  // of a text
  int depth;
};
constexpr Measure kMeasures[] = {{10, 4000, 8}, {10, 400, 8}, {10, 160, 6}, {10, 100, 4}, {10, 80, 3}, {8, 160, 5},
                                 {5, 120, 5},   {3, 80, 4},   {2, 80, 4},   {2, 60, 3},   {1, 60, 3},  {1, 40, 2}};

/// Three figures are more than any estimate is good for, and money has cents; whole numbers are as they are.
Json rounded(const Json& number) {
  const double value = number.get<double>();
  if (!number.is_number_float() || value == 0 || !std::isfinite(value)) return number;
  constexpr double kCents = 100;
  const double scale = std::max(kCents, std::pow(10.0, 2 - std::floor(std::log10(std::abs(value)))));
  const double near = std::round(value * scale) / scale;
  return near == std::floor(near) && std::abs(near) < 1e15 ? Json(static_cast<std::int64_t>(near)) : Json(near);
}

bool is_empty(const Json& value) {
  return value.is_null() || ((value.is_array() || value.is_object()) && value.empty());
}

Json reduced(const Json& whole, const Measure& measure, int depth) {
  if (whole.is_number()) return rounded(whole);
  if (whole.is_string()) return shorten(whole.get<std::string>(), measure.letters);
  if (!whole.is_structured()) return whole;
  if (depth > measure.depth) return nullptr;
  if (whole.is_array()) {
    Json list = Json::array();
    for (const Json& one : whole) {
      if (list.size() == measure.rows) break;
      if (Json kept = reduced(one, measure, depth + 1); !is_empty(kept)) list.push_back(std::move(kept));
    }
    return list;
  }
  Json map = Json::object();
  for (const auto& [key, value] : whole.items()) {
    const bool named = depth == 0 && key == "schema";
    const bool left_out = !named && std::ranges::find(kLeftOut, key) != std::end(kLeftOut);
    Json kept = left_out ? Json() : reduced(value, measure, depth + 1);
    // That nothing is ranked is an answer; what is empty further down is no figure.
    if (depth == 0 ? !kept.is_null() : !is_empty(kept)) map[key] = std::move(kept);
  }
  return map;
}

Json row_of(const Json& whole, std::span<const std::string_view> members) {
  Json row = Json::object();
  for (const std::string_view member : members) {
    const Json::json_pointer place{std::string(member)};
    if (whole.contains(place) && !is_empty(whole[place])) row[place] = whole[place];
  }
  return row;
}

/// The rules that warn of a rank; what they say is with the first one.
void add_warnings(const Json& whole, Json& row) {
  const bool first = whole.value("rank", 0) == 1;
  for (const Json& warning : whole.value("warnings", Json::array())) {
    if (warning.value("severity", "") != "warn") continue;
    Json kept{{"rule", warning["rule"]}};
    if (first) kept["message"] = warning["message"];
    row["warnings"].push_back(std::move(kept));
  }
}

/// How many instances fell by which rule.
Json counts_of(const Json& rejected) {
  Json counts = Json::object();
  for (const Json& one : rejected) {
    Json& count = counts[one.value("rule", "")];
    count = (count.is_null() ? 0 : count.get<int>()) + one.value("count", 1);
  }
  return counts;
}

/// Of a ranking or a list: rows of few members, and what else the answer has.
Json tabular(const Json& whole, const Rows& rows) {
  Json out = Json::object();
  for (const auto& [key, value] : whole.items()) {
    if (key == rows.list) {
      out["count"] = value.size();
      Json list = Json::array();
      for (const Json& one : value) {
        Json row = row_of(one, rows.members);
        add_warnings(one, row);
        list.push_back(std::move(row));
      }
      out[key] = std::move(list);
    } else if (key == "rejected") {
      out["rejected_by_rule"] = counts_of(value);
    } else if (key == "alternatives") {
      for (const Json& one : value) out[key].push_back({{"message", one.value("message", "")}});
    } else {
      out[key] = value;
    }
  }
  return out;
}

}  // namespace

Json brief_of(std::string_view tool, const Json& whole) {
  const auto* rows = std::ranges::find(kTabular, tool, &Rows::tool);
  const bool listed = rows != std::end(kTabular) && whole.contains(std::string(rows->list));
  const Json from = listed ? tabular(whole, *rows) : whole;
  Json brief;
  for (const Measure& measure : kMeasures) {
    brief = reduced(from, measure, 0);
    if (show::dump(brief, -1).size() <= kMostBytes) break;
  }
  return brief;
}

Json brief_schema(std::string_view tool) {
  Json properties{{"remarks", {{"type", "array"}}}, {"error", {{"type", "object"}}}};
  if (const auto* rows = std::ranges::find(kTabular, tool, &Rows::tool); rows != std::end(kTabular))
    properties[std::string(rows->list)] = {{"type", "array"}};
  return {{"type", "object"}, {"properties", std::move(properties)}};
}

}  // namespace gpusel::cli::mcp
