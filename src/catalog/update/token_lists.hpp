// Lists of what hosted models cost per token, read into the records of `token_prices`.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"

namespace gpusel::catalog {

enum class TokenFormat : std::uint8_t { openrouter, litellm };

/// What a list calls a seller, and what the catalogue does.
using SellerNames = std::map<std::string, std::string, std::less<>>;

/// One seller's price of one model, with texts of its own.
struct ListedTokenPrice {
  std::string id;
  std::string provider;
  std::string model;  // id of the catalogue
  std::string note;
  Number input_per_million;
  Number cached_input_per_million;
  Number output_per_million;
  Number batch_input_per_million;
  Number batch_output_per_million;
};

struct TokenList {
  std::vector<ListedTokenPrice> prices;
  std::uint64_t rows = 0;  // of the input; those without a model of the catalogue or a price are left out
};

/// Errors (ErrorKind::io): it is no such list, or is broken off.
Result<TokenList> read_token_list(TokenFormat format, const std::vector<std::string>& files, const SellerNames& sellers,
                                  const Catalog& known);

}  // namespace gpusel::catalog

namespace gpusel {

template <>
inline constexpr auto enum_names<catalog::TokenFormat> = std::to_array<std::string_view>({"openrouter", "litellm"});

}  // namespace gpusel
