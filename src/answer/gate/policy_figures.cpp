// Demands of a figure: money, memory, age, counts.
#include <algorithm>
#include <cmath>
#include <set>

#include "answer/gate/policy_kinds.hpp"
#include "answer/search/market.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

using rules::Fact;
using rules::Operator;

constexpr double kMostMoney = 1e12;

/// "3", "1.5 days" … as an error of the node's own place.
template <class T>
std::optional<T> taken(Result<T> value, const Node& node, Fields& fields) {
  if (value) return std::move(*value);
  fields.problems().add(node, value.error(), node.key);
  return std::nullopt;
}

/// Two figures that differ, with as many digits as show it.
std::pair<std::string, std::string> told_apart(double found, double limit, std::string (*shown)(double)) {
  constexpr int kFewestDigits = 4;
  constexpr int kMostDigits = 17;  // tell any two doubles apart
  auto both = std::pair(shown(found), shown(limit));
  for (int digits = kFewestDigits; both.first == both.second && found != limit && digits <= kMostDigits; ++digits)
    both = {format("{:.{}g}", found, digits), format("{:.{}g}", limit, digits)};
  return both;
}

/// "40 USD".
std::optional<Money> money_in(const Node& node, PolicySource& source) {
  const std::string_view text = trim(node.text);
  const auto letters = std::find_if(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  const auto split_at = static_cast<std::size_t>(letters - text.begin());
  const auto amount = plain_number(trim(text.substr(0, split_at)));
  const auto currency = Currency::parse(text.substr(split_at));
  if (!node.is_scalar() || !amount || !currency || *amount < 0 || *amount > kMostMoney) {
    source.fields.fail(node, say("'{}' must be an amount and a currency, found {}", node.key, node.describe()),
                       say("write it like 40 USD"));
    return std::nullopt;
  }
  if (const auto rates = money::Converter::into(*currency, source.catalog); !rates) {
    source.fields.fail(node, rates.error().message, rates.error().hint);
    return std::nullopt;
  }
  return Money{*amount, *currency};
}

/// A limit on a fact about money.
struct MoneyLimit {
  Fact fact;
  double times;  // that the fact counts
  std::string (*message)(const std::string& found, const std::string& allowed, const PolicySubject& subject);
};

constexpr MoneyLimit kHourly{Fact::price_per_hour, 1,
                             [](const std::string& found, const std::string& allowed, const PolicySubject&) {
                               return say("{} per hour, at most {} allowed", found, allowed);
                             }};
constexpr MoneyLimit kMonthly{Fact::price_per_hour, kHoursPerMonth,
                              [](const std::string& found, const std::string& allowed, const PolicySubject&) {
                                return say("{} in a month of {} hours, at most {} allowed", found, kHoursPerMonth,
                                           allowed);
                              }};
constexpr MoneyLimit kOfJob{Fact::cost, 1,
                            [](const std::string& found, const std::string& allowed, const PolicySubject& subject) {
                              return subject.facts.known(Fact::hours)
                                         ? say("{} for the whole job, at most {} allowed", found, allowed)
                                         : say("{} for a month of the service, at most {} allowed", found, allowed);
                            }};

PolicyVerdict judge_money(const MoneyLimit& of, Money limit, const PolicySubject& subject,
                          const catalog::Catalog& catalog) {
  const auto most = converted(limit, subject.currency, catalog);
  if (!most) return {PolicyOutcome::unknown, say("no exchange rate from {}", limit.currency.code()), {}, {}};
  return judge_by(rules::compare(of.fact, Operator::above, *most / of.times, false), [&](const PolicySubject& one) {
    const auto [found, allowed] = told_apart(one.facts.number(of.fact) * of.times, *most, human_price);
    const std::string_view code = one.currency.code();
    const std::string said = limit.currency == one.currency ? format("{} {}", allowed, code)
                                                            : format("{} {} ({} {})", human_price(limit.amount),
                                                                     limit.currency.code(), allowed, code);
    return of.message(format("{} {}", found, code), said, one);
  })(subject);
}

template <const MoneyLimit& of>
PolicyJudge read_money(const PolicyKind& kind, PolicySource& source) {
  const auto limit = money_in(*source.fields.find(kind.key), source);
  if (!limit) return {};
  return [limit = *limit, &catalog = source.catalog](const PolicySubject& subject) {
    return judge_money(of, limit, subject, catalog);
  };
}

std::size_t providers_of(const catalog::Gpu& gpu, const catalog::Catalog& catalog) {
  std::set<std::string_view> providers;
  for (const catalog::Instance& instance : catalog.instances())
    if (catalog.gpu_of(instance) == &gpu && !sold_offers(instance, catalog).empty())
      providers.insert(instance.provider);
  return providers.size();
}

std::size_t regions_of(const catalog::Instance& instance, const catalog::Catalog& catalog) {
  std::set<std::string_view> regions;
  for (const catalog::Offer* offer : sold_offers(instance, catalog)) regions.insert(catalog.region_of(*offer).id);
  return regions.size();
}

std::optional<double> least_count(const PolicyKind& kind, Fields& fields) {
  const auto least = fields.number(kind.key, {1, 1000});
  if (!least || *least == std::floor(*least)) return least;
  fields.fail(*fields.find(kind.key), say("'{}' must be a whole number", kind.key));
  return std::nullopt;
}

PolicyVerdict unknown_because(std::string why) { return {PolicyOutcome::unknown, std::move(why), {}, {}}; }

PolicyVerdict at_least(std::size_t count, double least, std::string message) {
  if (static_cast<double>(count) >= least) return {};
  return {PolicyOutcome::fail, std::move(message), format("count < {}", least), format("count = {}", count)};
}

}  // namespace

