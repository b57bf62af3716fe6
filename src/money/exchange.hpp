// Amounts of two currencies meet only through a dated exchange rate, and the answer says which.
#pragma once

#include <optional>
#include <vector>

#include "base/values/money.hpp"
#include "base/values/units.hpp"
#include "catalog/catalog.hpp"

namespace gpusel::money {

/// The rate that turned one currency into another.
struct Exchange {
  double rate = 1;  // units of the answer's currency per unit of the offer's
  Date as_of;       // the older of the two rates behind it
};

/// Rates from every currency of a catalogue into one, looked up once.
class Converter {
 public:
  /// Error: the catalogue has no rate for `to`.
  static Result<Converter> into(Currency to, const catalog::Catalog& catalog);

  Currency currency() const { return to_; }
  /// Null for a currency without a rate.
  const Exchange* exchange(Currency from) const;
  /// In its currency; nothing where there is no rate.
  catalog::Number convert(Money money) const;
  /// Of a currency by its code; USD where none is given.
  catalog::Number convert(double amount, std::string_view currency) const;

 private:
  struct Rate {
    Currency from;
    Exchange exchange;
  };
  explicit Converter(Currency to) : to_(to) {}
  Currency to_;
  std::vector<Rate> rates_;
};

}  // namespace gpusel::money
