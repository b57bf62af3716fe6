#include "report/whatif.hpp"

#include <algorithm>

#include "gpusel/base/message.hpp"
#include "gpusel/base/text.hpp"
#include "report/estimate.hpp"
#include "report/whatif_words.hpp"

namespace gpusel::report {

namespace {

using advise::WhatIf;

constexpr std::size_t kChartRows = 16;
constexpr std::size_t kLeastBar = 11;
constexpr std::size_t kMostBar = 41;

std::size_t widest_line(std::string_view text) {
  std::size_t widest = 0;
  for (const std::string_view line : split(text, '\n')) widest = std::max(widest, display_width(line));
  return widest;
}

/// As wide as the terminal leaves room for beside the tornado's other cells; odd, so that a bar can have a middle.
std::size_t bar_width(const WhatIf& answer, const Terminal& terminal) {
  if (answer.bars.empty() || terminal.width == 0) return kMostBar;
  const std::size_t widest = widest_line(tornado_section(answer, kMostBar).table->text({}));
  if (widest <= terminal.width) return kMostBar;
  const std::size_t over = widest - terminal.width;
  return over + kLeastBar >= kMostBar ? kLeastBar : (kMostBar - over - 1) | 1;
}

/// A map with the winners' costs is wide: without them where the terminal is not.
bool needs_letters(const WhatIf& answer, const Terminal& terminal) {
  if (answer.axes.size() < 2 || terminal.width == 0) return false;
  return widest_line(whatif_sections(answer, {}).front().table->text({})) > terminal.width;
}

std::string section_text(const Section& section, const Terminal& terminal) {
  std::string out = heading(section.heading, terminal);
  for (const std::string& line : section.lines) out += wrap(line, terminal.width, 2);
  if (section.table && !section.table->empty()) out += "\n" + section.table->text(terminal);
  if (section.chart && !terminal.width.is_markdown()) out += "\n" + text_chart(*section.chart, kChartRows, terminal);
  if (section.points && !section.points->empty()) out += "\n" + section.points->text(terminal);
  if (!section.remarks.empty()) out += "\n";
  for (const std::string& line : section.remarks) out += wrap(line, terminal.width, 2);
  return out;
}

}  // namespace

std::string whatif_text(const WhatIf& answer, const catalog::Catalog& catalog, const Terminal& terminal) {
  const auto header = whatif_header(answer, catalog);
  std::string out = title(header.front(), terminal);
  for (std::size_t i = 1; i < header.size(); ++i) out += wrap(header[i], terminal.width, 2);
  for (const Section& section : whatif_sections(answer, {bar_width(answer, terminal), needs_letters(answer, terminal)}))
    out += section_text(section, terminal);
  return answer.trace.empty() ? out : out + trace_lines(answer.trace, terminal);
}

}  // namespace gpusel::report
