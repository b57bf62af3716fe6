#include "money/exchange.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::money {

Result<Converter> Converter::into(Currency to, const catalog::Catalog& catalog) {
  std::vector<catalog::ExchangeRate> known{{Currency::usd(), 1.0, {}, {}}};
  known.insert(known.end(), catalog.exchange_rates().begin(), catalog.exchange_rates().end());
  std::erase_if(known, [](const auto& rate) { return !rate.per_usd; });
  const auto target = std::find_if(known.begin(), known.end(), [&](const auto& rate) { return rate.currency == to; });
  if (target == known.end()) {
    std::string list = join_texts(known, ", ", [&](const auto& rate) { return std::string(rate.currency.code()); });
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

catalog::Number Converter::convert(Money money) const {
  const Exchange* known = exchange(money.currency);
  return known != nullptr ? catalog::Number(money.amount * known->rate) : catalog::Number();
}

catalog::Number Converter::convert(double amount, std::string_view currency) const {
  const auto code = Currency::parse(currency.empty() ? Currency::usd().code() : currency);
  return code ? convert(Money{amount, *code}) : catalog::Number();
}

}  // namespace gpusel::money
