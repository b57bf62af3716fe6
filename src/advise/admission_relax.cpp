#include "advise/admission_relax.hpp"

#include <algorithm>
#include <cmath>

#include "gpusel/base/message.hpp"
#include "gpusel/base/number.hpp"

namespace gpusel::advise {

namespace {

using rules::Fact;
using workload::Constraints;

constexpr std::int64_t kMostRelaxedNodes = 1024;
constexpr double kForever = 1e9;  // hours

/// Four digits of a positive number, the last one rounded so that it still passes a comparison: `towards` is 1 for
/// upwards, -1 for downwards.
std::string rounded(double value, int towards) {
  if (value <= 0) return format("{:g}", value);
  const double unit = std::pow(10, std::floor(std::log10(value)) - 3);
  const double steps = std::round(value / unit);
  for (const int more : {0, 1}) {
    std::string text = format("{:.6g}", (steps + towards * more) * unit);
    if ((plain_number(text).value_or(value) - value) * towards >= 0) return text;
  }
  return format("{:.6g}", (steps + 2 * towards) * unit);
}
std::string at_least(double value) { return rounded(value, -1); }

Change set(std::string flag, std::string value) { return {std::move(flag), std::move(value), false, {}}; }
Change without(std::string flag) { return set(std::move(flag), {}); }

std::optional<double> number(const Lifted& l, Fact fact) {
  return l.facts.known(fact) ? std::optional(l.facts.number(fact)) : std::nullopt;
}
Change least(const Lifted& l, std::string flag, Fact fact, std::string_view unit = "") {
  const auto value = number(l, fact);
  return value ? set(std::move(flag), at_least(*value) + std::string(unit)) : without(std::move(flag));
}
Change most(const Lifted& l, std::string flag, Fact fact, std::string_view unit = "") {
  const auto value = number(l, fact);
  return value ? set(std::move(flag), at_most(*value) + std::string(unit)) : without(std::move(flag));
}
/// One more of a list; in place of the default where nothing was given.
Change one_more(std::string flag, std::string_view value, const std::vector<std::string>& given) {
  return {std::move(flag), std::string(value), !given.empty() && !value.empty(), {}};
}

/// GB as marketed, GiB as usable.
Change memory(const Lifted& l, const char* flag, const std::optional<MemorySize>& asked, bool low) {
  const bool binary = asked && asked->binary;
  const Fact fact = binary ? Fact::gpu_memory_usable_gib : Fact::gpu_memory_gb;
  const std::string_view unit = binary ? "GiB" : "GB";
  return low ? least(l, flag, fact, unit) : most(l, flag, fact, unit);
}
/// Which end of a range is in the way.
Change range(const Lifted& l, const char* low_flag, const Bounds& asked, Fact fact) {
  const auto value = number(l, fact);
  if (!value) return without(low_flag);
  if (asked.low && *value < *asked.low)
    return set(low_flag, asked.high ? format("{}..{:g}", at_least(*value), *asked.high) : at_least(*value));
  return set(low_flag, format("{}..{}", asked.low ? format("{:g}", *asked.low) : "", at_most(*value)));
}

/// A text as it stands in a regular expression.
std::string quoted(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!plain) out += '\\';
    out += c;
  }
  return out;
}

Change gpu_needed(const Lifted& l) {
  if (l.as.gpu == nullptr) return without("--gpu");
  const bool counted =
      std::ranges::any_of(l.asked.constraints.gpus, [](const auto& spec) { return spec.count.low || spec.count.high; });
  const auto count = number(l, Fact::gpu_count);
  const bool whole = count && *count >= 1 && *count == std::floor(*count);
  return {"--gpu", counted && whole ? format("{}:{:g}", l.as.gpu->id, *count) : std::string(l.as.gpu->id), true, {}};
}
Change formats_left(const Lifted& l) {
  std::string left;
  for (const std::string& name : l.asked.constraints.formats) {
    const Fact fact = name == "fp8" ? Fact::has_fp8 : name == "bf16" ? Fact::has_bf16 : Fact::has_fp16;
    if (number(l, fact) == 1.0) left += (left.empty() ? "" : ",") + name;
  }
  return set("--formats", left);
}
Change gpus_needed(const Lifted& l) {
  const auto count = number(l, Fact::gpu_count);
  const Bounds& asked = l.asked.constraints.gpus_per_instance;
  const bool few = count && asked.low && *count < *asked.low;
  return few || !asked.high ? least(l, "--gpus-min", Fact::gpu_count) : most(l, "--gpus-max", Fact::gpu_count);
}

