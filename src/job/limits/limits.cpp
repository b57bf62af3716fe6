#include "job/limits/limits.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "job/limits/limit_judges.hpp"
#include "job/limits/limit_values.hpp"

namespace gpusel::job {

namespace {

using rules::Fact;
using C = Constraints;

constexpr std::string_view kFormats[] = {"fp16", "bf16", "fp8"};
constexpr std::string_view kHardware = to_say("Hardware limits");
constexpr std::string_view kPlace = to_say("Where and from whom");
constexpr std::string_view kMoney = to_say("Money and time");
constexpr Limits kNodes{{.low = 1, .high = 100'000}, 1000};

#define GPUSEL_DO(...) [](Constraints& c, std::string_view t) { return __VA_ARGS__; }

// Key, other spellings, what help shows of the value, help, group, reading, whether a switch, whether repeated; what it
// is judged on and in what turn; its form; what else is true of it.
constexpr Limit kLimits[] = {
    {{"gpu", "accelerator", "SPEC", to_say("H100:8, 2x8xH100, 80GB+, nvidia:A100,H100:40GB..80GB:1..8, any, none"),
      kHardware, GPUSEL_DO(add_gpu(t, c)), false, true},
     {Subject::gpu, Turn::kind},
     held<&C::gpus>(judge_gpu, relax_gpu),
     {.needs_gpu = true, .reason = to_say("it has another GPU than requested")}},
    {{"gpus_min", "", "N", to_say("minimum GPUs per instance"), kHardware,
      GPUSEL_DO(set_least(t, c.gpus_per_instance, read_count))},
     {Subject::machine, Turn::size},
     low_end<&C::gpus_per_instance>(Fact::gpu_count, to_say("GPUs")),
     {.not_above = "gpus_max", .needs_gpu = true}},
    {{"gpus_max", "", "N", to_say("maximum GPUs per instance"), kHardware,
      GPUSEL_DO(set_most(t, c.gpus_per_instance, read_count))},
     {Subject::machine, Turn::size},
     high_end<&C::gpus_per_instance>(Fact::gpu_count, to_say("GPUs"))},
    {{"min_vram", "", "GB", to_say("minimum memory of one GPU (40GB as marketed, 40GiB as usable)"), kHardware,
      GPUSEL_DO(set_least_memory(t, c.min_vram))},
     {Subject::gpu, Turn::size},
     least_memory<&C::min_vram>(to_say("GPU memory")),
     {.not_above = "max_vram max_total_vram", .needs_gpu = true}},
    {{"max_vram", "", "GB", to_say("maximum memory of one GPU"), kHardware,
      GPUSEL_DO(set_memory(t, c.max_vram, false))},
     {Subject::gpu, Turn::size},
     most_memory<&C::max_vram>(to_say("GPU memory"))},
    {{"min_total_vram", "gpu-memory-total-min", "GB", to_say("minimum GPU memory of the instance"), kHardware,
      GPUSEL_DO(set_least_memory(t, c.min_total_vram))},
     {Subject::machine, Turn::size},
     least<&C::min_total_vram>(Fact::total_gpu_memory_gb, to_say("total GPU memory"), "GB"),
     {.not_above = "max_total_vram", .needs_gpu = true}},
    {{"max_total_vram", "gpu-memory-total-max", "GB", to_say("maximum GPU memory of the instance"), kHardware,
      GPUSEL_DO(set_memory(t, c.max_total_vram, false))},
     {Subject::machine, Turn::size},
     most<&C::max_total_vram>(Fact::total_gpu_memory_gb, to_say("total GPU memory"), "GB")},
    {{"min_bandwidth", "", "GB/s", to_say("minimum memory bandwidth of one GPU"), kHardware,
      GPUSEL_DO(assign(t, c.min_bandwidth_gbs, Limits{{0, 1e9}, 1000, "gb/s"}))},
     {Subject::gpu, Turn::size},
     least<&C::min_bandwidth_gbs>(Fact::gpu_bandwidth_gbs, to_say("memory bandwidth")),
     {.needs_gpu = true}},
    {{"nvlink", "", "BOOL", to_say("NVLink or NVSwitch between the GPUs"), kHardware, GPUSEL_DO(assign(t, c.nvlink)),
      true},
     {Subject::gpu, Turn::link},
     held<&C::nvlink>(judge_nvlink, without),
     {.clash = nvlink_of_one, .needs_gpu = true}},
    {{"interconnect", "socket", "pcie|nvlink|nvswitch|xgmi|sxm|nvl|oam",
      to_say("pcie, nvlink, nvswitch, xgmi, or a form factor: sxm, nvl, oam"), kHardware,
      GPUSEL_DO(assign(t, c.interconnect))},
     {Subject::gpu, Turn::link},
     held<&C::interconnect>(judge_interconnect, without),
     {.needs_gpu = true}},
    {{"min_capability", "", "X.Y", to_say("minimum CUDA compute capability"), kHardware,
      GPUSEL_DO(assign(t, c.min_capability, Limits{{1, 100}, 1000}))},
     {Subject::gpu, Turn::size},
     least<&C::min_capability>(Fact::compute_capability, to_say("compute capability")),
     {.needs_gpu = true}},
    {{"formats", "require-format", "LIST", to_say("formats that the GPU supports in hardware: fp16, bf16, fp8"),
      kHardware, GPUSEL_DO(set_named(t, c.formats, kFormats)), false, true},
     {Subject::gpu, Turn::link},
     held<&C::formats>(judge_formats, relax_formats),
     {.replaces = true, .needs_gpu = true}},
    {{"vcpus_min", "vcpus cpus", "N", to_say("vCPUs: 8, 8+ or 8..64"), kHardware,
      GPUSEL_DO(set_least(t, c.vcpus, read_count))},
     {Subject::machine, Turn::host},
     range<&C::vcpus>(Fact::vcpu, to_say("vCPUs"))},
    {{"memory_min", "memory", "GIB", to_say("host memory: 64, \"64 GiB\" or 64..256"), kHardware,
      GPUSEL_DO(set_least(t, c.host_memory_gib, read_host_gib))},
     {Subject::machine, Turn::host},
     range<&C::host_memory_gib>(Fact::host_memory_gib, to_say("GiB of host memory"))},
    {{"min_network", "", "GBIT", to_say("minimum network per instance, Gbit/s"), kHardware,
      GPUSEL_DO(assign(t, c.min_network_gbps, Limits{{0, 1e9}, 1000, "gbit/s"}))},
     {Subject::machine, Turn::host},
     least<&C::min_network_gbps>(Fact::network_gbps, to_say("network Gbit/s"))},
    {{"rdma", "", "BOOL", to_say("RDMA fabric between nodes"), kHardware, GPUSEL_DO(assign(t, c.rdma)), true},
     {Subject::machine, Turn::host},
     held<&C::rdma>(judge_rdma, without)},
    // Unasked, accelerators whose software the estimates know.
    {{"vendor", "", "LIST", to_say("nvidia, amd, google, aws, intel, huawei, alibaba or any (default: nvidia,amd)"),
      kHardware, GPUSEL_DO(set_vendors(t, c)), false, true},
     {Subject::gpu, Turn::kind},
     held<&C::vendors>(judge_vendor, one_more, Fact::gpu_vendor, to_say("accelerators of")),
     {.usual = "nvidia,amd",
      .usual_unless = names_maker,
      .tacit = true,
      .open = "any",
      .needs_gpu = true,
      .reason = to_say("its accelerator is from another vendor than requested")}},

    {{"cloud", "provider", "CLOUDS", to_say("providers, as aws,gcp; with ! all but these: !vast"), kPlace,
      GPUSEL_DO(set_clouds(t, c)), false, true},
     {Subject::offer, Turn::place},
     list<&C::clouds, provider_called>(Fact::provider, to_say("provider")),
     {.clash = region_of_another,
      .question = to_say("clouds to choose from, such as aws,gcp (default: all)"),
      .reason = to_say("it is sold by another provider than requested")}},
    {{"not_cloud", "", "CLOUDS", to_say("providers to exclude"), kPlace, GPUSEL_DO(set_list(t, c.not_clouds)), false,
      true},
     {Subject::machine, Turn::place},
     held<&C::not_clouds>(judge_not_cloud, without, Fact::provider, to_say("provider")),
     {.clash = cloud_left_out, .reason = to_say("its provider is excluded")}},
    {{"market", "", "BOOL",
      to_say("also marketplaces, community hosts, and clouds that do not accept customers from your country"), kPlace,
      GPUSEL_DO(assign(t, c.market)), true},
     {Subject::machine, Turn::place},
     held<&C::market>(judge_market, relax_market, Fact::seller),
     {.usual = "false",
      .open = "true",
      .reason = to_say("it is sold on a marketplace, by a community host, or by a cloud that does not accept "
                       "customers from your country")}},
    {{"own_clouds", "", "CLOUDS", to_say("clouds you have an account with: always allowed, best of each always shown"),
      kPlace, GPUSEL_DO(set_list(t, c.own_clouds)), false, true},
     {Subject::machine, Turn::place},
     held<&C::own_clouds>(),
     {.clash = own_left_out}},
    {{"country", "", "COUNTRY", to_say("your country, to exclude clouds that do not serve it: de, japan, 中国"), kPlace,
      GPUSEL_DO(assign(t, c.country))},
     {Subject::machine, Turn::place},
     held<&C::country>(judge_country, without)},
    {{"region", "r", "REGIONS", to_say("regions, cities, countries or continents: us-east-1, frankfurt, de, eu"),
      kPlace, GPUSEL_DO(set_regions(t, c)), false, true},
     {Subject::offer, Turn::place},
     held<&C::regions>(judge_region, relax_region, Fact::region, to_say("region")),
     {.reason = to_say("it is not sold in the requested region")}},
    {{"infra", "", "CLOUD/REGION", to_say("provider and region together, as in aws/us-east-1"), kPlace,
      GPUSEL_DO(add_infra(t, c)), false, true},
     {Subject::offer, Turn::place},
     held<&C::infra>(judge_infra, relax_infra, Fact::region)},
    {{"residency", "", "COUNTRIES", to_say("countries the region must be in: eu, cn, us, de …"), kPlace,
      GPUSEL_DO(set_list(t, c.residency)), false, true},
     {Subject::offer, Turn::place},
     held<&C::residency>(judge_residency, one_more, Fact::country),
     {.clash = region_elsewhere}},
    {{"family", "", "FAMILIES", to_say("instance families"), kPlace, GPUSEL_DO(set_list(t, c.families)), false, true},
     {Subject::machine, Turn::place},
     held<&C::families>(judge_family, one_more, Fact::family, to_say("family"))},
    {{"allow_list", "", "REGEX", to_say("only SKUs or provider/SKUs that match: '^aws/p'"), kPlace,
      GPUSEL_DO(assign(t, c.allow_list))},
     {Subject::machine, Turn::place},
     held<&C::allow_list>(judge_allow_list, without)},
    {{"deny_list", "", "REGEX", to_say("exclude SKUs or provider/SKUs that match: '^vast/'"), kPlace,
      GPUSEL_DO(assign(t, c.deny_list))},
     {Subject::machine, Turn::place},
     held<&C::deny_list>(judge_deny_list, without)},
    {{"include_unavailable", "", "BOOL", to_say("also retired instances and those sold by invitation only"), kPlace,
      GPUSEL_DO(assign(t, c.include_unavailable)), true},
     {Subject::search, Turn::place},
     held<&C::include_unavailable>()},

    {{"term", "usage-class", "LIST", to_say("on-demand, spot, reserved-1y, savings-3y, month … or any"), kMoney,
      GPUSEL_DO(add_terms(t, c)), false, true},
     {Subject::offer, Turn::money},
     held<&C::terms>(judge_term, one_more, Fact::term, to_say("term")),
     {.usual = "on-demand", .open = "any", .reason = to_say("it is sold on other terms than requested")}},
    {{"max_price", "price-per-hour-max", "MONEY", to_say("maximum price of all nodes: 5 per hour, $1500/month, 30CNY"),
      kMoney, GPUSEL_DO(set_hourly(t, c))},
     {Subject::price, Turn::money},
     most<&C::max_price>(Fact::price_per_hour, to_say("price per hour")),
     {.trades = true, .nearest_price = true, .question = to_say("maximum USD per hour (default: any)")}},
    {{"budget", "", "MONEY", to_say("maximum cost of the whole job"), kMoney, GPUSEL_DO(set_budget(t, c))},
     {Subject::job, Turn::money},
     most<&C::budget>(Fact::cost, to_say("cost")),
     {.trades = true, .of_ending = true}},
    // A pretraining run without a deadline would be planned on one node for decades.
    {{"deadline", "", "TIME", to_say("maximum time for the job: 12h, 3d"), kMoney,
      GPUSEL_DO(set_duration_hours(t, c.deadline_hours))},
     {Subject::job, Turn::money},
     held<&C::deadline_hours>(judge_deadline, needs_most, Fact::elapsed_hours, {}, "h"),
     {.usual = "90d",
      .usual_for = Usual::pretraining,
      .usual_unless = [](const Constraints& c) { return c.nodes || c.max_nodes; },
      .assumed_as = "deadline_days",
      .open = "1000000000h",
      .trades = true,
      .question = to_say("time until it must be done, such as 12h or 3d (default: any)"),
      .of_ending = true}},
    {{"max_nodes", "", "N", to_say("maximum number of nodes (default: what the job needs)"), kMoney,
      GPUSEL_DO(assign(t, c.max_nodes, kNodes))},
     {Subject::search, Turn::money},
     held<&C::max_nodes, &C::nodes>(nullptr, relax_nodes),
     {.open = "1024"}},
    {{"nodes", "", "N", to_say("exact number of nodes"), kMoney, GPUSEL_DO(assign(t, c.nodes, kNodes))},
     {Subject::job, Turn::money},
     held<&C::nodes>(),
     {.not_above = "max_nodes", .clash = nodes_of_gpus}},
    {{"max_price_age", "", "TIME",
      to_say("maximum price age, such as 30d; older prices are dropped, or kept with --strict"), kMoney,
      GPUSEL_DO(set_days(t, c.max_price_age_days))},
     {Subject::offer, Turn::money},
     held<&C::max_price_age_days>(judge_price_age, needs_most, Fact::price_age_days, to_say("price age in days"), "d"),
     {.of_age = true}},
    {{"strict", "", "BOOL", to_say("keep prices older than --max-price-age, but status 6 if the answer has one"),
      kMoney, GPUSEL_DO(assign(t, c.strict)), true},
     {Subject::offer, Turn::money},
     held<&C::strict>(),
     {.of_age = true}},
};

#undef GPUSEL_DO

/// GB as marketed and GiB as usable are figures of their own: only like is compared with like.
std::string crossed(const Limit& low, const Limit& high, const Constraints& limits) {
  const auto a = low.form.stated(limits), b = high.form.stated(limits);
  if (!a || !b || a->unit != b->unit || a->value <= b->value) return {};
  return exclude_each_other(low.typed(limits), high.typed(limits));
}

}  // namespace

std::string Limit::id() const {
  std::string id(option.key);
  std::ranges::replace(id, '_', '-');
  return id;
}

std::string Limit::typed(const Constraints& limits) const {
  const std::string value = form.written(limits);
  return value.empty() ? flag() : format("{} {}", flag(), printable(value));
}

std::string exclude_each_other(std::string_view a, std::string_view b) {
  return say("{} and {} exclude each other", a, b);
}

bool Limit::is_given(const Constraints& limits) const {
  return form.is_set(limits) && std::ranges::find(limits.assumed, option.key) == limits.assumed.end();
}

std::span<const Limit> limits() { return kLimits; }

const Limit* find_limit(std::string_view name) {
  const auto* found =
      std::ranges::find_if(kLimits, [&](const Limit& one) { return same_spelling(one.option.key, name); });
  return found == std::end(kLimits) ? nullptr : found;
}

std::span<const Limit* const> judged_limits() {
  static const std::vector<const Limit*> judged = [] {
    std::vector<const Limit*> all;
    for (const Limit& limit : kLimits)
      if (limit.form.judge != nullptr) all.push_back(&limit);
    std::ranges::stable_sort(all, {}, [](const Limit* limit) { return limit->on.turn; });
    return all;
  }();
  return judged;
}

std::span<const Option<Constraints>> constraint_options() {
  static const std::vector<Option<Constraints>> options = [] {
    std::vector<Option<Constraints>> all;
    for (const Limit& limit : kLimits) all.push_back(limit.option);
    return all;
  }();
  return options;
}

void assume_usual(Constraints& limits, const Limit& limit) {
  if (limit.also.usual.empty() || limit.form.is_set(limits)) return;
  if (limit.also.usual_unless != nullptr && limit.also.usual_unless(limits)) return;
  if (limit.option.set(limits, limit.also.usual)) limits.assumed.push_back(limit.option.key);
}

/// From the last on: money before hardware, as it decides more.
void assume_usual(Constraints& limits, Usual question) {
  for (const Usual usual : {Usual::job, Usual::pretraining}) {
    if (usual > question) break;
    for (auto limit = std::rbegin(kLimits); limit != std::rend(kLimits); ++limit)
      if (limit->also.usual_for == usual) assume_usual(limits, *limit);
  }
}

void assume_deadline(Constraints& limits, bool trains) {
  // Work that divides costs hardly more on as many machines as a week takes.
  constexpr std::string_view kOfParts = "7d", kOfTraining = "30d";
  if (limits.deadline_hours || limits.nodes) return;
  const Limit& deadline = *find_limit("deadline");
  if (deadline.option.set(limits, trains ? kOfTraining : kOfParts)) limits.assumed.push_back(deadline.option.key);
}

Assumptions assumed_limits(const Constraints& limits) {
  Assumptions assumed;
  for (const std::string_view key : limits.assumed) {
    const Limit& limit = *find_limit(key);
    if (limit.also.assumed_as.empty())
      assumed.push_back({std::string(key), std::string(limit.also.usual)});
    else
      assumed.push_back({std::string(limit.also.assumed_as), limits.deadline_hours.value_or(0) / 24});
  }
  return assumed;
}

const Constraints& open_limits() {
  static const Constraints open = [] {
    Constraints all;
    for (const Limit& limit : kLimits)
      if (!limit.also.open.empty()) (void)limit.option.set(all, limit.also.open);
    return all;
  }();
  return open;
}

bool asks_for_gpu(const Constraints& limits) {
  return std::ranges::any_of(kLimits, [&](const Limit& limit) {
    if (!limit.also.needs_gpu || !limit.is_given(limits)) return false;
    const auto number = limit.form.stated(limits);
    return !number || number->value != 0;  // --nvlink false asks for none
  });
}

Result<std::vector<rules::Rule>> limit_rules(const Constraints& limits, const catalog::Catalog& catalog) {
  if (!limits.money_in.empty())
    return usage_error(
        say("the amount is in {}, but the answer is in another currency", limits.money_in.front().second.code()),
        find_limit(limits.money_in.front().first)->flag(),
        say("add --currency {}", limits.money_in.front().second.code()));
  if (Status known = know_own_clouds(limits, catalog); !known) return std::unexpected(known.error());
  std::vector<rules::Rule> rules;
  for (const Limit* limit : judged_limits()) {
    if (!limit->form.is_set(limits)) continue;
    if (Status judged = limit->form.judge({*limit, limits, catalog, rules}); !judged)
      return std::unexpected(judged.error());
  }
  return rules;
}

std::string contradiction(const Constraints& limits, const catalog::Catalog& catalog) {
  for (const Limit& limit : kLimits) {
    if (!limit.form.is_set(limits)) continue;
    for (const std::string_view high : split(limit.also.not_above, ' '))
      if (!high.empty())
        if (std::string found = crossed(limit, *find_limit(high), limits); !found.empty()) return found;
    if (limit.also.clash == nullptr) continue;
    if (std::string found = limit.also.clash(limits, catalog); !found.empty()) return found;
  }
  return {};
}

}  // namespace gpusel::job
