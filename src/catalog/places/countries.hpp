// Country codes.
#pragma once

#include <string>
#include <string_view>

namespace gpusel::catalog {

/// A code of ISO 3166-1 that is assigned to a country, or EU, which prices of the whole Union have.
bool is_country(std::string_view code);
/// What was probably meant by a code that is none; else how codes are written.
std::string country_hint(std::string_view code);

}  // namespace gpusel::catalog