std::optional<double> converted(Money money, Currency into, const catalog::Catalog& catalog) {
  const auto converter = money::Converter::into(into, catalog);
  return converter ? std::optional<double>(converter->convert(money)) : std::nullopt;
}

PolicyJudge read_hourly(const PolicyKind& kind, PolicySource& source) { return read_money<kHourly>(kind, source); }
PolicyJudge read_monthly(const PolicyKind& kind, PolicySource& source) { return read_money<kMonthly>(kind, source); }
PolicyJudge read_job_cost(const PolicyKind& kind, PolicySource& source) { return read_money<kOfJob>(kind, source); }

/// "4 GiB" per GPU, or a share of its usable memory.
PolicyJudge read_headroom(const PolicyKind& kind, PolicySource& source) {
  const auto shown = [](double value) { return format("{:.3g}", value); };
  const Node& node = *source.fields.find(kind.key);
  if (plain_number(trim(node.text))) {
    source.fields.fail(node, say("'{}' needs a unit, found {}", kind.key, node.describe()),
                       say("write it like 2GiB or 20%"));
    return {};
  }
  if (trim(node.text).ends_with('%')) {
    const auto least = taken(parse_share(node.text), node, source.fields);
    if (!least) return {};
    return judge_by(rules::compare(Fact::memory_used_share, Operator::above, 1 - *least, false),
                    [least = *least, shown](const PolicySubject& subject) {
                      const double free = 1 - subject.facts.number(Fact::memory_used_share);
                      const auto [found, asked] = told_apart(free * 100, least * 100, shown);
                      return say("{} % of the usable memory stays free, at least {} % required", found, asked);
                    });
  }
  const auto least = taken(parse_memory(node.text, true), node, source.fields);
  if (!least) return {};
  return judge_by(rules::compare(Fact::memory_free_gib, Operator::below, in_gib(least->amount()), false),
                  [least = in_gib(least->amount()), shown](const PolicySubject& subject) {
                    const auto [found, asked] = told_apart(subject.facts.number(Fact::memory_free_gib), least, shown);
                    return say("{} GiB per GPU stay free, at least {} GiB required", found, asked);
                  });
}

