// Charts as inline SVG, and the page around them: one file, no script, nothing fetched.
#pragma once

#include <string>
#include <string_view>

#include "report/chart.hpp"

namespace gpusel::report {

/// Text as it may stand in HTML and in attributes; control characters and broken UTF-8 are made visible.
std::string html_text(std::string_view text);

/// `label` says what the picture shows, to whoever cannot see it.
std::string svg_chart(const Chart& chart, std::string_view label);
std::string svg_bars(const Bars& bars, std::string_view label);

/// A heading, and what stands below it, which is HTML already.
std::string html_section(std::string_view heading, std::string_view html);
std::string html_paragraph(std::string_view text);
/// A whole page, light or dark as its reader's system is, for wide and narrow screens.
std::string html_page(std::string_view title, std::string_view body);

}  // namespace gpusel::report
