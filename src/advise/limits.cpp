#include "advise/limits.hpp"

#include <algorithm>

#include "gpusel/base/message.hpp"
#include "gpusel/base/text.hpp"

namespace gpusel::advise {

namespace {

using rules::Condition;
using rules::Fact;
using rules::Operator;
using rules::Rule;
using workload::Constraints;

/// Accelerators whose software the estimates know; others only when asked for.
const std::vector<std::string> kUsualVendors{"nvidia", "amd"};

class LimitReader {
 public:
  LimitReader(const Constraints& constraints, const catalog::Catalog& catalog, Defaults defaults)
      : c_(constraints), catalog_(catalog), defaults_(defaults) {}

  Result<std::vector<Rule>> make() {
    for (const auto step : {&LimitReader::places, &LimitReader::names, &LimitReader::hardware, &LimitReader::host, &LimitReader::money})
      if (Status done = (this->*step)(); !done) return std::unexpected(done.error());
    return std::move(rules_);
  }

 private:
  void add(std::string id, Condition when, std::string message) {
    rules_.push_back(rules::reject_when(std::move(id), std::move(when), std::move(message)));
  }
  void bound(const std::string& id, Fact fact, const Bounds& bounds, const std::string& what) {
    if (bounds.low)
      add(id, compare(fact, Operator::below, *bounds.low),
          say("{} {{{}}}, at least {} asked", what, info(fact).name, shown_as(fact, *bounds.low)));
    if (bounds.high)
      add(id, compare(fact, Operator::above, *bounds.high),
          say("{} {{{}}}, at most {} asked", what, info(fact).name, shown_as(fact, *bounds.high)));
  }
  void one_of(const std::string& id, Fact fact, std::vector<std::string> allowed, const std::string& what) {
    std::string list;
    for (const std::string& name : allowed) list += (list.empty() ? "" : ", ") + name;
    add(id, compare(fact, Operator::not_in, std::move(allowed)),
        say("{} {{{}}}, asked for {}", what, info(fact).name, list));
  }

  /// Unasked, GPUs of the usual makers; an instance without a GPU has no maker to object to.
  void usual_vendors() {
    one_of("vendor", Fact::gpu_vendor, kUsualVendors, say("accelerators of"));
    Condition& foreign = rules_.back().when;
    foreign = rules::all_of({compare(Fact::is_cpu, Operator::is_not, 1.0), std::move(foreign)});
  }

  Status places() {
    std::vector<std::string> clouds;
    for (const std::string& name : c_.clouds) {
      auto provider = catalog_.provider(name);
      if (!provider) return named(provider.error(), flag_of(name, c_.clouds_of_infra, "--cloud"));
      clouds.emplace_back((*provider)->id);
    }
    if (!clouds.empty()) one_of("cloud", Fact::provider, std::move(clouds), say("provider"));
    std::vector<std::string> regions;
    for (const std::string& name : c_.regions) {
      auto known = regions_called(name, catalog_);
      if (!known) return named(known.error(), flag_of(name, c_.regions_of_infra, "--region"));
      regions.insert(regions.end(), known->begin(), known->end());
    }
    if (!regions.empty()) one_of("region", Fact::region, std::move(regions), say("region"));
    std::vector<std::string> countries;
    for (const std::string& name : c_.residency) {
      if (!catalog_.is_residency(name)) return unknown_residency(name);
      for (const catalog::Region& region : catalog_.regions())
        if (catalog_.resides_in(region.country, name)) countries.emplace_back(region.country);
    }
    std::sort(countries.begin(), countries.end());
    countries.erase(std::unique(countries.begin(), countries.end()), countries.end());
    if (!c_.residency.empty())
      add("residency", compare(Fact::country, Operator::not_in, std::move(countries)),
          say("region {{region}} lies in {{country}}, outside what --residency allows"));
    return {};
  }

  static std::string_view flag_of(const std::string& name, const std::vector<std::string>& of_infra,
                                  std::string_view flag) {
    return std::find(of_infra.begin(), of_infra.end(), name) != of_infra.end() ? "--infra" : flag;
  }

  Status unknown_residency(const std::string& name) const {
    std::vector<std::string_view> known;
    for (const catalog::CountryGroup& group : catalog_.country_groups()) known.push_back(group.id);
    for (const catalog::Region& region : catalog_.regions())
      if (!region.country.empty()) known.push_back(region.country);
    const std::string near = did_you_mean(name, known);
    return usage_error(say("no region lies in '{}'", shorten(name, 40)), "--residency",
                       near.empty() ? say("write eu, or country codes such as cn, us, de") : near);
  }

