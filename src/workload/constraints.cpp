#include "gpusel/workload/constraints.hpp"

#include <algorithm>

#include "gpusel/base/message.hpp"
#include "gpusel/base/text.hpp"
#include "gpusel/catalog/catalog.hpp"
#include "gpusel/catalog/priced_name.hpp"

namespace gpusel::workload {

namespace {

constexpr std::string_view kVendors[] = {"nvidia", "amd", "google", "aws", "huawei", "intel", "alibaba"};
constexpr std::string_view kFormats[] = {"fp16", "bf16", "fp8"};
constexpr std::string_view kWeights[] = {"cost", "speed", "headroom"};

Status set_list(std::string_view text, std::vector<std::string>& list) {
  for (const std::string_view part : split(text, ','))
    if (!part.empty()) list.emplace_back(part);
  return list.empty() ? Status(usage_error(say("an empty list says nothing"))) : Status{};
}

Status set_named(std::string_view text, std::vector<std::string>& list, std::span<const std::string_view> allowed) {
  for (const std::string_view part : split(text, ',')) {
    const std::string name = lower(part);
    if (std::find(allowed.begin(), allowed.end(), name) == allowed.end()) return not_one_of(name, allowed);
    list.push_back(name);
  }
  return {};
}

Status set_memory(std::string_view text, std::optional<MemorySize>& place, bool binary_if_no_unit) {
  const auto size = parse_memory(text, binary_if_no_unit);
  if (!size) return std::unexpected(size.error());
  place = *size;
  return {};
}

/// "4+", "a..b" or one value; what one value bounds is for the option to say.
template <class Read>
Status set_bounds(std::string_view text, Bounds& bounds, Read read) {
  const BoundTexts ends = split_bounds(text);
  if (ends.low.empty() && ends.high.empty()) return usage_error(say("an empty range says nothing"));
  for (const auto& [end, place] : {std::pair(ends.low, &bounds.low), std::pair(ends.high, &bounds.high)}) {
    if (end.empty()) continue;
    const Result<double> value = read(end);
    if (!value) return std::unexpected(value.error());
    *place = *value;
  }
  if (bounds.low && bounds.high && *bounds.low > *bounds.high)
    return usage_error(say("the range '{}' is empty", shorten(text, 40)), {}, say("write the smaller end first"));
  return {};
}

Result<double> read_count(std::string_view text) { return parse_fraction(text, {0.01, 1e6}); }
/// Of one GPU as marketed: GB.
Result<double> read_gb(std::string_view text) {
  const auto size = parse_memory(text, false);
  if (!size) return std::unexpected(size.error());
  if (size->binary) return usage_error(say("a GPU is named by its GB, as marketed"), {}, say("--min-vram takes GiB"));
  return size->value;
}
Result<double> read_host_gib(std::string_view text) {
  const auto size = parse_memory(text, true);
  if (!size) return std::unexpected(size.error());
  return in_gib(size->amount());
}

/// A minimum given alone: "8" and "8+" both mean at least 8.
template <class Read>
Status set_least(std::string_view text, Bounds& bounds, Read read) {
  Bounds given;
  if (Status set = set_bounds(text, given, read); !set) return set;
  bounds.low = given.low;
  if (text.find("..") != std::string_view::npos) bounds.high = given.high;
  return {};
}

template <class Read>
Status set_most(std::string_view text, Bounds& bounds, Read read) {
  const Result<double> value = read(text);
  if (!value) return std::unexpected(value.error());
  bounds.high = *value;
  return {};
}

Status set_duration_hours(std::string_view text, std::optional<double>& hours) {
  const auto duration = parse_duration(text, seconds(3600));
  if (!duration) return std::unexpected(duration.error());
  if (duration->raw() <= 0) return usage_error(say("a deadline must lie in the future"));
  hours = in_hours(*duration);
  return {};
}

Status set_days(std::string_view text, std::optional<double>& days) {
  const auto duration = parse_duration(text, seconds(86400));
  if (!duration) return std::unexpected(duration.error());
  days = duration->raw() / 86400;
  return {};
}

Status add_infra(std::string_view text, Constraints& c) {
  const auto parts = split(text, '/');
  if (parts[0].empty())
    return usage_error(say("'{}' names no provider", shorten(text, 40)), {}, say("write aws/us-east-1"));
  c.clouds.emplace_back(parts[0]);
  if (parts.size() > 1 && !parts[1].empty() && parts[1] != "*") {
    c.regions.emplace_back(parts[1]);
    c.regions_of_infra.emplace_back(parts[1]);
  }
  c.clouds_of_infra.emplace_back(parts[0]);
  return {};
}

Status add_terms(std::string_view text, Constraints& c) {
  std::vector<std::string_view> known(enum_names<catalog::Term>.begin(), enum_names<catalog::Term>.end());
  known.emplace_back("any");
  return set_named(text, c.terms, known);
}

Status add_gpu(std::string_view text, Constraints& c) {
  auto spec = parse_gpu_spec(text);
  if (!spec) return std::unexpected(spec.error());
  c.gpus.push_back(std::move(*spec));
  return {};
}

constexpr std::string_view kHardware = to_say("Hardware limits");
constexpr std::string_view kPlace = to_say("Where and from whom");
constexpr std::string_view kMoney = to_say("Money and time");
constexpr Limits kPriceLimits{{.low = 0, .high = 1e9}, 1000};
constexpr Limits kNodes{{.low = 1, .high = 100'000}, 1000};

#define GPUSEL_DO(...) [](Constraints& c, std::string_view t) { return __VA_ARGS__; }

constexpr Option<Constraints> kLimitOptions[] = {
    {"gpu", "accelerator", "SPEC", to_say("H100:8, 80GB+, nvidia:A100,H100:40GB..80GB:1..8 …"), kHardware,
     GPUSEL_DO(add_gpu(t, c)), false, true},
    {"gpus_min", "", "N", to_say("GPUs per instance, at least"), kHardware,
     GPUSEL_DO(set_least(t, c.gpus_per_instance, read_count))},
    {"gpus_max", "", "N", to_say("GPUs per instance, at most"), kHardware,
     GPUSEL_DO(set_most(t, c.gpus_per_instance, read_count))},
    {"min_vram", "", "GB", to_say("memory of one GPU, at least (40GB as marketed, 40GiB as usable)"), kHardware,
     GPUSEL_DO(set_memory(t, c.min_vram, false))},
    {"max_vram", "", "GB", to_say("memory of one GPU, at most"), kHardware,
     GPUSEL_DO(set_memory(t, c.max_vram, false))},
    {"min_total_vram", "gpu-memory-total-min", "GB", to_say("GPU memory of the instance, at least"), kHardware,
     GPUSEL_DO(set_memory(t, c.min_total_vram, false))},
    {"max_total_vram", "gpu-memory-total-max", "GB", to_say("GPU memory of the instance, at most"), kHardware,
     GPUSEL_DO(set_memory(t, c.max_total_vram, false))},
    {"min_bandwidth", "", "GB/s", to_say("memory bandwidth of one GPU, at least"), kHardware,
     GPUSEL_DO(assign(t, c.min_bandwidth_gbs, kPriceLimits))},
    {"nvlink", "", "BOOL", to_say("NVLink or NVSwitch between the GPUs"), kHardware, GPUSEL_DO(assign(t, c.nvlink)),
     true},
    {"interconnect", "socket", "pcie|nvlink|nvswitch|xgmi|sxm|nvl|oam",
     to_say("pcie, nvlink, nvswitch, xgmi, or a form factor: sxm, nvl, oam"), kHardware,
     GPUSEL_DO(assign(t, c.interconnect))},
    {"min_capability", "", "X.Y", to_say("CUDA compute capability, at least"), kHardware,
     GPUSEL_DO(assign(t, c.min_capability, Limits{{1, 100}, 1000}))},
    {"formats", "require-format", "LIST", to_say("formats the GPU must have in hardware: fp16, bf16, fp8"), kHardware,
     GPUSEL_DO(set_named(t, c.formats, kFormats)), false, true},
    {"vcpus_min", "vcpus cpus", "N", to_say("vCPUs: 8, 8+ or 8..64"), kHardware,
     GPUSEL_DO(set_least(t, c.vcpus, read_count))},
    {"memory_min", "memory", "GIB", to_say("host memory: 64, \"64 GiB\" or 64..256"), kHardware,
     GPUSEL_DO(set_least(t, c.host_memory_gib, read_host_gib))},
    {"min_network", "", "GBIT", to_say("network per instance, Gbit/s, at least"), kHardware,
     GPUSEL_DO(assign(t, c.min_network_gbps, kPriceLimits))},
    {"rdma", "", "BOOL", to_say("RDMA fabric between nodes"), kHardware, GPUSEL_DO(assign(t, c.rdma)), true},
    {"vendor", "", "LIST", to_say("nvidia, amd, google, aws, intel, huawei, alibaba or any (default: nvidia,amd)"),
     kHardware,
     GPUSEL_DO(t == "any" ? set_named("nvidia,amd,google,aws,huawei,intel,alibaba", c.vendors, kVendors)
                          : set_named(t, c.vendors, kVendors)),
     false, true},

    {"cloud", "provider", "CLOUDS", to_say("providers"), kPlace, GPUSEL_DO(set_list(t, c.clouds)), false, true},
    {"region", "r", "REGIONS", to_say("regions"), kPlace, GPUSEL_DO(set_list(t, c.regions)), false, true},
    {"infra", "", "CLOUD/REGION", to_say("provider and region together, as in aws/us-east-1"), kPlace,
     GPUSEL_DO(add_infra(t, c)), false, true},
    {"residency", "", "COUNTRIES", to_say("countries the region must lie in: eu, cn, us, de …"), kPlace,
     GPUSEL_DO(set_list(t, c.residency)), false, true},
    {"family", "", "FAMILIES", to_say("instance families"), kPlace, GPUSEL_DO(set_list(t, c.families)), false, true},
    {"allow_list", "", "REGEX", to_say("only SKUs that match"), kPlace, GPUSEL_DO(assign(t, c.allow_list))},
    {"deny_list", "", "REGEX", to_say("no SKU that matches"), kPlace, GPUSEL_DO(assign(t, c.deny_list))},
    {"include_unavailable", "", "BOOL", to_say("also what is retired or sold by invitation only"), kPlace,
     GPUSEL_DO(assign(t, c.include_unavailable)), true},

    {"term", "usage-class", "LIST", to_say("on-demand, spot, reserved-1y, savings-3y, month … or any"), kMoney,
     GPUSEL_DO(add_terms(t, c)), false, true},
    {"max_price", "price-per-hour-max", "MONEY", to_say("price per hour of all nodes, at most"), kMoney,
     GPUSEL_DO(assign(t, c.max_price, kPriceLimits))},
    {"budget", "", "MONEY", to_say("cost of the whole job, at most"), kMoney,
     GPUSEL_DO(assign(t, c.budget, kPriceLimits))},
    {"deadline", "", "TIME", to_say("time the job may take: 12h, 3d"), kMoney,
     GPUSEL_DO(set_duration_hours(t, c.deadline_hours))},
    {"max_nodes", "", "N", to_say("nodes, at most (default: what the job needs)"), kMoney,
     GPUSEL_DO(assign(t, c.max_nodes, kNodes))},
    {"nodes", "", "N", to_say("nodes, exactly"), kMoney, GPUSEL_DO(assign(t, c.nodes, kNodes))},
    {"max_price_age", "", "TIME", to_say("age a price may have: 30d; older ones are dropped, or with --strict kept"),
     kMoney, GPUSEL_DO(set_days(t, c.max_price_age_days))},
    {"strict", "", "BOOL", to_say("keep prices older than --max-price-age, but status 6 if the answer has one"), kMoney,
     GPUSEL_DO(assign(t, c.strict)), true},
};

#undef GPUSEL_DO

/// "gpu_name=RTX_4090 num_gpus>=4", as vast.ai's search writes it.
Result<GpuSpec> parse_query(std::string_view text) {
  GpuSpec spec;
  for (const std::string_view term : split(text, ' ')) {
    if (term.empty()) continue;
    const auto at = term.find_first_of("<>=");
    const std::string_view key = term.substr(0, at);
    const std::string_view op =
        at == std::string_view::npos ? "" : term.substr(at, term.find_first_not_of("<>=", at) - at);
    const std::string_view value = at == std::string_view::npos ? "" : term.substr(at + op.size());
    if (key == "gpu_name" && op == "=") {
      spec.names.push_back(catalog::fold_gpu_name(value));
      continue;
    }
    Bounds* bounds = key == "num_gpus" ? &spec.count : key == "gpu_ram" ? &spec.memory_gb : nullptr;
    const auto number = key == "gpu_ram" ? read_gb(value) : read_count(value);
    if (bounds == nullptr || !number || (op != "=" && op != ">=" && op != "<="))
      return usage_error(say("cannot read '{}'", shorten(term, 40)), {},
                         say("known: gpu_name=NAME, num_gpus>=N, gpu_ram>=GB"));
    if (op != "<=") bounds->low = *number;
    if (op != ">=") bounds->high = *number;
  }
  return spec;
}

bool is_memory(std::string_view text) {
  const BoundTexts ends = split_bounds(text);
  const std::string_view end = ends.low.empty() ? ends.high : ends.low;
  return !plain_number(end) && read_gb(end).has_value();
}
bool is_count(std::string_view text) {
  const BoundTexts ends = split_bounds(text);
  return read_count(ends.low.empty() ? ends.high : ends.low).has_value();
}

}  // namespace

std::optional<std::pair<double, std::string_view>> count_in_front(std::string_view text) {
  const auto end = text.find_first_not_of("0123456789");
  if (end == 0 || end == std::string_view::npos) return std::nullopt;
  const auto count = plain_number(text.substr(0, end));
  const std::string_view rest = trim(text.substr(end));
  constexpr std::string_view kTimes = "×";
  const std::size_t sign = rest.starts_with(kTimes) ? kTimes.size() : rest.starts_with('x') || rest.starts_with('X');
  if (!count || sign == 0 || rest.size() < sign + 2) return std::nullopt;
  return std::pair(*count, trim(rest.substr(sign)));
}

bool GpuSpec::names_gpu(const catalog::Gpu& gpu) const {
  if (!vendor.empty() && vendor != gpu.vendor) return false;
  if (names.empty()) return true;
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return catalog::goes_by(gpu, name); });
}

namespace {

bool given_once(const Bounds& bounds) { return bounds.low || bounds.high; }

std::unexpected<Error> unreadable(std::string_view text) {
  return usage_error(say("cannot read the GPU specification '{}'", shorten(text, 60)), {},
                     say("write H100:8, 80GB+, nvidia:A100,H100:40GB..80GB:1..8 or \"2x RTX 4090\""));
}

/// Vendor, names, memory and count between colons, each at most once.
Result<GpuSpec> parse_parts(std::string_view text) {
  GpuSpec spec;
  bool first = true;  // a number in front is a name, as in 4090
  for (const std::string_view part : split(text, ':')) {
    if (part.empty()) return unreadable(text);
    const bool vendor = std::find(std::begin(kVendors), std::end(kVendors), lower(part)) != std::end(kVendors);
    if (vendor && spec.vendor.empty() && spec.names.empty()) {
      spec.vendor = lower(part);
    } else if (is_memory(part)) {
      if (given_once(spec.memory_gb)) return unreadable(text);
      if (Status set = set_bounds(part, spec.memory_gb, read_gb); !set) return std::unexpected(set.error());
    } else if (!first && is_count(part)) {
      if (given_once(spec.count)) return unreadable(text);
      if (Status set = set_bounds(part, spec.count, read_count); !set) return std::unexpected(set.error());
    } else if (spec.names.empty()) {
      for (const std::string_view name : split(part, ',')) spec.names.push_back(catalog::fold_gpu_name(name));
    } else {
      return unreadable(text);
    }
    first = false;
  }
  return spec;
}

}  // namespace

Result<GpuSpec> parse_gpu_spec(std::string_view given) {
  const std::string_view text = trim(given);
  if (text.empty()) return unreadable(text);
  Result<GpuSpec> spec{GpuSpec{}};
  if (text.find('=') != std::string_view::npos) {
    spec = parse_query(text);
  } else if (const auto counted = count_in_front(text)) {
    spec->names.push_back(catalog::fold_gpu_name(counted->second));
    spec->count = {counted->first, counted->first};
  } else {
    spec = parse_parts(text);
  }
  if (!spec) return spec;
  const auto nameless = [](const std::string& name) { return name.empty(); };
  if (std::any_of(spec->names.begin(), spec->names.end(), nameless)) return unreadable(text);
  for (const Bounds& bounds : {spec->memory_gb, spec->count})
    if (bounds.low && bounds.high && *bounds.low > *bounds.high) return unreadable(text);
  spec->text = text;
  return spec;
}

std::span<const Option<Constraints>> constraint_options() { return kLimitOptions; }

Status add_weights(std::string_view text, Objective& objective) {
  for (const std::string_view part : split(text, ',')) {
    const auto equals = part.find('=');
    const std::string name = lower(trim(part.substr(0, equals)));
    if (std::find(std::begin(kWeights), std::end(kWeights), name) == std::end(kWeights))
      return not_one_of(name, kWeights);
    const auto value = equals == std::string_view::npos ? std::nullopt : plain_number(trim(part.substr(equals + 1)));
    if (!value || *value < 0 || *value > 1e6)
      return usage_error(say("the weight of '{}' must be a number from 0", name), {}, say("write {}=0.5", name));
    objective.weights[name] = *value;
  }
  return {};
}

}  // namespace gpusel::workload
