#include "job/limits/limit_judges.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "catalog/records/mig.hpp"
#include "job/limits/families.hpp"
#include "rules/pattern.hpp"

namespace gpusel::job {

namespace {

using rules::Condition;
using rules::Fact;
using rules::Operator;

Result<std::vector<std::string>> families_of(std::string_view name, const catalog::Catalog& catalog) {
  const auto called = family_called(name, catalog);
  if (!called) return std::unexpected(called.error());
  std::vector<std::string> ids;
  for (const FamilyName::Family& family : called->families) ids.push_back(family.id);
  return ids;
}

Status unknown_gpu(const Judging& judging, const GpuSpec& spec) {
  const auto gpus = judging.catalog.gpus();
  std::vector<std::string_view> ids;
  for (const catalog::Gpu& gpu : gpus) {
    ids.push_back(gpu.id);
    for (const std::string_view alias : gpu.aliases) ids.push_back(alias);
  }
  const std::string name = spec.names.empty() ? spec.text : spec.names.front();
  GpuSpec of_anybody = spec;
  of_anybody.vendor.clear();
  const auto other = std::ranges::find_if(gpus, [&](const catalog::Gpu& gpu) { return of_anybody.names_gpu(gpu); });
  if (!spec.vendor.empty() && other != gpus.end())
    return usage_error(say("'{}' is made by {}, not by {}", shorten(name, 40), other->vendor, spec.vendor),
                       judging.limit.flag(), say("write {}:{}, or the name alone", other->vendor, shorten(name, 40)));
  const Hint slice = catalog::mig_spelling(spec.text);
  const Hint near = slice.empty() ? did_you_mean(name, ids) : slice;
  return usage_error(say("unknown GPU '{}'", shorten(name, 40)), judging.limit.flag(),
                     near.or_else(say("all GPUs: gpusel gpus")));
}

/// Outside a specification; what is not known is outside too.
Condition outside(const GpuSpec& spec, std::vector<std::string> ids) {
  std::vector<Condition> parts;
  parts.push_back(compare(Fact::gpu, Operator::not_in, std::move(ids)));
  for (const auto& [fact, bounds] :
       {std::pair(Fact::gpu_memory_gb, spec.memory_gb), std::pair(Fact::gpu_count, spec.count)}) {
    if (bounds.low) parts.push_back(compare(fact, Operator::below, *bounds.low));
    if (bounds.high) parts.push_back(compare(fact, Operator::above, *bounds.high));
  }
  return rules::any_of(std::move(parts));
}

/// Does not match, or is not known.
Condition unlike(Fact fact, const std::string& pattern) {
  return rules::any_of({compare(fact, Operator::known, 0.0), negate(*rules::match(fact, pattern))});
}

Fact format_fact(std::string_view format) {
  return format == "fp8" ? Fact::has_fp8 : format == "bf16" ? Fact::has_bf16 : Fact::has_fp16;
}

/// SKUs that a pattern matches: by themselves, or as "provider/sku" where it has a slash or no SKU is like it.
Result<Condition> named_like(const std::string& pattern, const catalog::Catalog& catalog) {
  const auto compiled = rules::Pattern::compiled(pattern);
  if (!compiled) return std::unexpected(compiled.error());
  const auto any_sku = [&] {
    return std::ranges::any_of(catalog.instances(), [&](const auto& one) { return (*compiled)->is_in(one.sku); });
  };
  if (pattern.find('/') == std::string::npos && any_sku()) return rules::match(Fact::sku, pattern);
  std::map<std::string, std::vector<std::string>> skus;
  for (const catalog::Instance& one : catalog.instances())
    // One of several alternatives may be a SKU by itself.
    if ((*compiled)->is_in(format("{}/{}", one.provider, one.sku)) || (*compiled)->is_in(one.sku))
      skus[std::string(one.provider)].emplace_back(one.sku);
  if (skus.empty()) return rules::match(Fact::sku, pattern);
  std::vector<Condition> parts;
  for (auto& [provider, own] : skus)
    parts.push_back(rules::all_of({compare(Fact::provider, Operator::is, std::vector{provider}, false),
                                   compare(Fact::sku, Operator::in, std::move(own), false)}));
  return rules::any_of(std::move(parts));
}

}  // namespace

Result<std::vector<std::string>> provider_called(std::string_view name, const catalog::Catalog& catalog) {
  const auto provider = catalog.provider(name);
  if (!provider) return std::unexpected(provider.error());
  return std::vector{std::string((*provider)->id)};
}

Status judge_family(const Judging& judging) { return one_of(judging, judging.asked.families, families_of); }

Status judge_allow_list(const Judging& judging) {
  auto allowed = named_like(judging.asked.allow_list, judging.catalog);
  if (!allowed) return of_flag(allowed.error(), judging);
  reject(judging, negate(std::move(*allowed)), say("{{sku}} is not on the allow list"));
  return {};
}

Status judge_deny_list(const Judging& judging) {
  auto denied = named_like(judging.asked.deny_list, judging.catalog);
  if (!denied) return of_flag(denied.error(), judging);
  reject(judging, std::move(*denied), say("{{sku}} is on the deny list"));
  return {};
}

/// One specification gives a reason per limit; of several, any one must be met whole.
Status judge_gpu(const Judging& judging) {
  const auto& specs = judging.asked.gpus;
  std::vector<Condition> all;
  std::string texts;
  for (const GpuSpec& spec : specs) {
    if (spec.none) {
      reject(judging, compare(Fact::is_cpu, Operator::is, 0.0, false), say("{{gpu}}, but no GPU was requested"));
      return {};
    }
    std::vector<std::string> ids;
    for (const catalog::Gpu& gpu : judging.catalog.gpus())
      if (spec.names_gpu(gpu)) ids.emplace_back(gpu.id);
    if (ids.empty()) return unknown_gpu(judging, spec);
    texts += (texts.empty() ? "" : say(" or ")) + spec.text;
    if (specs.size() > 1) {
      all.push_back(outside(spec, std::move(ids)));
      continue;
    }
    reject(judging, compare(Fact::gpu, Operator::not_in, std::move(ids)), say("GPU {{gpu}}, requested {}", spec.text));
    (void)in_bounds(judging, Fact::gpu_memory_gb, spec.memory_gb, to_say("GPU memory"));
    (void)in_bounds(judging, Fact::gpu_count, spec.count, to_say("GPUs"));
  }
  if (!all.empty()) reject(judging, rules::all_of(std::move(all)), say("{{gpu_count}} × {{gpu}}, requested {}", texts));
  return {};
}

/// The default is of GPUs: an instance without one has no maker to object to.
Status judge_vendor(const Judging& judging) {
  if (Status judged = one_of(judging, judging.asked.vendors); !judged) return judged;
  if (judging.limit.is_given(judging.asked)) return {};
  Condition& foreign = judging.rules.back().when;
  foreign = rules::all_of({compare(Fact::is_cpu, Operator::is_not, 1.0), std::move(foreign)});
  return {};
}

Status judge_nvlink(const Judging& judging) {
  const bool wanted = *judging.asked.nvlink;
  reject(judging, compare(Fact::has_nvlink, Operator::is_not, wanted ? 1.0 : 0.0),
         wanted ? say("no NVLink between all GPUs ({{gpu_link}})") : say("has NVLink"));
  return {};
}

Status judge_interconnect(const Judging& judging) {
  static constexpr std::string_view kKinds[] = {"pcie", "nvlink", "nvswitch", "xgmi", "sxm", "nvl", "oam"};
  const std::string kind = lower(judging.asked.interconnect);
  if (std::ranges::find(kKinds, kind) == std::end(kKinds)) return of_flag(not_one_of(kind, kKinds).error(), judging);
  std::string message = say("interconnect {{gpu_link}}, {{form_factor}}; requested {}", kind);
  if (kind == "nvlink")
    reject(judging, compare(Fact::has_nvlink, Operator::is_not, 1.0), std::move(message));
  else if (kind == "sxm" || kind == "oam" || kind == "nvl")
    reject(judging, unlike(kind == "nvl" ? Fact::gpu : Fact::form_factor, "(?i)" + kind), std::move(message));
  else
    reject(judging, compare(Fact::gpu_link, Operator::is_not, std::vector{kind}), std::move(message));
  return {};
}

Status judge_formats(const Judging& judging) {
  for (const std::string& format : judging.asked.formats)
    reject(judging, compare(format_fact(format), Operator::is_not, 1.0), say("no {} in hardware", format));
  return {};
}

Status judge_rdma(const Judging& judging) {
  reject(judging, compare(Fact::has_rdma, Operator::is_not, *judging.asked.rdma ? 1.0 : 0.0),
         say("RDMA fabric: {{has_rdma}}"));
  return {};
}

Status judge_term(const Judging& judging) {
  const auto& terms = judging.asked.terms;
  if (std::ranges::find(terms, "any") != terms.end()) return {};
  reject(judging, compare(Fact::term, Operator::not_in, terms),
         say("no price on record as {}", join_texts(terms, say_name(", "))));
  return {};
}

/// A service never ends: what has no time is in time.
Status judge_deadline(const Judging& judging) {
  reject(judging, compare(Fact::elapsed_hours, Operator::above, *judging.asked.deadline_hours, false),
         say("takes {{elapsed_hours}} h, {} h allowed", human_number(*judging.asked.deadline_hours)));
  return {};
}

/// With --strict older prices stay, and the answer fails by them.
Status judge_price_age(const Judging& judging) {
  if (judging.asked.strict.value_or(false)) return {};
  return in_bounds(judging, {std::nullopt, judging.asked.max_price_age_days});
}

Needed relax_gpu(const Passing& passing) {
  if (!passing.facts.known(Fact::gpu)) return without(passing);
  const bool counted = std::ranges::any_of(passing.asked.gpus, [](const GpuSpec& spec) { return is_set(spec.count); });
  const auto count = known_number(passing.facts, Fact::gpu_count);
  const bool whole = count && *count >= 1 && *count == std::floor(*count);
  const std::string_view id = passing.facts.text(Fact::gpu);
  return {passing.limit.flag(), counted && whole ? format("{}:{:g}", id, *count) : std::string(id), true};
}

Needed relax_formats(const Passing& passing) {
  std::string left;
  for (const std::string& name : passing.asked.formats)
    if (known_number(passing.facts, format_fact(name)) == 1.0) left += (left.empty() ? "" : ",") + name;
  return needs(passing, left);
}

Needed relax_nodes(const Passing& passing) {
  return {passing.asked.nodes ? "--nodes" : passing.limit.flag(), format("{:.0f}", passing.facts.number(Fact::nodes))};
}

bool names_maker(const Constraints& limits) {
  return !limits.allow_list.empty() || std::ranges::any_of(limits.gpus, [](const GpuSpec& spec) {
    return !spec.vendor.empty() || !spec.names.empty();
  });
}

std::string nodes_of_gpus(const Constraints& limits, const catalog::Catalog&) {
  for (const GpuSpec& spec : limits.gpus)
    if (spec.nodes && limits.nodes && *spec.nodes != *limits.nodes)
      return exclude_each_other(format("--gpu {}", printable(spec.text)), find_limit("nodes")->typed(limits));
  return {};
}

std::string nvlink_of_one(const Constraints& limits, const catalog::Catalog&) {
  const auto& most = limits.gpus_per_instance.high;
  if (!limits.nvlink.value_or(false) || !most || *most >= 2) return {};
  return say("--nvlink needs two GPUs, and --gpus-max allows {}", human_number(*most));
}

}  // namespace gpusel::job