  static Status named(Error error, std::string_view flag) {
    error.where = flag;
    return std::unexpected(std::move(error));
  }

  Status names() {
    if (!c_.families.empty()) {
      std::vector<std::string_view> known;
      for (const catalog::Instance& instance : catalog_.instances()) known.push_back(instance.family);
      std::vector<std::string> families;
      for (const std::string& name : c_.families) {
        const auto found = std::find_if(known.begin(), known.end(),
                                        [&](std::string_view family) { return fold_name(family) == fold_name(name); });
        if (found == known.end())
          return usage_error(say("unknown family '{}'", shorten(name, 40)), "--family", did_you_mean(name, known));
        families.emplace_back(*found);
      }
      one_of("family", Fact::family, std::move(families), say("family"));
    }
    if (!c_.allow_list.empty()) {
      auto allowed = rules::match(Fact::sku, c_.allow_list);
      if (!allowed) return named(allowed.error(), "--allow-list");
      add("allow-list", negate(std::move(*allowed)), say("{{sku}} is not on the allow list"));
    }
    if (!c_.deny_list.empty()) {
      auto denied = rules::match(Fact::sku, c_.deny_list);
      if (!denied) return named(denied.error(), "--deny-list");
      add("deny-list", std::move(*denied), say("{{sku}} is on the deny list"));
    }
    return {};
  }

  Status hardware() {
    if (Status done = gpus(); !done) return done;
    const bool vendor_by_spec = std::any_of(
        c_.gpus.begin(), c_.gpus.end(), [](const auto& spec) { return !spec.vendor.empty() || !spec.names.empty(); });
    if (!c_.vendors.empty())
      one_of("vendor", Fact::gpu_vendor, c_.vendors, say("accelerators of"));
    else if (!vendor_by_spec && defaults_ == Defaults::job)
      usual_vendors();
    bound(c_.gpus_per_instance.low ? "gpus-min" : "gpus-max", Fact::gpu_count, c_.gpus_per_instance, say("GPUs"));
    memory_bound("min-vram", c_.min_vram, true);
    memory_bound("max-vram", c_.max_vram, false);
    const auto total = [](const std::optional<MemorySize>& size) {
      return size ? std::optional(in_gb(size->amount())) : std::nullopt;
    };
    bound(c_.min_total_vram ? "min-total-vram" : "max-total-vram", Fact::total_gpu_memory_gb,
          {total(c_.min_total_vram), total(c_.max_total_vram)}, say("GPU memory in all"));
    bound("min-bandwidth", Fact::gpu_bandwidth_gbs, {c_.min_bandwidth_gbs, std::nullopt}, say("memory bandwidth"));
    bound("min-capability", Fact::compute_capability, {c_.min_capability, std::nullopt}, say("compute capability"));
    if (c_.nvlink)
      add("nvlink", compare(Fact::has_nvlink, Operator::is_not, *c_.nvlink ? 1.0 : 0.0),
          *c_.nvlink ? say("no NVLink between all GPUs ({{gpu_link}})") : say("has NVLink"));
    if (!c_.interconnect.empty())
      if (Status done = interconnect(); !done) return done;
    for (const std::string& format : c_.formats) {
      const Fact fact = format == "fp8" ? Fact::has_fp8 : format == "bf16" ? Fact::has_bf16 : Fact::has_fp16;
      add("formats", compare(fact, Operator::is_not, 1.0), say("no {} in hardware", format));
    }
    return {};
  }

  /// One specification gives a reason per limit; of several, any one must be met whole.
  Status gpus() {
    std::vector<Condition> specs;
    std::string texts;
    for (const workload::GpuSpec& spec : c_.gpus) {
      std::vector<std::string> ids;
      for (const catalog::Gpu& gpu : catalog_.gpus())
        if (spec.names_gpu(gpu)) ids.emplace_back(gpu.id);
      if (ids.empty()) return unknown_gpu(spec);
      texts += (texts.empty() ? "" : say(" or ")) + spec.text;
      if (c_.gpus.size() == 1) {
        add("gpu", compare(Fact::gpu, Operator::not_in, std::move(ids)), say("GPU {{gpu}}, asked for {}", spec.text));
        bound("gpu", Fact::gpu_memory_gb, spec.memory_gb, say("GPU memory"));
        bound("gpu", Fact::gpu_count, spec.count, say("GPUs"));
        continue;
      }
      // Outside this specification; what is not known is outside too.
      std::vector<Condition> outside;
      outside.push_back(compare(Fact::gpu, Operator::not_in, std::move(ids)));
      for (const auto& [fact, bounds] :
           {std::pair(Fact::gpu_memory_gb, spec.memory_gb), std::pair(Fact::gpu_count, spec.count)}) {
        if (bounds.low) outside.push_back(compare(fact, Operator::below, *bounds.low));
        if (bounds.high) outside.push_back(compare(fact, Operator::above, *bounds.high));
      }
      specs.push_back(rules::any_of(std::move(outside)));
    }
    if (!specs.empty())
      add("gpu", rules::all_of(std::move(specs)), say("{{gpu_count}} × {{gpu}}, asked for {}", texts));
    return {};
  }

