// A fleet as a document, and as JSON or CSV for programs.
#pragma once

#include <string>

#include "answer/fleet/fleet.hpp"
#include "show/document/document.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

/// What to run and what it costs first; `all`: with lengths, assumptions, autoscaling and what was rejected.
Document fleet_page(const answer::Fleet& fleet, const catalog::Catalog& catalog, bool all);
Json fleet_json(const answer::Fleet& fleet, const catalog::Catalog& catalog);
/// One row per type of the fleet.
Table fleet_table(const answer::Fleet& fleet, const catalog::Catalog& catalog);

}  // namespace gpusel::show