#define GPUSEL_PART(member) [](Question& to, const Question& from) { to.member = from.member; }
#define GPUSEL_LIMIT(member) GPUSEL_PART(constraints.member)
#define GPUSEL_ASKED(member) [](const Question& asked) { return asked.member; }
#define GPUSEL_NEED(...) []([[maybe_unused]] const Lifted& l) -> Change { return __VA_ARGS__; }

constexpr Relaxation kLimits[] = {
    {"cloud", GPUSEL_LIMIT(clouds),
     GPUSEL_NEED(one_more("--cloud", l.as.instance->provider, l.asked.constraints.clouds))},
    {"region", GPUSEL_LIMIT(regions), GPUSEL_NEED(one_more("--region", l.as.region->id, l.asked.constraints.regions))},
    {"residency", GPUSEL_LIMIT(residency),
     GPUSEL_NEED(one_more("--residency", l.as.region->country, l.asked.constraints.residency))},
    {"family", GPUSEL_LIMIT(families),
     GPUSEL_NEED(one_more("--family", l.as.instance->family, l.asked.constraints.families))},
    {"allow-list", GPUSEL_LIMIT(allow_list),
     GPUSEL_NEED(
         set("--allow-list", format("(?:{})|^{}$", l.asked.constraints.allow_list, quoted(l.as.instance->sku))))},
    {"deny-list", GPUSEL_LIMIT(deny_list), GPUSEL_NEED(without("--deny-list"))},
    {"gpu", GPUSEL_LIMIT(gpus), gpu_needed},
    {"vendor", GPUSEL_LIMIT(vendors),
     GPUSEL_NEED(l.as.gpu == nullptr ? without("--vendor")
                                     : one_more("--vendor", l.as.gpu->vendor, l.asked.constraints.vendors))},
    {"gpus-min", GPUSEL_LIMIT(gpus_per_instance), gpus_needed},
    {"gpus-max", GPUSEL_LIMIT(gpus_per_instance), gpus_needed},
    {"min-vram", GPUSEL_LIMIT(min_vram), GPUSEL_NEED(memory(l, "--min-vram", l.asked.constraints.min_vram, true))},
    {"max-vram", GPUSEL_LIMIT(max_vram), GPUSEL_NEED(memory(l, "--max-vram", l.asked.constraints.max_vram, false))},
    {"min-total-vram", GPUSEL_LIMIT(min_total_vram),
     GPUSEL_NEED(least(l, "--min-total-vram", Fact::total_gpu_memory_gb, "GB"))},
    {"max-total-vram", GPUSEL_LIMIT(max_total_vram),
     GPUSEL_NEED(most(l, "--max-total-vram", Fact::total_gpu_memory_gb, "GB"))},
    {"min-bandwidth", GPUSEL_LIMIT(min_bandwidth_gbs),
     GPUSEL_NEED(least(l, "--min-bandwidth", Fact::gpu_bandwidth_gbs))},
    {"min-capability", GPUSEL_LIMIT(min_capability),
     GPUSEL_NEED(least(l, "--min-capability", Fact::compute_capability))},
    {"nvlink", GPUSEL_LIMIT(nvlink), GPUSEL_NEED(without("--nvlink"))},
    {"interconnect", GPUSEL_LIMIT(interconnect), GPUSEL_NEED(without("--interconnect"))},
    {"formats", GPUSEL_LIMIT(formats), formats_left, true},
    {"vcpus-min", GPUSEL_LIMIT(vcpus), GPUSEL_NEED(range(l, "--vcpus-min", l.asked.constraints.vcpus, Fact::vcpu))},
    {"memory-min", GPUSEL_LIMIT(host_memory_gib),
     GPUSEL_NEED(range(l, "--memory-min", l.asked.constraints.host_memory_gib, Fact::host_memory_gib))},
    {"min-network", GPUSEL_LIMIT(min_network_gbps), GPUSEL_NEED(least(l, "--min-network", Fact::network_gbps))},
    {"rdma", GPUSEL_LIMIT(rdma), GPUSEL_NEED(without("--rdma"))},
    {"term", GPUSEL_LIMIT(terms),
     GPUSEL_NEED(one_more("--term", to_text(l.as.offer->term), l.asked.constraints.terms))},
    {"max-price", GPUSEL_LIMIT(max_price), GPUSEL_NEED(set("--max-price", at_most(l.as.cost.hourly))), false,
     GPUSEL_ASKED(constraints.max_price)},
    {"budget", GPUSEL_LIMIT(budget), GPUSEL_NEED(set("--budget", at_most(l.as.cost.total))), false,
     GPUSEL_ASKED(constraints.budget)},
    {"deadline", GPUSEL_LIMIT(deadline_hours), GPUSEL_NEED(set("--deadline", at_most(l.as.cost.hours) + "h")), false,
     GPUSEL_ASKED(constraints.deadline_hours)},
    {"max-price-age", GPUSEL_LIMIT(max_price_age_days),
     GPUSEL_NEED(most(l, "--max-price-age", Fact::price_age_days, "d"))},
};

