#pragma once

#include <string>

#include "gpusel/advise/compare.hpp"
#include "report/json.hpp"
#include "report/table.hpp"

namespace gpusel::report {

/// One column per item, one row per figure that any of them has.
Table compare_table(const advise::Comparison& comparison, const catalog::Catalog& catalog);
Json compare_json(const advise::Comparison& comparison, const catalog::Catalog& catalog);

}  // namespace gpusel::report
