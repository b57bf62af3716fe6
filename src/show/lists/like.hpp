// Nearest equivalents of an instance, as a table of ratios and as JSON.
#pragma once

#include <span>

#include "answer/lists/like.hpp"
#include "show/document/table.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

/// The first is the base. What differs most is named, and with `wide` everything.
Table like_table(std::span<const answer::Alike> alike, const catalog::Catalog& catalog, Currency currency, bool wide);
/// Sections an instance's own keys.
Json likeness_json(const answer::Alike& alike);

}  // namespace gpusel::show
