// A calibration for a person, for a program, and as the file that keeps it.
#pragma once

#include <string>

#include "answer/truth/calibrate.hpp"
#include "show/document/document.hpp"
#include "show/json/json.hpp"

namespace gpusel::show {

/// The overlay: every value with the shipped one beside it, every width, and the rows they come from.
std::string calibrate_overlay(const answer::Calibration& calibration);

Document calibrate_page(const answer::Calibration& calibration, const answer::CheckedRows& checked);
/// Figures only.
Table calibrate_table(const answer::Calibration& calibration);
Json calibrate_json(const answer::Calibration& calibration, const answer::CheckedRows& checked);

/// A tree as it was read: numbers and truth values as such, what was quoted as text.
Json tree_json(const Node& node);

}  // namespace gpusel::show