namespace {

std::optional<double> share_in(const Node& node, PolicySource& source) {
  return taken(parse_share(node.text), node, source.fields);
}

std::string percent(double share) { return format("{:.3g} %", 100 * share); }

}  // namespace

PolicyJudge read_fit_probability(const PolicyKind& kind, PolicySource& source) {
  const auto least = share_in(*source.fields.find(kind.key), source);
  if (!least) return {};
  return judge_by(rules::compare(Fact::fit_probability, Operator::below, *least, false),
                  [least = *least](const PolicySubject& subject) {
                    const auto [found, asked] = told_apart(subject.facts.number(Fact::fit_probability), least, percent);
                    return say("{} chance of fitting in memory; at least {} required", found, asked);
                  });
}

/// Of targets and budget what is stated: an answer without either has nothing to be sure of.
PolicyJudge read_confidence(const PolicyKind& kind, PolicySource& source) {
  const auto least = share_in(*source.fields.find(kind.key), source);
  if (!least) return {};
  return [least = *least](const PolicySubject& subject) -> PolicyVerdict {
    for (const Fact fact : {Fact::targets_probability, Fact::budget_probability}) {
      if (!subject.facts.known(fact)) continue;
      PolicyVerdict verdict =
          judge_by(rules::compare(fact, Operator::below, least, false), [fact, least](const PolicySubject& one) {
            const auto [found, asked] = told_apart(one.facts.number(fact), least, percent);
            return fact == Fact::targets_probability
                       ? say("{} chance of meeting all targets; at least {} required", found, asked)
                       : say("{} chance of staying within budget; at least {} required", found, asked);
          })(subject);
      if (verdict.outcome != PolicyOutcome::pass) return verdict;
    }
    return {};
  };
}

PolicyJudge read_price_age(const PolicyKind& kind, PolicySource& source) {
  constexpr double kSecondsPerDay = 86400;
  const Node& node = *source.fields.find(kind.key);
  const auto limit = taken(parse_duration(node.text, seconds(kSecondsPerDay)), node, source.fields);
  if (!limit) return {};
  const double days = limit->raw() / kSecondsPerDay;
  return judge_by(
      rules::compare(Fact::price_age_days, Operator::above, days, false), [days](const PolicySubject& subject) {
        const auto [found, allowed] = told_apart(subject.facts.number(Fact::price_age_days), days, human_number);
        return say("the price is {} days old, at most {} allowed", found, allowed);
      });
}

PolicyJudge read_gpu_providers(const PolicyKind& kind, PolicySource& source) {
  const auto least = least_count(kind, source.fields);
  if (!least) return {};
  return [least = *least, &catalog = source.catalog](const PolicySubject& subject) -> PolicyVerdict {
    if (subject.facts.known(Fact::is_cpu) && subject.facts.number(Fact::is_cpu) != 0) return {};
    if (subject.gpu == nullptr) return unknown_because(say("cannot be judged: its GPU is unknown"));
    const std::size_t count = providers_of(*subject.gpu, catalog);
    return at_least(
        count, least,
        say("providers of the {} in the catalog: {}, at least {} required", subject.gpu->name, count, least));
  };
}

PolicyJudge read_sku_regions(const PolicyKind& kind, PolicySource& source) {
  const auto least = least_count(kind, source.fields);
  if (!least) return {};
  return [least = *least, &catalog = source.catalog](const PolicySubject& subject) -> PolicyVerdict {
    const auto instance = catalog.instance(subject.provider + "/" + subject.sku);
    if (!instance) return unknown_because(say("cannot be judged: the catalog has no such instance"));
    const std::size_t count = regions_of(**instance, catalog);
    return at_least(count, least, say("regions with a price: {}, at least {} required", count, least));
  };
}

}  // namespace gpusel::answer
