#include "cli/mcp/brief.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <string>

#include "base/text/text.hpp"
#include "base/words/message.hpp"

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
                                       "/performance/itl_ms_p95",
                                       "/performance/latency_ms",
                                       "/probability/fits",
                                       "/probability/targets"};
constexpr std::string_view kStaircase = "staircase";
constexpr std::string_view kStairs[] = {"/load", "/sku", "/nodes", "/hourly"};
constexpr std::string_view kInstances[] = {
    "/provider",    "/sku",    "/gpu",       "/gpu_count", "/vcpu", "/memory_gib", "/intra_node_interconnect",
    "/fabric_gbps", "/status", "/best_offer"};
constexpr std::string_view kOffers[] = {"/provider", "/sku", "/gpu", "/gpu_count", "/offers"};
constexpr std::string_view kGpus[] = {
    "/id",         "/name",           "/memory_gb", "/memory_bandwidth_gbs", "/bf16_dense_tflops", "/fp8_dense_tflops",
    "/tdp_w",      "/native_formats", "/instances", "/price_per_gpu_hour",   "/price_currency",    "/price_provider",
    "/price_as_of"};
constexpr std::string_view kModels[] = {
    "/id",           "/kind",     "/params_b", "/active_params_b",         "/max_context",
    "/native_dtype", "/instruct", "/base",     "/kv_bytes_per_token_fp16", "/licence",
    "/aliases"};

constexpr std::string_view kCompared[] = {"/name",
                                          "/count",
                                          "/gpu/id",
                                          "/gpu/memory_gb",
                                          "/gpu/memory_bandwidth_gbs",
                                          "/gpu/bf16_dense_tflops",
                                          "/gpu/fp8_dense_tflops",
                                          "/gpu/tdp_w",
                                          "/instance/vcpu",
                                          "/instance/memory_gib",
                                          "/price/hourly",
                                          "/price/provider",
                                          "/price/as_of",
                                          "/derived/price_per_hour_per_gpu",
                                          "/job/fits",
                                          "/job/probability/fits",
                                          "/job/plan/weights_precision",
                                          "/job/inference/output_tokens_per_s",
                                          "/job/inference/ttft_ms",
                                          "/job/training/tokens_per_s",
                                          "/job/cost"};

/// Lists whose rows have more members than anybody compares.
struct Rows {
  std::string_view tool;
  std::string_view list;
  std::span<const std::string_view> members;
};
constexpr Rows kTabular[] = {{"recommend", "recommendations", kRanks},
                             {"compare", "items", kCompared},
                             {"instances", "items", kInstances},
                             {"prices", "items", kOffers},
                             {"gpus", "items", kGpus},
                             {"models", "items", kModels}};

/// What the answers of each tool have at the top: name and type.
struct Members {
  std::string_view tool;
  std::string_view members;
};
constexpr Members kMembers[] = {
    {"recommend", "recommendations:array rejected_by_rule:object alternatives:array staircase:array"},
    {"estimate", "fits:boolean verdict:string memory:object"},
    {"compare", "items:array differences:array"},
    {"cost", "items:array"},
    {"fleet", "feasible:boolean fleet:object types:array autoscaling:array"},
    {"whatif", "now:object tornado:object"},
    {"explain", "subject:object tree:object"},
    {"export", "targets:array files:array plan:object"},
    {"check", "policies:array results:array"},
    {"models", "items:array item:object"},
    {"gpus", "items:array item:object"},
    {"instances", "items:array item:object"},
    {"prices", "items:array"},
    {"describe_flags", "flags:array names:array"}};

/// Where facts come from is for who reads the whole; in the brief it is as long as what it is about.
constexpr std::string_view kLeftOut[] = {"schema",       "score_parts",    "sources", "source",        "figure_sources",
                                         "price_source", "origin",         "aliases", "switch",        "evidence",
                                         "trace",        "params_sources", "states",  "render_scores", "decision"};

/// How much of an answer is kept, from most to least.
struct Measure {
  std::size_t rows;     // of the list that the tool is about
  std::size_t beside;   // of every other
  std::size_t letters;  // of a text
  int depth;
};
constexpr Measure kMeasures[] = {{10, 10, 4000, 8}, {10, 10, 400, 8}, {10, 10, 160, 6}, {10, 5, 160, 6},
                                 {10, 3, 100, 5},   {10, 2, 100, 4},  {10, 1, 80, 4},   {8, 8, 160, 5},
                                 {5, 5, 120, 5},    {3, 3, 80, 4},    {2, 2, 80, 4},    {2, 2, 60, 3},
                                 {1, 1, 60, 3},     {1, 1, 40, 2}};

/// A file is a file only whole.
constexpr std::string_view kWhole = "content";

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

/// An answer by one measure.
class Reduction {
 public:
  /// `main`: the list that the tool is about.
  Reduction(const Measure& measure, std::string_view main) : measure_(measure), main_(main) {}

  Json of(const Json& whole) {
    Json brief = reduced(whole, 0, measure_.rows);
    if (cut_ && brief.is_object()) brief["truncated"] = true;
    return brief;
  }

 private:
  /// `rows`: of this list.
  Json reduced(const Json& whole, int depth, std::size_t rows) {
    if (whole.is_number()) return rounded(whole);
    if (whole.is_string()) return shorten(whole.get<std::string>(), measure_.letters);
    if (!whole.is_structured()) return whole;
    if (depth > measure_.depth) return left_out();
    return whole.is_array() ? list(whole, depth, rows) : map(whole, depth);
  }