constexpr std::string_view kGpuLimits[] = {"gpu",    "gpus-min", "min-vram",       "min-total-vram", "min-bandwidth",
                                           "nvlink", "formats",  "min-capability", "interconnect",   "vendor"};

const estimate::InferenceSpeed* served(const Lifted& l) {
  const auto* inference = std::get_if<plan::InferenceChoice>(&l.as.choice());
  return inference != nullptr && inference->speed ? &*inference->speed : nullptr;
}
Change latency(const Lifted& l, const char* flag, Seconds estimate::InferenceSpeed::* usual,
               Seconds estimate::InferenceSpeed::Percentiles::* strict) {
  const auto* speed = served(l);
  if (speed == nullptr) return without(flag);
  const bool percentile = l.asked.request.strict_slo.value_or(false) && speed->percentiles;
  return set(flag, at_most(in_ms(percentile ? (*speed->percentiles).*strict : speed->*usual)));
}
Change nodes_needed(const Lifted& l) {
  return set(l.asked.constraints.nodes ? "--nodes" : "--max-nodes", format("{}", l.as.machine().nodes));
}

constexpr Relaxation kOfPlans[] = {
    {"ttft", GPUSEL_PART(request.ttft_ms),
     GPUSEL_NEED(
         latency(l, "--ttft", &estimate::InferenceSpeed::ttft, &estimate::InferenceSpeed::Percentiles::ttft_p95)),
     false, GPUSEL_ASKED(request.ttft_ms)},
    {"tpot", GPUSEL_PART(request.tpot_ms),
     GPUSEL_NEED(latency(l, "--tpot", &estimate::InferenceSpeed::itl, &estimate::InferenceSpeed::Percentiles::itl_p95)),
     false, GPUSEL_ASKED(request.tpot_ms)},
    {"latency-ms", GPUSEL_PART(request.latency_ms), GPUSEL_NEED(most(l, "--latency-ms", Fact::latency_ms)), false,
     GPUSEL_ASKED(request.latency_ms)},
    {"max-nodes",
     [](Question& to, const Question& from) {
       to.constraints.max_nodes = from.constraints.max_nodes;
       to.constraints.nodes = from.constraints.nodes;
     },
     nodes_needed},
};

#define GPUSEL_PIN(key, member) {key, GPUSEL_PART(request.member), GPUSEL_NEED(without({}))}

