#include "report/table.hpp"

#include <algorithm>

#include "gpusel/base/text.hpp"
#include "gpusel/base/message.hpp"
#include "report/render/csv.hpp"
#include "report/render/html.hpp"
#include "report/render/markdown.hpp"

namespace gpusel::report {

std::string Table::text(const Terminal& terminal) const {
  return terminal.width.is_markdown() ? "\n" + markdown_text(*this) + "\n" : table_text(*this, terminal);
}
std::string Table::csv() const { return csv_text(*this); }
std::string Table::markdown() const { return markdown_text(*this); }
std::string Table::as(std::string_view format, const Terminal& terminal) const {
  return format == "csv" ? csv() : text(terminal);
}
std::string SideBySide::text(const Terminal& terminal) const {
  return terminal.width.is_markdown() ? table().text(terminal) : side_by_side_text(*this, terminal);
}

namespace {

std::string markdown_paragraph(std::string_view text) {
  constexpr std::size_t kDeep = 4;
  const std::size_t lead = std::min(text.find_first_not_of(' '), text.size());
  if (lead == 0) return "\n" + markdown_line(text) + "\n\n";
  return (lead < kDeep ? "- " : "  - ") + markdown_line(text) + "\n";
}

}  // namespace

std::string wrap(std::string_view text, Width width, std::size_t indent) {
  return width.is_markdown() ? markdown_paragraph(text) : wrap(text, std::size_t{width}, indent);
}

std::string title(std::string_view text, const Terminal& terminal) {
  if (terminal.width.is_markdown()) return "# " + markdown_text(text) + "\n\n";
  const std::string lines = wrap(text, terminal.width, 2);
  return bold(std::string_view(lines).substr(0, lines.size() - 1), terminal) + "\n";
}

std::string document_title(std::string_view text, const Terminal& terminal) {
  return terminal.width.is_markdown() ? title(text, terminal) : std::string();
}

std::string heading(std::string_view text, const Terminal& terminal, std::size_t level) {
  if (!terminal.width.is_markdown()) return "\n" + title(text, terminal);
  return "\n" + std::string(level, '#') + " " + markdown_text(text) + "\n\n";
}

std::string document_heading(std::string_view text, const Terminal& terminal) {
  return terminal.width.is_markdown() ? heading(text, terminal) : std::string();
}

std::string verbatim(std::string_view lines, std::size_t indent, const Terminal& terminal) {
  const bool markdown = terminal.width.is_markdown();
  std::string out;
  while (!lines.empty()) {
    const auto end = std::min(lines.find('\n'), lines.size());
    out += std::string(markdown ? 0 : indent, ' ') + printable(lines.substr(0, end)) + "\n";
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return markdown ? markdown_code(out) : out;
}

std::string bold(std::string_view text, const Terminal& terminal) {
  if (terminal.width.is_markdown()) return "**" + markdown_text(text) + "**";
  return styled(text, Meaning::strong, terminal);
}

std::string dim(std::string_view text, const Terminal& terminal) {
  return styled(text, Meaning::secondary, terminal);
}

std::string html_section(std::string_view heading, std::string_view html, std::string_view id) {
  const std::string name = id.empty() ? std::string() : format(" id=\"{}\"", html_text(id));
  return format("<section{}>\n<h2>{}</h2>\n{}</section>\n", name, html_text(heading), html);
}

std::string html_paragraph(std::string_view words) { return format("<p>{}</p>\n", html_text(words)); }

}  // namespace gpusel::report
