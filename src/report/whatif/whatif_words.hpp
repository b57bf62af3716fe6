// The sections of a what-if answer's document, and their words.
#pragma once

#include <string>
#include <vector>

#include "gpusel/advise/whatif.hpp"
#include "report/document/document.hpp"

namespace gpusel::report {

void add_one_input(Document& page, const advise::WhatIf& answer);
void add_two_inputs(Document& page, const advise::WhatIf& answer);
void add_tornado(Document& page, const advise::WhatIf& answer);
void add_pareto(Document& page, const advise::WhatIf& answer);
/// Below what they are about.
void add_remarks(Document& page, const std::vector<std::string>& remarks);

/// "USD per million tokens", "USD/h".
std::string measure_title(const advise::WhatIf& answer, advise::Measure measure);
std::string value_text(const advise::Axis& axis, const advise::AxisValue& value);
/// "aws p5.48xlarge", with the term where it is not the usual one.
std::string winner_text(const advise::Outcome& one);
std::string from_to(const std::string& first, const std::string& last);
/// "40 %".
std::string percent_text(double share);

}  // namespace gpusel::report
