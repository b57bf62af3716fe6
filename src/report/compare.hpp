#pragma once

#include <string>

#include "gpusel/advise/compare.hpp"
#include "report/json.hpp"
#include "report/table.hpp"

namespace gpusel::report {

/// A table with one column per item and one row per figure that any of them has, under the job's own
/// lines if there is one.
std::string compare_text(const advise::Comparison& comparison, const catalog::Catalog& catalog, std::string_view format,
                         const Terminal& terminal);
Json compare_json(const advise::Comparison& comparison, const catalog::Catalog& catalog);

}  // namespace gpusel::report
