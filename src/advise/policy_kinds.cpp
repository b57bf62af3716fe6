#include "advise/policy_kinds.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "advise/candidates.hpp"
#include "advise/policy_names.hpp"
#include "gpusel/base/message.hpp"
#include "gpusel/base/share.hpp"
#include "gpusel/base/text.hpp"
#include "gpusel/rules/holds.hpp"

namespace gpusel::advise {

namespace {

using rules::Condition;
using rules::Fact;
using rules::Operator;

/// "3", "1.5 days" … as an error of the node's own place.
template <class T>
std::optional<T> taken(Result<T> value, const Node& node, Fields& fields) {
  if (value) return std::move(*value);
  fields.problems().add(node, value.error(), node.key);
  return std::nullopt;
}

/// Of CPU-only instances nothing is asked that only a GPU has; of jobs without a model, no licence.
Condition where_it_applies(Fact fact, Condition violated) {
  if (fact == Fact::gpu) return rules::all_of({rules::compare(Fact::is_cpu, Operator::is_not, 1.0, false), violated});
  if (fact == Fact::model_licence)
    return rules::all_of({rules::compare(Fact::model, Operator::known, 1.0, false), violated});
  return violated;
}

PolicyJudge read_names(const PolicyKind& kind, Fields& fields, const catalog::Catalog& catalog) {
  const Node& node = *fields.find(kind.key);
  std::vector<std::string> values;
  const std::vector<std::string> names = fields.texts(kind.key);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Node& at = node.is_list() ? node.children[i] : node;
    auto meant = kind.values_of(names[i], catalog);
    if (meant)
      values.insert(values.end(), meant->begin(), meant->end());
    else
      fields.fail(at, meant.error().message, meant.error().hint);
  }
  if (names.empty()) fields.fail(node, say("'{}' names nothing", kind.key));
  Condition violated =
      rules::compare(kind.fact, kind.allows ? Operator::not_in : Operator::in, std::move(values), false);
  return judge_by(where_it_applies(kind.fact, std::move(violated)),
                  [&kind](const PolicySubject& subject) { return filled_in(say_text(kind.message), subject.facts); });
}

/// "40 USD".
std::optional<Money> money_in(const Node& node, Fields& fields, const catalog::Catalog& catalog) {
  const std::string_view text = trim(node.text);
  const auto letters = std::find_if(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  const auto split_at = static_cast<std::size_t>(letters - text.begin());
  const auto amount = plain_number(trim(text.substr(0, split_at)));
  const auto currency = Currency::parse(text.substr(split_at));
  if (!node.is_scalar() || !amount || !currency || *amount < 0) {
    fields.fail(node, say("'{}' must be an amount and a currency, found {}", node.key, node.describe()),
                say("write it like 40 USD"));
    return std::nullopt;
  }
  if (const auto rates = cost::Converter::into(*currency, catalog); !rates) {
    fields.fail(node, rates.error().message, rates.error().hint);
    return std::nullopt;
  }
  return Money{*amount, *currency};
}

/// What a limit is in the currency of an answer; nothing where no rate is known.
std::optional<double> converted(Money limit, Currency into, const catalog::Catalog& catalog) {
  const auto converter = cost::Converter::into(into, catalog);
  const auto* exchange = converter ? converter->exchange(limit.currency) : nullptr;
  return exchange != nullptr ? std::optional(limit.amount * exchange->rate) : std::nullopt;
}

std::string money_text(Money money) { return format("{} {}", human_price(money.amount), money.currency.code()); }

/// A limit on a fact about money.
struct MoneyLimit {
  Fact fact;
  double times;  // that the fact counts
  std::string (*message)(const std::string& found, const std::string& allowed);
};

constexpr MoneyLimit kHourly{Fact::price_per_hour, 1, [](const std::string& found, const std::string& allowed) {
                               return say("{} per hour, at most {} allowed", found, allowed);
                             }};
constexpr MoneyLimit kMonthly{
    Fact::price_per_hour, kHoursPerMonth, [](const std::string& found, const std::string& allowed) {
      return say("{} in a month of {} hours, at most {} allowed", found, kHoursPerMonth, allowed);
    }};
constexpr MoneyLimit kOfJob{Fact::cost, 1, [](const std::string& found, const std::string& allowed) {
                              return say("{} for the whole job, at most {} allowed", found, allowed);
                            }};

PolicyVerdict judge_money(const MoneyLimit& of, Money limit, const PolicySubject& subject,
                          const catalog::Catalog& catalog) {
  const auto most = converted(limit, subject.currency, catalog);
  if (!most) return {PolicyOutcome::unknown, say("no exchange rate from {}", limit.currency.code())};
  return judge_by(rules::compare(of.fact, Operator::above, *most / of.times, false), [&](const PolicySubject& one) {
    std::string allowed = money_text(limit);
    if (limit.currency != one.currency) allowed += format(" ({})", money_text({*most, one.currency}));
    return of.message(money_text({one.facts.number(of.fact) * of.times, one.currency}), allowed);
  })(subject);
}

template <const MoneyLimit& of>
PolicyJudge read_money(const PolicyKind& kind, Fields& fields, const catalog::Catalog& catalog) {
  const auto limit = money_in(*fields.find(kind.key), fields, catalog);
  if (!limit) return {};
  return [limit = *limit, &catalog](const PolicySubject& subject) { return judge_money(of, limit, subject, catalog); };
}

/// "4 GiB" per GPU, or a share of its usable memory.
PolicyJudge read_headroom(const PolicyKind& kind, Fields& fields, const catalog::Catalog&) {
  const Node& node = *fields.find(kind.key);
  if (trim(node.text).ends_with('%')) {
    const auto least = taken(parse_share(node.text), node, fields);
    if (!least) return {};
    return judge_by(rules::compare(Fact::memory_used_share, Operator::above, 1 - *least, false),
                    [least = *least](const PolicySubject& subject) {
                      const double free = 1 - subject.facts.number(Fact::memory_used_share);
                      return say("{:.3g} % of the usable memory stays free, at least {:.3g} % asked", free * 100,
                                 least * 100);
                    });
  }
  const auto least = taken(parse_memory(node.text, true), node, fields);
  if (!least) return {};
  return judge_by(rules::compare(Fact::memory_free_gib, Operator::below, in_gib(least->amount()), false),
                  [least = in_gib(least->amount())](const PolicySubject& subject) {
                    return say("{:.3g} GiB per GPU stay free, at least {:.3g} GiB asked",
                               subject.facts.number(Fact::memory_free_gib), least);
                  });
}

PolicyJudge read_price_age(const PolicyKind& kind, Fields& fields, const catalog::Catalog&) {
  constexpr double kSecondsPerDay = 86400;
  const Node& node = *fields.find(kind.key);
  const auto limit = taken(parse_duration(node.text, seconds(kSecondsPerDay)), node, fields);
  if (!limit) return {};
  const double days = limit->raw() / kSecondsPerDay;
  return judge_by(rules::compare(Fact::price_age_days, Operator::above, days, false),
                  [days](const PolicySubject& subject) {
                    return say("the price is {:.0f} days old, at most {:.4g} allowed",
                               subject.facts.number(Fact::price_age_days), days);
                  });
}

/// Whether somebody who wants the instance can rent it by this offer.
bool is_sold(const catalog::Offer& offer, const catalog::Catalog& catalog) {
  const catalog::Instance& instance = catalog.instances()[offer.instance];
  const catalog::OfferState* state = catalog.state_of(instance, offer);
  return for_sale(instance.status) && (state == nullptr || for_sale(state->state));
}

std::size_t providers_of(const catalog::Gpu& gpu, const catalog::Catalog& catalog) {
  std::set<std::string_view> providers;
  for (const catalog::Instance& instance : catalog.instances())
    if (catalog.gpu_of(instance) == &gpu)
      for (const catalog::Offer& offer : catalog.offers_of(instance))
        if (is_sold(offer, catalog)) providers.insert(instance.provider);
  return providers.size();
}

std::size_t regions_of(const catalog::Instance& instance, const catalog::Catalog& catalog) {
  std::set<std::string_view> regions;
  for (const catalog::Offer& offer : catalog.offers_of(instance))
    if (is_sold(offer, catalog)) regions.insert(catalog.region_of(offer).id);
  return regions.size();
}

std::optional<double> least_count(const PolicyKind& kind, Fields& fields) {
  const auto least = fields.number(kind.key, {1, 1000});
  if (!least || *least == std::floor(*least)) return least;
  fields.fail(*fields.find(kind.key), say("'{}' must be a whole number", kind.key));
  return std::nullopt;
}

PolicyJudge read_gpu_providers(const PolicyKind& kind, Fields& fields, const catalog::Catalog& catalog) {
  const auto least = least_count(kind, fields);
  if (!least) return {};
  return [least = *least, &catalog](const PolicySubject& subject) -> PolicyVerdict {
    if (subject.facts.known(Fact::is_cpu) && subject.facts.number(Fact::is_cpu) != 0) return {};
    if (subject.gpu == nullptr) return {PolicyOutcome::unknown, say("cannot be judged: its GPU is not known")};
    const std::size_t count = providers_of(*subject.gpu, catalog);
    if (static_cast<double>(count) >= least) return {};
    return {PolicyOutcome::fail,
            say("providers of the {} in the catalogue: {}, at least {} asked", subject.gpu->name, count, least)};
  };
}

PolicyJudge read_sku_regions(const PolicyKind& kind, Fields& fields, const catalog::Catalog& catalog) {
  const auto least = least_count(kind, fields);
  if (!least) return {};
  return [least = *least, &catalog](const PolicySubject& subject) -> PolicyVerdict {
    const auto instance = catalog.instance(subject.provider + "/" + subject.sku);
    if (!instance) return {PolicyOutcome::unknown, say("cannot be judged: the catalogue has no such instance")};
    const std::size_t count = regions_of(**instance, catalog);
    if (static_cast<double>(count) >= least) return {};
    return {PolicyOutcome::fail, say("regions with a price: {}, at least {} asked", count, least)};
  };
}

/// GPUs that may not be rented where an instance stands, or from companies of a country.
struct Embargo {
  Condition violated;
  std::string source;
};

std::vector<std::string> names_in(Fields& fields, std::string_view key, const catalog::Catalog& catalog,
                                  Names (*values_of)(std::string_view, const catalog::Catalog&)) {
  std::vector<std::string> values;
  for (const std::string& name : fields.texts(key)) {
    auto meant = values_of(name, catalog);
    if (meant)
      values.insert(values.end(), meant->begin(), meant->end());
    else
      fields.fail(*fields.find(key), meant.error().message, meant.error().hint);
  }
  return values;
}

Embargo read_embargo(const Node& node, Problems& problems, const catalog::Catalog& catalog) {
  Fields fields(node, problems);
  fields.require("gpus");
  const auto gpus = names_in(fields, "gpus", catalog, gpu_ids);
  auto countries = names_in(fields, "countries", catalog, countries_in);
  auto homes = names_in(fields, "provider_countries", catalog, countries_in);
  if (node.is_map() && countries.empty() && homes.empty())
    fields.fail(node, say("an entry needs 'countries' or 'provider_countries'"));
  std::vector<Condition> where;
  if (!countries.empty()) where.push_back(rules::compare(Fact::country, Operator::in, std::move(countries), false));
  if (!homes.empty()) where.push_back(rules::compare(Fact::provider_country, Operator::in, std::move(homes), false));
  Embargo embargo{
      rules::all_of({rules::compare(Fact::gpu, Operator::in, gpus, false), rules::any_of(std::move(where))}),
      fields.text("source")};
  embargo.violated = where_it_applies(Fact::gpu, std::move(embargo.violated));
  fields.finish();
  return embargo;
}

PolicyJudge read_export_control(const PolicyKind& kind, Fields& fields, const catalog::Catalog& catalog) {
  const Node& list = *fields.find(kind.key);
  if (!list.is_list() || list.children.empty()) {
    fields.fail(list, say("'{}' must be a list of entries with 'gpus' and 'countries'", kind.key));
    return {};
  }
  std::vector<Embargo> embargoes;
  for (const Node& node : list.children) embargoes.push_back(read_embargo(node, fields.problems(), catalog));
  return [embargoes = std::move(embargoes)](const PolicySubject& subject) {
    PolicyVerdict worst;
    for (const Embargo& embargo : embargoes) {
      PolicyVerdict verdict = judge_by(embargo.violated, [&](const PolicySubject& one) {
        const std::string what =
            filled_in(say("{{gpu}} is listed for {{country}}, or for providers of {{provider_country}}"), one.facts);
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
    {"max_cost_per_hour", read_money<kHourly>},
    {"max_cost_per_month", read_money<kMonthly>},
    {"max_job_cost", read_money<kOfJob>},
    names("allowed_providers", Fact::provider, true, provider_ids,
          to_say("provider {provider} is not among those allowed")),
    names("denied_providers", Fact::provider, false, provider_ids, to_say("provider {provider} is denied")),
    names("allowed_provider_kinds", Fact::provider_kind, true, provider_kinds,
          to_say("provider {provider} is a {provider_kind}, which is not among the kinds allowed")),
    names("denied_provider_kinds", Fact::provider_kind, false, provider_kinds,
          to_say("provider {provider} is a {provider_kind}, a kind that is denied")),
    names("allowed_regions", Fact::region, true, region_ids, to_say("region {region} is not among those allowed")),
    names("denied_regions", Fact::region, false, region_ids, to_say("region {region} is denied")),
    names("allowed_countries", Fact::country, true, countries_in,
          to_say("region {region} lies in {country}, which is not among the countries allowed")),
    names("denied_countries", Fact::country, false, countries_in,
          to_say("region {region} lies in {country}, which is denied")),
    names("allowed_gpus", Fact::gpu, true, gpu_ids, to_say("GPU {gpu} is not among those allowed")),
    names("denied_gpus", Fact::gpu, false, gpu_ids, to_say("GPU {gpu} is denied")),
    names("allowed_terms", Fact::term, true, term_names, to_say("term {term} is not among those allowed")),
    names("denied_terms", Fact::term, false, term_names, to_say("term {term} is denied")),
    names("allowed_licences", Fact::model_licence, true, licence_names,
          to_say("the licence of {model}, {model_licence}, is not among those allowed")),
    names("denied_licences", Fact::model_licence, false, licence_names,
          to_say("the licence of {model}, {model_licence}, is denied")),
    names("allowed_price_confidence", Fact::price_confidence, true, confidence_names,
          to_say("the price is known by {price_confidence}, which is not among the kinds of sources allowed")),
    {"min_headroom", read_headroom},
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
    if (holds) return *holds ? PolicyVerdict{PolicyOutcome::fail, say_violated(subject)} : PolicyVerdict{};
    std::string missing;
    const rules::FactSet asked = rules::facts_in(violated);
    for (const rules::FactInfo& fact : rules::fact_table()) {
      const auto which = *rules::find_fact(fact.name);
      if (asked[static_cast<std::size_t>(which)] && !subject.facts.known(which))
        missing += (missing.empty() ? "" : ", ") + std::string(fact.name);
    }
    return {PolicyOutcome::unknown, say("cannot be judged: unknown is {}", missing)};
  };
}

}  // namespace gpusel::advise
