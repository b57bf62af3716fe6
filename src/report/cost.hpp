// What things cost over time, as text for a person and as data.
#pragma once

#include <span>
#include <string>

#include "gpusel/advise/break_even.hpp"
#include "report/json.hpp"
#include "report/render/terminal.hpp"

namespace gpusel::report {

/// "2 × aws p4d.24xlarge".
std::string subject_name(const advise::CostSubject& subject);

/// What a provider promises, in one line with its source.
std::string promise_line(const catalog::ServiceLevel& level);
Json promise_json(const catalog::ServiceLevel& level);

/// `format`: csv or wide, or else what fits. `break_evens`: one per item, or none at all.
std::string cost_text(const advise::CostAnswer& answer, std::span<const advise::BreakEvens> break_evens,
                      const catalog::Catalog& catalog, std::string_view format, const Terminal& terminal);
Json cost_json(const advise::CostAnswer& answer, std::span<const advise::BreakEvens> break_evens,
               const catalog::Catalog& catalog);

}  // namespace gpusel::report
