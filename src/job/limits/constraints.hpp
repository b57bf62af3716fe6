// What the answer must respect, and what "best" means.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/values/money.hpp"
#include "base/values/number.hpp"
#include "catalog/records/gpu.hpp"
#include "job/request/option.hpp"

namespace gpusel::job {

/// One of the field's spellings for GPUs: "H100:8", "80GB+", "nvidia:A100,H100:24GB..80GB:1..8",
/// "gpu_name=RTX_4090 num_gpus>=4", "2x RTX 4090".
struct GpuSpec {
  std::string text;                // as it was given
  std::vector<std::string> names;  // folded; any of them; empty: any GPU
  std::string vendor;
  Bounds memory_gb;                   // per GPU, as marketed
  Bounds count;                       // per instance
  std::optional<std::int64_t> nodes;  // of "2x8xH100"
  bool none = false;                  // "none": no GPU at all

  /// Whether this is one of the named GPUs: every word of a name is in the id or in one alias.
  bool names_gpu(const catalog::Gpu& gpu) const;
};
Result<GpuSpec> parse_gpu_spec(std::string_view given);

/// Count and name of "2x RTX 4090", "2 × RTX 4090" and "4xA100".
std::optional<std::pair<double, std::string_view>> count_in_front(std::string_view text);

/// One GPU with whole counts, or one slice of it: "H100", "h100:8", "8xH100", "2x8xH100", "a100:1/7".
struct CountedGpu {
  std::string name;
  std::optional<std::int64_t> parts;  // that it is cut into, of which one is meant
  std::optional<std::int64_t> count;  // per node
  std::optional<std::int64_t> nodes;
};
CountedGpu counted_gpu(std::string_view text);

enum class ObjectiveKind : std::uint8_t { cost, speed, balanced };

struct Constraints {
  std::vector<GpuSpec> gpus;
  Bounds gpus_per_instance;
  std::optional<MemorySize> min_vram, max_vram;              // per GPU
  std::optional<MemorySize> min_total_vram, max_total_vram;  // per instance
  std::optional<double> min_bandwidth_gbs;
  std::optional<bool> nvlink;
  std::string interconnect;  // pcie, nvlink, nvswitch …, or a form factor such as sxm
  std::optional<double> min_capability;
  std::vector<std::string> formats;  // fp16, bf16, fp8 in hardware
  Bounds vcpus;
  Bounds host_memory_gib;
  std::optional<double> min_network_gbps;
  std::optional<bool> rdma;
  std::vector<std::string> vendors;
  std::vector<std::string> clouds, not_clouds, regions, residency, families, terms;
  std::vector<std::string> own_clouds;  // where the reader has an account: ids of providers
  std::string country;                  // the reader's, as it was given
  std::optional<bool> market;  // marketplaces, community hosts and clouds that do not serve the reader's country too
  struct Infra {
    std::string cloud, region;  // empty: any of its regions
  };
  std::vector<Infra> infra;           // any of these
  std::string allow_list, deny_list;  // regular expressions over SKUs
  std::optional<double> max_price;    // per hour for all nodes, in the answer's currency
  std::optional<double> budget;       // for the whole job
  std::optional<double> deadline_hours;
  std::optional<std::int64_t> max_nodes, nodes;
  std::optional<double> max_price_age_days;
  std::optional<bool> strict;  // older prices are not left out but make the answer fail
  std::optional<bool> include_unavailable;
  std::vector<std::string_view> assumed;  // keys of limits that hold by default, not because anybody gave them
  /// Amounts whose currency was typed with them, by the limit's key: to be brought into the answer's by settle_money().
  std::vector<std::pair<std::string_view, Currency>> money_in;

  /// Every provider and every place that is named, by whatever flag.
  std::vector<std::string> named_clouds() const;
  std::vector<std::string> named_regions() const;
};

struct Objective {
  ObjectiveKind kind = ObjectiveKind::cost;
  std::map<std::string, double> weights;  // name → weight; empty: the kind's own
};

/// The options of limits(), in the order of help.
std::span<const Option<Constraints>> constraint_options();

/// "cost=0.7,speed=0.3": names are cost, speed, headroom.
Status add_weights(std::string_view text, Objective& objective);

}  // namespace gpusel::job

namespace gpusel {
template <>
inline constexpr auto enum_names<job::ObjectiveKind> = std::to_array<std::string_view>({"cost", "speed", "balanced"});
template <>
inline constexpr auto enum_spellings<job::ObjectiveKind> = std::to_array<Spelling<job::ObjectiveKind>>({
    {"price", job::ObjectiveKind::cost},
    {"cheap", job::ObjectiveKind::cost},
    {"cheapest", job::ObjectiveKind::cost},
    {"total", job::ObjectiveKind::cost},
    {"money", job::ObjectiveKind::cost},
    {"latency", job::ObjectiveKind::speed},
    {"throughput", job::ObjectiveKind::speed},
    {"time", job::ObjectiveKind::speed},
    {"fast", job::ObjectiveKind::speed},
    {"fastest", job::ObjectiveKind::speed},
    {"balance", job::ObjectiveKind::balanced},
});
}  // namespace gpusel
