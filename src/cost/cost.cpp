#include "gpusel/cost/cost.hpp"

#include <algorithm>
#include <cmath>

#include "gpusel/base/message.hpp"

namespace gpusel::cost {

Result<Converter> Converter::into(Currency to, const catalog::Catalog& catalog) {
  std::vector<catalog::ExchangeRate> known{{Currency::usd(), 1.0, {}, {}}};
  known.insert(known.end(), catalog.exchange_rates().begin(), catalog.exchange_rates().end());
  std::erase_if(known, [](const auto& rate) { return !rate.per_usd; });
  const auto target = std::find_if(known.begin(), known.end(), [&](const auto& rate) { return rate.currency == to; });
  if (target == known.end()) {
    std::string list;
    for (const auto& rate : known) list += (list.empty() ? "" : ", ") + std::string(rate.currency.code());
    return usage_error(say("no exchange rate for {}", to.code()), "--currency", say("known: {}", list));
  }
  Converter converter(to);
  for (const auto& source : known) {
    Exchange exchange{*target->per_usd / *source.per_usd, source.as_of};
    if (!exchange.as_of.known() || (target->as_of.known() && target->as_of < exchange.as_of))
      exchange.as_of = target->as_of;
    converter.rates_.push_back({source.currency, exchange});
  }
  return converter;
}

const Exchange* Converter::exchange(Currency from) const {
  for (const Rate& rate : rates_)
    if (rate.from == from) return &rate.exchange;
  return nullptr;
}

Seconds subscription_period(catalog::Term term) {
  switch (term) {
    // Discounts that grow with the hours used: their mean rate holds for whole months.
    case catalog::Term::sustained_use:
    case catalog::Term::ladder:
    case catalog::Term::month: return seconds(kHoursPerMonth * 3600);
    case catalog::Term::year: return seconds(kHoursPerYear * 3600);
    default: return {};
  }
}

std::optional<JobCost> job_cost(Money offer_per_hour, const Converter& converter, const Usage& usage) {
  const Exchange* exchange = converter.exchange(offer_per_hour.currency);
  if (exchange == nullptr) return std::nullopt;
  JobCost cost;
  cost.offer = offer_per_hour;
  if (offer_per_hour.currency != converter.currency()) cost.exchange = *exchange;
  cost.licence_hourly = usage.licence_per_hour * usage.nodes;
  cost.hourly = offer_per_hour.amount * exchange->rate * usage.nodes + cost.licence_hourly;
  cost.hours = in_hours(usage.duration);
  const bool subscribed = usage.period.raw() > 0;
  const double periods = subscribed ? std::ceil(usage.duration / usage.period) : 0;
  cost.total = cost.hourly * (subscribed ? periods * in_hours(usage.period) : cost.hours);
  const double tokens = usage.tokens_per_s * usage.duration.raw();
  if (tokens > 0) cost.per_million_tokens = cost.total / tokens * 1e6;
  const double units = usage.units_per_hour * cost.hours;
  if (units > 0) {
    cost.per_unit = cost.total / units;
    cost.unit = usage.unit;
  }
  return cost;
}

}  // namespace gpusel::cost
