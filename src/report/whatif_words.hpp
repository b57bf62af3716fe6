// A what-if answer in words, tables and charts, that text, Markdown and pages are made of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpusel/advise/whatif.hpp"
#include "report/chart.hpp"
#include "report/table.hpp"

namespace gpusel::report {

/// What stands under one heading.
struct Section {
  std::string heading;
  std::vector<std::string> lines;  // above
  std::optional<Table> table;
  std::optional<Chart> chart;
  std::optional<Bars> bars;
  std::optional<Table> points;
  std::vector<std::string> remarks;  // below
};

/// `bar_width`: columns of the bars drawn in the tornado's table; 0: none. `letters`: the map of two inputs shows the
/// winners without what they cost.
struct SectionView {
  std::size_t bar_width = 0;
  bool letters = false;
};
std::vector<Section> whatif_sections(const advise::WhatIf& answer, const SectionView& view);

/// "USD per million tokens", "USD/h".
std::string measure_title(const advise::WhatIf& answer, advise::Measure measure);
/// Job, assumptions, prices.
std::vector<std::string> whatif_header(const advise::WhatIf& answer, const catalog::Catalog& catalog);
/// The place of an outcome's winner among all, in the order of their shares.
std::size_t winner_index(const advise::WhatIf& answer, const advise::Outcome& outcome);

}  // namespace gpusel::report
