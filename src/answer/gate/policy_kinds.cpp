#include "answer/gate/policy_kinds.hpp"

#include <algorithm>
#include <tuple>

#include "answer/gate/policy_names.hpp"
#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "job/limits/limits.hpp"
#include "rules/rule_set.hpp"

namespace gpusel::answer {

namespace {

using rules::Condition;
using rules::Fact;
using rules::Operator;

/// Of CPU-only instances nothing is asked that only a GPU has; of jobs without a model, no licence.
Condition where_it_applies(Fact fact, Condition violated) {
  if (fact == Fact::gpu) return rules::all_of({rules::compare(Fact::is_cpu, Operator::is_not, 1.0, false), violated});
  if (fact == Fact::model_licence)
    return rules::all_of({rules::compare(Fact::model, Operator::known, 1.0, false), violated});
  return violated;
}

/// The values that names of a list stand for; a name that means several is told.
std::vector<std::string> values_in(Fields& fields, std::string_view key, PolicySource& source,
                                   Names (*values_of)(std::string_view, const catalog::Catalog&)) {
  std::vector<std::string> values;
  const Node* node = fields.find(key);
  const std::vector<std::string> names = fields.texts(key);
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto meant = values_of(names[i], source.catalog);
    if (!meant) {
      fields.fail(node->is_list() ? node->children[i] : *node, meant.error().message, meant.error().hint);
      continue;
    }
    const bool is_broad = meant->size() > 1 && (values_of == gpu_ids || values_of == region_ids);
    if (is_broad) source.meant.push_back(say("'{}' means any of {}", printable(names[i]), first_few(*meant)));
    values.insert(values.end(), meant->begin(), meant->end());
  }
  return values;
}

/// A marketplace is not only a kind of provider: parts of others are one.
PolicyJudge judge_hosts(Condition by_kind, PolicyJudge judge_kind) {
  const Condition hosts = rules::compare(Fact::third_party_hosts, Operator::is, 1.0, false);
  auto judge = judge_by(rules::any_of({by_kind, hosts}), [judge_kind](const PolicySubject& subject) {
    PolicyVerdict kind = judge_kind(subject);
    return kind.outcome == PolicyOutcome::fail
               ? std::move(kind.message)
               : filled_in(say("{{sku}} of {{provider}} runs on third-party hosts, as on a marketplace"),
                           subject.facts);
  });
  return judge;
}

/// A price that holds in several regions or countries may be that of a region that is denied.
PolicyJudge judge_place(PolicyJudge judge) {
  return [judge = std::move(judge)](const PolicySubject& subject) -> PolicyVerdict {
    PolicyVerdict verdict = judge(subject);
    if (verdict.outcome != PolicyOutcome::pass || subject.facts.known(Fact::country)) return verdict;
    return {PolicyOutcome::unknown,
            filled_in(say("cannot be judged: region {{region}} covers several places"), subject.facts),
            {},
            rules::substituted(rules::compare(Fact::region, Operator::known, 1.0, false), subject.facts)};
  };
}

PolicyJudge read_names(const PolicyKind& kind, PolicySource& source) {
  std::vector<std::string> values = values_in(source.fields, kind.key, source, kind.values_of);
  const Node& node = *source.fields.find(kind.key);
  if (values.empty() && source.fields.texts(kind.key).empty())
    source.fields.fail(node, say("'{}' matches nothing", kind.key));
  const bool lets_marketplaces =
      kind.allows == (std::ranges::find(values, to_text(catalog::ProviderKind::marketplace)) != values.end());
  Condition violated =
      rules::compare(kind.fact, kind.allows ? Operator::not_in : Operator::in, std::move(values), false);
  PolicyJudge judge = judge_by(where_it_applies(kind.fact, violated), [&kind](const PolicySubject& subject) {
    return filled_in(say_text(kind.message), subject.facts);
  });
  if (kind.fact == Fact::provider_kind && !lets_marketplaces) return judge_hosts(violated, std::move(judge));
  if (kind.fact == Fact::region && !kind.allows) return judge_place(std::move(judge));
  return judge;
}

/// GPUs that may not be rented in a country, or from companies of one.
struct Embargo {
  Condition violated;
  std::string_view message;
  std::string source;
};

void read_embargo(const Node& node, PolicySource& outer, std::vector<Embargo>& embargoes) {
  Fields fields(node, outer.fields.problems());
  fields.require("gpus");
  const auto gpus = values_in(fields, "gpus", outer, gpu_ids);
  const std::string source = fields.text("source");
  bool says_where = false;
  for (const auto& [key, fact, message] :
       {std::tuple("countries", Fact::country, to_say("{gpu} is export-controlled in {country}, where the machine is")),
        std::tuple("provider_countries", Fact::provider_country,
                   to_say("{gpu} is export-controlled for providers from {provider_country}"))}) {
    auto countries = values_in(fields, key, outer, countries_in);
    says_where = says_where || fields.has(key);
    if (countries.empty()) continue;
    Condition both = rules::all_of({rules::compare(Fact::gpu, Operator::in, gpus, false),
                                    rules::compare(fact, Operator::in, std::move(countries), false)});
    embargoes.push_back({where_it_applies(Fact::gpu, std::move(both)), message, source});
  }
  if (node.is_map() && !says_where) fields.fail(node, say("an entry needs 'countries' or 'provider_countries'"));
  for (const std::string_view key : {"gpus", "countries", "provider_countries"})
    if (const Node* list = fields.find(key); list != nullptr && fields.texts(key).empty())
      fields.fail(*list, say("'{}' matches nothing", key));
  fields.finish();
}

PolicyJudge read_export_control(const PolicyKind& kind, PolicySource& source) {
  const Node& list = *source.fields.find(kind.key);
  if (!list.is_list() || list.children.empty()) {
    source.fields.fail(list, say("'{}' must be a list of entries with 'gpus' and 'countries'", kind.key));
    return {};
  }
  std::vector<Embargo> embargoes;
  for (const Node& node : list.children) read_embargo(node, source, embargoes);
  return [embargoes = std::move(embargoes)](const PolicySubject& subject) {
    PolicyVerdict worst;
    for (const Embargo& embargo : embargoes) {
      PolicyVerdict verdict = judge_by(embargo.violated, [&](const PolicySubject& one) {
        const std::string what = filled_in(say_text(embargo.message), one.facts);
        return embargo.source.empty() ? what : say("{}; source: {}", what, embargo.source);
      })(subject);
      if (verdict.outcome == PolicyOutcome::fail) return verdict;
      if (verdict.outcome == PolicyOutcome::unknown) worst = std::move(verdict);
    }
    return worst;
  };
}

constexpr PolicyKind names(std::string_view key, Fact fact, bool allows,
                           Names (*values_of)(std::string_view, const catalog::Catalog&), std::string_view message) {
  return {key, read_names, fact, allows, values_of, message};
}

constexpr PolicyKind kKinds[] = {
    {"max_cost_per_hour", read_hourly},
    {"max_cost_per_month", read_monthly},
    {"max_job_cost", read_job_cost},
    names("allowed_providers", Fact::provider, true, job::provider_called,
          to_say("provider {provider} is not among the allowed providers")),
    names("denied_providers", Fact::provider, false, job::provider_called, to_say("provider {provider} is denied")),
    names("allowed_provider_kinds", Fact::provider_kind, true, provider_kinds,
          to_say("provider {provider} is a {provider_kind}, not an allowed kind")),
    names("denied_provider_kinds", Fact::provider_kind, false, provider_kinds,
          to_say("provider {provider} is a {provider_kind}, a denied kind")),
    names("allowed_regions", Fact::region, true, region_ids,
          to_say("region {region} is not among the allowed regions")),
    names("denied_regions", Fact::region, false, region_ids, to_say("region {region} is denied")),
    names("allowed_countries", Fact::country, true, countries_in,
          to_say("region {region} is in {country}, which is not among the allowed countries")),
    names("denied_countries", Fact::country, false, countries_in,
          to_say("region {region} is in {country}, which is denied")),
    names("allowed_gpus", Fact::gpu, true, gpu_ids, to_say("GPU {gpu} is not among the allowed GPUs")),
    names("denied_gpus", Fact::gpu, false, gpu_ids, to_say("GPU {gpu} is denied")),
    names("allowed_terms", Fact::term, true, term_names, to_say("term {term} is not among the allowed terms")),
    names("denied_terms", Fact::term, false, term_names, to_say("term {term} is denied")),
    names("allowed_licences", Fact::model_licence, true, licence_names,
          to_say("the license of {model}, {model_licence}, is not among the allowed licenses")),
    names("denied_licences", Fact::model_licence, false, licence_names,
          to_say("the license of {model}, {model_licence}, is denied")),
    names("allowed_price_confidence", Fact::price_confidence, true, confidence_names,
          to_say("the price's source is of kind {price_confidence}, which is not allowed")),
    {"min_headroom", read_headroom},
    {"min_fit_probability", read_fit_probability},
    {"min_confidence", read_confidence},
    {"max_price_age", read_price_age},
    {"min_gpu_providers", read_gpu_providers},
    {"min_sku_regions", read_sku_regions},
    {"export_control", read_export_control},
};

}  // namespace

std::span<const PolicyKind> all_policy_kinds() { return kKinds; }

std::string filled_in(std::string_view message, const rules::Facts& facts) {
  rules::Rule rule;
  rule.message = message;
  return rules::verdict(rule, facts).message;
}

PolicyJudge judge_by(Condition violated, std::function<std::string(const PolicySubject&)> say_violated) {
  return [violated = std::move(violated),
          say_violated = std::move(say_violated)](const PolicySubject& subject) -> PolicyVerdict {
    const auto holds = rules::holds(violated, subject.facts);
    if (holds && !*holds) return {};
    PolicyVerdict verdict{
        PolicyOutcome::fail, {}, rules::condition_text(violated), rules::substituted(violated, subject.facts)};
    if (holds) {
      verdict.message = say_violated(subject);
      return verdict;
    }
    std::string missing;
    rules::facts_in(violated).for_each([&](rules::Fact fact) {
      if (!subject.facts.known(fact)) missing += (missing.empty() ? "" : ", ") + std::string(rules::info(fact).name);
    });
    verdict.outcome = PolicyOutcome::unknown;
    verdict.message = say("cannot be judged: {} is unknown", missing);
    return verdict;
  };
}

}  // namespace gpusel::answer
