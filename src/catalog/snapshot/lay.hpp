// Documents laid over tables. Private to this room.
#pragma once

#include "catalog/snapshot/tables.hpp"

namespace gpusel::catalog {

/// Section that stands in a folder whose import was broken off before all of its files were in place.
inline constexpr std::string_view kUnfinished = "unfinished_import";

/// As an overlay.
Errors lay_on_top(Tables& tables, std::span<const Document> documents);

}  // namespace gpusel::catalog
