// Stages that belong together, as text for a person and as data.
#pragma once

#include <string>

#include "gpusel/advise/stages.hpp"
#include "report/document/document.hpp"
#include "report/json/json.hpp"

namespace gpusel::report {

Document stages_page(const advise::StagesAnswer& answer, const advise::StagesPlan& plan);
/// The sum in one line, for formats that hold the table alone.
std::string stages_sum(const advise::StagesAnswer& answer);
Json stages_json(const advise::StagesAnswer& answer, const advise::StagesPlan& plan);

}  // namespace gpusel::report
