// A calibration for a person, for a program, and as the file that keeps it.
#pragma once

#include <string>

#include "gpusel/advise/calibrate.hpp"
#include "report/document/document.hpp"
#include "report/json/json.hpp"

namespace gpusel::report {

/// The overlay: every value with the shipped one beside it, every width, and the rows they come from.
std::string calibrate_overlay(const advise::Calibration& calibration);

Document calibrate_page(const advise::Calibration& calibration, const advise::CheckedRows& checked);
/// Figures only.
Table calibrate_table(const advise::Calibration& calibration);
Json calibrate_json(const advise::Calibration& calibration, const advise::CheckedRows& checked);

/// A tree as it was read: numbers and truth values as such, what was quoted as text.
Json tree_json(const Node& node);

}  // namespace gpusel::report
