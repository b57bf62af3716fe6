// A fleet as text or Markdown for people, and as JSON or CSV for programs.
#pragma once

#include <string>

#include "gpusel/advise/fleet.hpp"
#include "report/json.hpp"
#include "report/render/terminal.hpp"

namespace gpusel::report {

std::string fleet_text(const advise::Fleet& fleet, const catalog::Catalog& catalog, const Terminal& terminal);
Json fleet_json(const advise::Fleet& fleet, const catalog::Catalog& catalog);
/// One row per type of the fleet.
std::string fleet_csv(const advise::Fleet& fleet, const catalog::Catalog& catalog);

}  // namespace gpusel::report
