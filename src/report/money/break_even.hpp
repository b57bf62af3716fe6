// Break-even points and the reliability of a job, as text for a person and as data.
#pragma once

#include <string>

#include "gpusel/advise/break_even.hpp"
#include "report/document/document.hpp"
#include "report/json/json.hpp"

namespace gpusel::report {

/// Sections with headings; nothing where there is nothing to compare.
Document break_even_page(const advise::BreakEvens& found, const advise::CostAnswer& answer);
Json break_even_json(const advise::BreakEvens& found, const catalog::Catalog& catalog);

}  // namespace gpusel::report
