// Break-even points and the reliability of a job, as text for a person and as data.
#pragma once

#include <string>

#include "answer/cost/break_even.hpp"
#include "show/document/document.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

/// Sections with headings; nothing where there is nothing to compare.
Document break_even_page(const answer::BreakEvens& found, const answer::CostAnswer& answer);
/// What a commitment costs that is longer than the service is needed and never pays off; empty: no such.
std::string not_paid_off(const answer::CommitmentBreakEven& one, const answer::CostAnswer& answer,
                         const std::string& term);
Json break_even_json(const answer::BreakEvens& found, const catalog::Catalog& catalog);

}  // namespace gpusel::show
