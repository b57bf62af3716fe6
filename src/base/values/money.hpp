// Money is an amount and a currency, and amounts of two currencies never meet unconverted.
#pragma once

#include <array>
#include <optional>
#include <string_view>

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

}  // namespace gpusel
