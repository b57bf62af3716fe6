// A comparison in ten seconds: which one, and what it differs by.
#pragma once

#include "answer/lists/compare.hpp"
#include "show/document/document.hpp"

namespace gpusel::show {

/// "Pick g6e.xlarge: 64 % less per million tokens than g5.xlarge and 5.1 × as fast"; without a job, who leads in what.
std::vector<Text> compare_sentences(const answer::CompareAnswer& comparison);

/// The figures that decide, items in columns; on a terminal that has no room for that, items in rows.
SideBySide compare_brief_table(const answer::CompareAnswer& comparison);

}  // namespace gpusel::show