constexpr Relaxation kPins[] = {
    GPUSEL_PIN("tp", tp),
    GPUSEL_PIN("pp", pp),
    GPUSEL_PIN("cp", cp),
    GPUSEL_PIN("ep", ep),
    GPUSEL_PIN("dp", dp),
    GPUSEL_PIN("sharding", sharding),
    GPUSEL_PIN("micro_batch", micro_batch),
    GPUSEL_PIN("global_batch", global_batch),
    GPUSEL_PIN("grad_accum", grad_accum),
    GPUSEL_PIN("activation_checkpointing", activation_checkpointing),
    GPUSEL_PIN("flash_attention", flash_attention),
    GPUSEL_PIN("virtual_pipeline", virtual_pipeline),
    GPUSEL_PIN("offload", offload),
    GPUSEL_PIN("batch", batch),
    GPUSEL_PIN("mem_utilization", mem_utilization),
    GPUSEL_PIN("kv_precision", kv_precision),
    GPUSEL_PIN("weights_precision", weights_precision),
    GPUSEL_PIN("allow_precisions", allow_precisions),
    GPUSEL_PIN("precision", precision),
    GPUSEL_PIN("recipe", recipe),
    GPUSEL_PIN("optimizer", optimizer),
    GPUSEL_PIN("engine", engine),
    GPUSEL_PIN("framework", framework),
    GPUSEL_PIN("redundancy", redundancy),
};

#undef GPUSEL_PIN
#undef GPUSEL_NEED
#undef GPUSEL_ASKED
#undef GPUSEL_LIMIT
#undef GPUSEL_PART

template <class Target>
bool set_option(std::span<const workload::Option<Target>> options, Target& target, std::string_view flag,
                std::string_view value) {
  const auto* option = workload::find_option(options, flag.substr(flag.find_first_not_of('-')));
  return option != nullptr && option->set(target, value).has_value();
}

}  // namespace

std::string at_most(double value) { return rounded(value, 1); }

std::optional<Yielded> yielded_by(const Relaxation& limit, Change& change, const Question& asked) {
  if (limit.asked == nullptr) return std::nullopt;
  const auto given = limit.asked(asked);
  const std::size_t digits = std::min(change.value.find_first_not_of("0123456789.e+"), change.value.size());
  const auto value = plain_number(change.value.substr(0, digits));
  if (!given || !value || *value <= *given) return std::nullopt;
  return Yielded{&change, *given, *value, change.value.substr(digits)};
}

void halve(std::span<Yielded> yielded, const std::function<bool()>& passes) {
  constexpr double kFine = 1e-3;  // of what was given way to
  const auto passes_at = [&](double share) {
    for (const Yielded& one : yielded) one.set(share);
    return passes();
  };
  double low = 0;
  double high = passes_at(0) ? 0 : 1;
  while (high - low > kFine) {
    const double middle = (low + high) / 2;
    (passes_at(middle) ? high : low) = middle;
  }
  for (Yielded& one : yielded) {
    one.set(high);
    one.enough = one.asked + (one.enough - one.asked) * high;
  }
}

std::span<const Relaxation> limit_relaxations() { return kLimits; }
std::span<const std::string_view> gpu_limits() { return kGpuLimits; }
std::span<const Relaxation> plan_relaxations() { return kOfPlans; }
std::span<const Relaxation> pins() { return kPins; }

const Relaxation* find_relaxation(std::string_view rule) {
  const auto* found = std::ranges::find(kLimits, rule, &Relaxation::rule);
  return found == std::end(kLimits) ? nullptr : found;
}

const Question& unbounded() {
  static const Question open = [] {
    Question question;
    question.constraints.terms = {"any"};
    question.constraints.max_nodes = kMostRelaxedNodes;
    question.constraints.deadline_hours = kForever;  // without any, pretraining has one of its own
    set_flag(question, set("--vendor", "any"));
    return question;
  }();
  return open;
}

bool set_flag(Question& question, const Change& change) {
  if (set_option(workload::constraint_options(), question.constraints, change.flag, change.value)) return true;
  return set_option(workload::request_options(), question.request, change.flag, change.value);
}

}  // namespace gpusel::advise
