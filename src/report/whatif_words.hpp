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
/// Job, assumptions, prices.
std::vector<std::string> whatif_header(const advise::WhatIf& answer, const catalog::Catalog& catalog);

Section one_input_section(const advise::WhatIf& answer);
Section two_inputs_section(const advise::WhatIf& answer, bool letters);
Section tornado_section(const advise::WhatIf& answer, std::size_t bar_width);
Section pareto_section(const advise::WhatIf& answer);

/// "USD per million tokens", "USD/h".
std::string measure_title(const advise::WhatIf& answer, advise::Measure measure);
std::string value_text(const advise::Axis& axis, const advise::AxisValue& value);
/// "aws p5.48xlarge", with the term where it is not the usual one.
std::string winner_text(const advise::Outcome& one);
std::string from_to(const std::string& first, const std::string& last);
/// "40 %".
std::string percent_text(double share);

}  // namespace gpusel::report
