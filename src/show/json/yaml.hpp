// The JSON of an answer as YAML: the same keys, the same values.
#pragma once

#include <string>
#include <string_view>

#include "show/json/json.hpp"

namespace gpusel::show {

/// Block style; a text that YAML could read as a number, a date, a truth value or nothing is quoted.
std::string yaml(const Json& json);

/// Whether a format prints an answer's JSON: "json" or "yaml".
bool is_data(std::string_view format);
/// The answer in one of these.
std::string dump_as(std::string_view format, const Json& json);

}  // namespace gpusel::show
