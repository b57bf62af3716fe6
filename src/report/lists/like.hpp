// Nearest equivalents of an instance, as a table of ratios and as JSON.
#pragma once

#include <span>

#include "gpusel/advise/like.hpp"
#include "report/document/table.hpp"
#include "report/json/json.hpp"

namespace gpusel::report {

/// The first is the base. What differs most is named, and with `wide` everything.
Table like_table(std::span<const advise::Alike> alike, const catalog::Catalog& catalog, Currency currency, bool wide);
/// Beside an instance's own keys.
Json likeness_json(const advise::Alike& alike);

}  // namespace gpusel::report
