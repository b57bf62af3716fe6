// What a calibration says of itself: meaning and source of each value, and its formulas. Private to this room.
#pragma once

#include <set>

#include "answer/truth/calibrate.hpp"

namespace gpusel::answer {

/// ln of an interval's ends over the estimate; nothing where there is no interval.
std::optional<physics::Interval> reach_of(const Comparison& comparison);

/// What of an estimate a figure's interval is around; nothing for figures without one.
std::optional<physics::Range80> range_of(Figure figure);

/// Unit and meaning as shipped, and the rows that it comes from.
void describe(physics::OwnValue& own, std::span<const Document> texts, const std::set<std::string>& names, Date today);

/// A row as it is kept.
Node kept_row(const catalog::MeasurementRow& row, std::string_view file);

/// A line per coefficient and width.
void explain_calibration(Calibration& calibration, const physics::Coefficients& shipped);

}  // namespace gpusel::answer
