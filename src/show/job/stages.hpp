// Stages that belong together, as text for a person and as data.
#pragma once

#include <string>

#include "answer/stages/stages.hpp"
#include "show/document/document.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

Document stages_page(const answer::StagesAnswer& answer, const answer::StagesPlan& plan);
/// The sum in one line, for formats that hold the table alone.
std::string stages_sum(const answer::StagesAnswer& answer);
Json stages_json(const answer::StagesAnswer& answer, const answer::StagesPlan& plan);

}  // namespace gpusel::show