  Status unknown_gpu(const workload::GpuSpec& spec) const {
    std::vector<std::string_view> ids;
    for (const catalog::Gpu& gpu : catalog_.gpus()) {
      ids.push_back(gpu.id);
      for (const std::string_view alias : gpu.aliases) ids.push_back(alias);
    }
    const std::string name = spec.names.empty() ? spec.text : spec.names.front();
    workload::GpuSpec of_anybody = spec;
    of_anybody.vendor.clear();
    const auto gpus = catalog_.gpus();
    const auto other = std::ranges::find_if(gpus, [&](const catalog::Gpu& gpu) { return of_anybody.names_gpu(gpu); });
    if (!spec.vendor.empty() && other != gpus.end())
      return usage_error(say("'{}' is made by {}, not by {}", shorten(name, 40), other->vendor, spec.vendor), "--gpu",
                         say("write {}:{}, or the name alone", other->vendor, shorten(name, 40)));
    const std::string near = did_you_mean(name, ids);
    return usage_error(say("unknown GPU '{}'", shorten(name, 40)), "--gpu",
                       near.empty() ? say("all GPUs: gpusel gpus") : near);
  }

  /// 40GB is what is printed on the box, 40GiB what a process can have.
  void memory_bound(const std::string& id, const std::optional<MemorySize>& size, bool least) {
    if (!size) return;
    const Fact fact = size->binary ? Fact::gpu_memory_usable_gib : Fact::gpu_memory_gb;
    const Bounds bounds = least ? Bounds{size->value, std::nullopt} : Bounds{std::nullopt, size->value};
    bound(id, fact, bounds, say("GPU memory"));
  }

  Status interconnect() {
    static constexpr std::string_view kKinds[] = {"pcie", "nvlink", "nvswitch", "xgmi", "sxm", "nvl", "oam"};
    const std::string kind = lower(c_.interconnect);
    if (std::find(std::begin(kKinds), std::end(kKinds), kind) == std::end(kKinds)) {
      Status wrong = workload::not_one_of(kind, kKinds);
      return named(wrong.error(), "--interconnect");
    }
    const std::string message = say("interconnect {{gpu_link}}, {{form_factor}}; asked for {}", kind);
    if (kind == "nvlink")
      add("interconnect", compare(Fact::has_nvlink, Operator::is_not, 1.0), message);
    else if (kind == "sxm" || kind == "oam" || kind == "nvl")
      add("interconnect", unlike(kind == "nvl" ? Fact::gpu : Fact::form_factor, "(?i)" + kind), message);
    else
      add("interconnect", compare(Fact::gpu_link, Operator::is_not, std::vector{kind}), message);
    return {};
  }

  /// Does not match, or is not known.
  static Condition unlike(Fact fact, const std::string& pattern) {
    return rules::any_of({compare(fact, Operator::known, 0.0), negate(*rules::match(fact, pattern))});
  }

  Status host() {
    bound("vcpus-min", Fact::vcpu, c_.vcpus, say("vCPUs"));
    bound("memory-min", Fact::host_memory_gib, c_.host_memory_gib, say("GiB of host memory"));
    bound("min-network", Fact::network_gbps, {c_.min_network_gbps, std::nullopt}, say("network Gbit/s"));
    if (c_.rdma)
      add("rdma", compare(Fact::has_rdma, Operator::is_not, *c_.rdma ? 1.0 : 0.0), say("RDMA fabric: {{has_rdma}}"));
    return {};
  }

