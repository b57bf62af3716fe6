// Charts as inline SVG. Places along the page are shares of its width, heights and letters are fixed: a picture is
// legible on a phone and fills a wide screen. Each mark, bar and part has a class, and its values as data.
#pragma once

#include <string>
#include <string_view>

#include "show/document/chart.hpp"

namespace gpusel::show {

/// `label` says what the picture shows, to whoever cannot see it.
std::string svg_chart(const Chart& chart, std::string_view label);
std::string svg_bars(const Bars& bars, std::string_view label);
std::string svg_stacks(const Stacks& stacks, std::string_view label);

}  // namespace gpusel::show
