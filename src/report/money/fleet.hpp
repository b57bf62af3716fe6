// A fleet as a document, and as JSON or CSV for programs.
#pragma once

#include <string>

#include "gpusel/advise/fleet.hpp"
#include "report/document/document.hpp"
#include "report/json/json.hpp"

namespace gpusel::report {

Document fleet_page(const advise::Fleet& fleet, const catalog::Catalog& catalog);
Json fleet_json(const advise::Fleet& fleet, const catalog::Catalog& catalog);
/// One row per type of the fleet.
Table fleet_table(const advise::Fleet& fleet, const catalog::Catalog& catalog);

}  // namespace gpusel::report