  Status money() {
    std::vector<std::string> terms = c_.terms;
    if (terms.empty() && defaults_ == Defaults::job) terms.emplace_back("on-demand");
    if (!terms.empty() && std::find(terms.begin(), terms.end(), "any") == terms.end())
      one_of("term", Fact::term, std::move(terms), say("term"));
    bound("max-price", Fact::price_per_hour, {std::nullopt, c_.max_price}, say("price per hour"));
    bound("budget", Fact::cost, {std::nullopt, c_.budget}, say("cost"));
    if (c_.deadline_hours)
      add("deadline", compare(Fact::hours, Operator::above, *c_.deadline_hours, false),
          say("takes {{hours}} h, {} h allowed", human_number(*c_.deadline_hours)));
    if (!c_.strict.value_or(false))
      bound(std::string(kMaxPriceAge), Fact::price_age_days, {std::nullopt, c_.max_price_age_days},
            say("price age in days"));
    return {};
  }

  const Constraints& c_;
  const catalog::Catalog& catalog_;
  Defaults defaults_;
  std::vector<Rule> rules_;
};

std::string crossed(std::string_view low_flag, std::optional<double> low, std::string_view high_flag,
                    std::optional<double> high, std::string_view unit = "") {
  if (!low || !high || *low <= *high) return {};
  return say("{} {}{} and {} {}{} exclude each other", low_flag, human_number(*low), unit, high_flag,
             human_number(*high), unit);
}

/// GB as marketed and GiB as usable are figures of their own: only like is compared with like.
std::string crossed(std::string_view low_flag, const std::optional<MemorySize>& low, std::string_view high_flag,
                    const std::optional<MemorySize>& high) {
  if (!low || !high || low->binary != high->binary) return {};
  return crossed(low_flag, low->value, high_flag, high->value, low->binary ? " GiB" : " GB");
}

}  // namespace

Result<std::vector<Rule>> limit_rules(const Constraints& constraints, const catalog::Catalog& catalog,
                                      Defaults defaults) {
  return LimitReader(constraints, catalog, defaults).make();
}

Result<std::vector<std::string>> regions_called(std::string_view name, const catalog::Catalog& catalog) {
  const auto by_id = catalog.region(name);
  std::vector<std::string> ids;
  // Two providers may write one id in different letters, and whoever types it means both.
  for (const catalog::Region& region : catalog.regions())
    if (fold_name(region.id) == fold_name(name) && std::find(ids.begin(), ids.end(), region.id) == ids.end())
      ids.emplace_back(region.id);
  if (!ids.empty()) return ids;
  // A place of two words is a part of the folded name between dashes.
  const std::string part = "-" + fold_name(name) + "-";
  for (const catalog::Region& region : catalog.regions()) {
    std::string place = "-" + fold_name(region.name) + "-";
    std::replace_if(
        place.begin(), place.end(), [](char c) { return std::string_view("(),.").find(c) != std::string_view::npos; },
        '-');
    if (part.size() > 4 && place.find(part) != std::string::npos) ids.emplace_back(region.id);
  }
  if (ids.empty()) return std::unexpected(by_id.error());
  return ids;
}

std::string contradiction(const Constraints& c, const catalog::Catalog& catalog) {
  for (const std::string& found :
       {crossed("--min-vram", c.min_vram, "--max-vram", c.max_vram),
        crossed("--min-total-vram", c.min_total_vram, "--max-total-vram", c.max_total_vram),
        crossed("--min-vram", c.min_vram, "--max-total-vram", c.max_total_vram),
        crossed("--gpus-min", c.gpus_per_instance.low, "--gpus-max", c.gpus_per_instance.high)})
    if (!found.empty()) return found;
  if (c.nodes && c.max_nodes && *c.nodes > *c.max_nodes)
    return say("--nodes {} and --max-nodes {} exclude each other", *c.nodes, *c.max_nodes);
  if (c.nvlink && *c.nvlink && c.gpus_per_instance.high && *c.gpus_per_instance.high < 2)
    return say("--nvlink needs two GPUs, and --gpus-max allows {}", human_number(*c.gpus_per_instance.high));
  if (c.clouds.empty() || c.regions.empty()) return {};
  for (const std::string& region : c.regions)
    for (const std::string& cloud : c.clouds) {
      const auto provider = catalog.provider(cloud);
      const auto ids = regions_called(region, catalog);
      for (const catalog::Region& known : catalog.regions())
        if (provider && ids && known.provider == (*provider)->id &&
            std::find(ids->begin(), ids->end(), known.id) != ids->end())
          return {};
    }
  return say("--cloud {} has no --region {}", c.clouds.front(), c.regions.front());
}

}  // namespace gpusel::advise
