// Stages that belong together, as text for a person and as data.
#pragma once

#include <string>

#include "gpusel/advise/stages.hpp"
#include "report/json.hpp"
#include "report/render/terminal.hpp"

namespace gpusel::report {

/// `format`: csv, or else text.
std::string stages_text(const advise::StagesAnswer& answer, const advise::StagesPlan& plan, std::string_view format,
                        const Terminal& terminal);
/// The sum in one line, for formats that hold the table alone.
std::string stages_sum(const advise::StagesAnswer& answer);
Json stages_json(const advise::StagesAnswer& answer, const advise::StagesPlan& plan);

}  // namespace gpusel::report
