// Amounts and counts that are said in words: "10 req/s", "under $2/h", "32k context", "4 a100", "两张4090".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/values/money.hpp"

namespace gpusel::cli {

/// Of this key an amount is of the time that the job may take, or of the sound or video that it takes.
inline constexpr std::string_view kHours = "hours";

/// The option or limit that an amount is of, by its key, and its value.
struct Amount {
  std::string_view key;
  std::string value;
  std::optional<Currency> currency = std::nullopt;  // of money; whether there is one of that name, the catalog knows
};
/// Nothing where the text is no amount with its unit.
std::optional<Amount> amount_of(std::string_view text);

/// "10", "32k", "1.5T": digits, and a letter for thousands of whichever kind.
bool is_scaled_number(std::string_view text);

/// "4xa100" of "4 a100", "a100 x 4", "a100 4", "两张4090" and "8卡h100"; the text itself where no count is apart from
/// its name.
std::string with_count(std::string_view text);

}  // namespace gpusel::cli
