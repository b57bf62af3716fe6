// --columns: those that a reader names, of a table whose titles are the keys of JSON.
#pragma once

#include <span>
#include <string>

#include "base/values/error.hpp"
#include "show/document/table.hpp"

namespace gpusel::show {

/// In the order of `names`, which may be the short ones of filters; figures are rounded for people.
/// Errors, about --columns: there is no such column, with the nearest.
Result<Table> picked_columns(const Table& table, std::span<const std::string> names, bool for_people);

}  // namespace gpusel::show
