// The sections of a what-if answer's document, and their words.
#pragma once

#include <string>
#include <vector>

#include "answer/whatif/whatif.hpp"
#include "show/document/document.hpp"

namespace gpusel::show {

/// `rows`: of a table; 0: all, with the pictures and what they were drawn from.
void add_one_input(Document& page, const answer::WhatIf& answer, std::size_t rows);
void add_two_inputs(Document& page, const answer::WhatIf& answer, std::size_t rows);
void add_tornado(Document& page, const answer::WhatIf& answer, std::size_t rows);
void add_pareto(Document& page, const answer::WhatIf& answer, std::size_t rows);
/// The first rows, and how many more there are.
void add_rows(Document& page, Table table, std::size_t rows);
/// Below what they are about.
void add_remarks(Document& page, const std::vector<std::string>& remarks);

/// "USD per million tokens", "USD/h".
std::string measure_title(const answer::WhatIf& answer, answer::Measure measure);
std::string value_text(const answer::Axis& axis, const answer::AxisValue& value);
/// "aws p5.48xlarge", with the term where it is not the usual one.
std::string winner_text(const answer::Outcome& one);
std::string from_to(const std::string& first, const std::string& last);
/// "40 %".
std::string percent_text(double share);

}  // namespace gpusel::show