  Json left_out() {
    cut_ = true;
    return nullptr;
  }

  Json list(const Json& whole, int depth, std::size_t rows) {
    // Words and numbers are a fact together: "fp16" of "fp16, bf16, fp8" would be a false one.
    constexpr std::size_t kFew = 12;
    const bool is_fact = std::ranges::none_of(whole, [](const Json& one) { return one.is_structured(); });
    if (is_fact && whole.size() > std::max(kFew, rows)) return left_out();
    Json list = Json::array();
    for (const Json& one : whole) {
      if (!is_fact && list.size() == rows) {
        cut_ = true;
        break;
      }
      if (Json kept = reduced(one, depth + 1, measure_.beside); !is_empty(kept)) list.push_back(std::move(kept));
    }
    return list;
  }

  Json map(const Json& whole, int depth) {
    Json map = Json::object();
    for (const auto& [key, value] : whole.items()) {
      const bool named = depth == 0 && key == "schema";
      if (!named && std::ranges::find(kLeftOut, key) != std::end(kLeftOut)) continue;
      if (key == kWhole && value.is_string()) {
        add_file(map, value);
        continue;
      }
      // The steps of a load are few and short, and one that is missing looks as if the load ended there.
      const bool ranked = (depth == 0 && key == kStaircase) || key == main_;
      Json kept = reduced(value, depth + 1, ranked ? measure_.rows : measure_.beside);
      // That nothing is ranked is an answer; what is empty further down is no figure.
      if (depth == 0 ? !kept.is_null() : !is_empty(kept)) map[key] = std::move(kept);
    }
    return map;
  }

  /// Files are kept as they are, or told by their size.
  void add_file(Json& map, const Json& content) {
    const std::size_t bytes = content.get_ref<const std::string&>().size();
    if (bytes <= measure_.letters) {
      map[kWhole] = content;
    } else {
      map["bytes"] = bytes;
      cut_ = true;
    }
  }

  const Measure& measure_;
  const std::string_view main_;
  bool cut_ = false;
};

Json row_of(const Json& whole, std::span<const std::string_view> members) {
  Json row = Json::object();
  for (const std::string_view member : members) {
    const Json::json_pointer place{std::string(member)};
    if (!whole.contains(place) || is_empty(whole[place])) continue;
    const bool is_degree = member == "/plan/tp" || member == "/plan/pp" || member == "/plan/dp";
    if (!is_degree || whole[place] != 1) row[place] = whole[place];
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

/// What all rows have alike, their prices' currency or the rate that was asked for, is said once, and how it would run
/// and stream for the first alone: ten rows have no room for more.
void take_common(Json& out, Json& rows) {
  for (const std::string name :
       {"/cost/currency", "/cost/billing", "/gpus", "/nodes", "/performance/output_tokens_per_s"}) {
    const Json::json_pointer place(name);
    if (rows.empty() || !rows[0].contains(place)) continue;
    const Json common = rows[0][place];
    if (!std::ranges::all_of(rows, [&](const Json& row) { return row.contains(place) && row[place] == common; }))
      continue;
    out[place.back()] = common;
    for (Json& row : rows) row[place.parent_pointer()].erase(place.back());
  }
  for (std::size_t i = 1; i < rows.size(); ++i) {
    rows[i].erase("plan");
    if (rows[i].contains("performance")) rows[i]["performance"].erase("itl_ms_p95");
  }
}

/// Of a ranking or a list: rows of few members, and what else the answer has.
Json tabular(const Json& whole, const Rows& rows) {
  Json out = Json::object();
  for (const auto& [key, value] : whole.items()) {
    if (key == rows.list) {
      out["count"] = value.size();
      Json list = show::list_json(value, [&](const Json& one) {
        Json row = row_of(one, rows.members);
        if (whole.contains(kStaircase)) row["cost"].erase("total");  // of a month, as the steps of the load are
        add_warnings(one, row);
        return row;
      });
      take_common(out, list);
      out[key] = std::move(list);
    } else if (key == "rejected") {
      out["rejected_by_rule"] = counts_of(value);
    } else if (key == kStaircase) {
      for (const Json& one : value) out[key].push_back(row_of(one, kStairs));
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
    brief = Reduction(measure, listed ? rows->list : std::string_view("items")).of(from);
    if (show::dump(brief, -1).size() <= kMostBytes) break;
  }
  return brief;
}

std::string brief_text(std::string text, std::string_view rest) {
  constexpr std::size_t kNote = 200;
  if (text.size() <= kMostBytes) return text;
  const auto end = text.rfind('\n', kMostBytes - kNote);
  if (end == std::string::npos) return shorten(text, kMostBytes - kNote);
  const auto left = std::count(text.begin() + static_cast<std::ptrdiff_t>(end) + 1, text.end(), '\n');
  text.resize(end + 1);
  return text + say("{} more lines: {}", left, rest) + "\n";
}

Json brief_schema(std::string_view tool) {
  Json properties{{"error", {{"type", "object"}}}};
  const auto* members = std::ranges::find(kMembers, tool, &Members::tool);
  for (std::string_view member : split(members == std::end(kMembers) ? std::string_view() : members->members, ' ')) {
    const auto colon = member.find(':');
    if (colon != std::string_view::npos)
      properties[std::string(member.substr(0, colon))] = {{"type", member.substr(colon + 1)}};
  }
  return {{"type", "object"}, {"properties", std::move(properties)}};
}

}  // namespace gpusel::cli::mcp
