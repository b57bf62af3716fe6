// What things cost over time, as text for a person and as data.
#pragma once

#include <span>
#include <string>

#include "answer/cost/break_even.hpp"
#include "show/document/document.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

/// "2 × aws p4d.24xlarge".
std::string subject_name(const answer::CostSubject& subject);

/// What a provider promises, in one line with its source.
std::string promise_line(const catalog::ServiceLevel& level);
Json promise_json(const catalog::ServiceLevel& level);

/// What is shown of costs beyond sums and their parts.
struct CostView {
  bool full = false;         // sources, promises, notes and break-evens
  bool wide = false;         // that, and every other place
  bool break_evens = false;  // these, though not full
};
/// `break_evens`: one per item, or none at all.
Document cost_page(const answer::CostAnswer& answer, std::span<const answer::BreakEvens> break_evens,
                   const catalog::Catalog& catalog, const CostView& view);
/// A row per subject and term.
Table cost_table(const answer::CostAnswer& answer, const catalog::Catalog& catalog);
Json cost_json(const answer::CostAnswer& answer, std::span<const answer::BreakEvens> break_evens,
               const catalog::Catalog& catalog);

}  // namespace gpusel::show
