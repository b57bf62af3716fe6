// Money is an amount and a currency, and amounts of two currencies never meet unconverted.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "base/values/error.hpp"

namespace gpusel {

/// An ISO 4217 code.
class Currency {
 public:
  constexpr Currency() = default;
  static constexpr std::optional<Currency> parse(std::string_view code) {
    if (code.size() != 3) return std::nullopt;
    Currency currency;
    for (std::size_t i = 0; i < 3; ++i) {
      if (code[i] < 'A' || code[i] > 'Z') return std::nullopt;
      currency.code_[i] = code[i];
    }
    return currency;
  }
  static constexpr Currency usd() { return *parse("USD"); }
  constexpr std::string_view code() const { return {code_.data(), 3}; }
  friend constexpr auto operator<=>(const Currency&, const Currency&) = default;

 private:
  std::array<char, 3> code_{'?', '?', '?'};
};

struct Money {
  double amount = 0;
  Currency currency;
};

/// Money as people type it, which may leave the currency open and may be paid over and over.
struct TypedMoney {
  double amount = 0;
  std::optional<Currency> currency;
  double every_hours = 0;  // "/month": 730; 0: nothing is said of a period

  /// What an hour costs, where a price without a period is one per hour already.
  double per_hour() const { return every_hours > 0 ? amount / every_hours : amount; }
};
/// "5", "$5", "5 USD", "5€", "￥30", "30元/小时", "1,500/month", "1.5M USD".
/// Errors: no number, a currency or a period that is none, money below zero.
Result<TypedMoney> parse_money(std::string_view text);

}  // namespace gpusel
