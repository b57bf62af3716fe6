#include "gpusel/base/message.hpp"
#include "report/estimate.hpp"
#include "report/html.hpp"
#include "report/svg.hpp"
#include "report/whatif.hpp"
#include "report/whatif_words.hpp"

namespace gpusel::report {

namespace {

std::string section_html(const Section& section) {
  std::string out;
  for (const std::string& line : section.lines) out += html_paragraph(line);
  if (section.chart) out += svg_chart(*section.chart, section.heading);
  if (section.bars && !section.bars->bars.empty()) out += svg_bars(*section.bars, section.heading);
  for (const auto* table : {&section.table, &section.points})
    if (*table && !(*table)->empty()) out += (*table)->html();
  for (const std::string& line : section.remarks) out += html_paragraph(line);
  return html_section(section.heading, out);
}

}  // namespace

std::string whatif_html(const advise::WhatIf& answer, const catalog::Catalog& catalog) {
  const auto header = whatif_header(answer, catalog);
  std::string body;
  for (std::size_t i = 1; i < header.size(); ++i) body += html_paragraph(header[i]);
  for (const Section& section : whatif_sections(answer, {})) body += section_html(section);
  if (!answer.trace.empty())
    body += html_section(say("where each figure comes from"), trace_table(answer.trace).html());
  return html_page(header.front(), body);
}

}  // namespace gpusel::report
