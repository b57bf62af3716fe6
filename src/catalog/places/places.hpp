// Places by the names that people give them: regions, cities, countries, continents and groups of countries.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"

namespace gpusel::catalog {

/// What a name of a place was taken for.
struct Located {
  std::string name;                         // as it was given
  const Place* place = nullptr;             // null: regions have that id or name, or it is a country without a record
  std::string country;                      // of a code without a record
  std::vector<const Region*> regions = {};  // that lie there or are called so, of whatever provider; may be none

  bool has(const Region& region) const;
};

/// The region of a price that is the same wherever the provider sells.
inline constexpr std::string_view kEverywhere[] = {"all", "any", "global"};
inline bool is_everywhere(std::string_view region) {
  return std::ranges::find(kEverywhere, region) != std::end(kEverywhere);
}

/// Error: nothing is called so; names the nearest.
Result<Located> locate(std::string_view name, const Catalog& catalog);
/// The record that goes by that id, name or country code, in any case; null where none does.
const Place* find_place(std::string_view name, const Catalog& catalog);
bool lies_in(const Region& region, const Place& place, const Catalog& catalog);

/// ISO codes of a country, a continent or a group of countries. Error: it is none of these.
Result<std::vector<std::string>> countries_called(std::string_view name, const Catalog& catalog);

/// Those of `regions` in which anything has a price.
std::vector<const Region*> with_prices(const std::vector<const Region*>& regions, const Catalog& catalog);

}  // namespace gpusel::catalog
