// Documents laid over tables. Private to this room.
#pragma once

#include "catalog/tables.hpp"

namespace gpusel::catalog {

/// As an overlay.
Errors lay_on_top(Tables& tables, std::span<const Document> documents);

}  // namespace gpusel::catalog
