// Break-even points and the reliability of a job, as text for a person and as data.
#pragma once

#include <string>

#include "gpusel/advise/break_even.hpp"
#include "report/json.hpp"
#include "report/render/terminal.hpp"

namespace gpusel::report {

/// Sections with headings; nothing where there is nothing to compare.
std::string break_even_text(const advise::BreakEvens& found, const advise::CostAnswer& answer,
                            const Terminal& terminal);
Json break_even_json(const advise::BreakEvens& found, const catalog::Catalog& catalog);

}  // namespace gpusel::report
