#include "report/table.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "gpusel/base/columns.hpp"
#include "gpusel/base/message.hpp"
#include "gpusel/base/number.hpp"
#include "gpusel/base/text.hpp"
#include "report/html.hpp"
#include "report/markdown.hpp"

namespace gpusel::report {

namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kShortestText = 8;  // a name or a word of which less says nothing
constexpr int kSeldomNeeded = 4;          // Column::keep from which a column is worth less than a name in full

std::string padded(std::string_view cell, std::size_t width, Align align) {
  const std::string text = fit_width(cell, width);
  const std::size_t used = display_width(text);
  const std::string space(width > used ? width - used : 0, ' ');
  return align == Align::left ? text + space : space + text;
}

/// "-5.0 points", "+3 %": a figure with its unit calls nothing, whatever a spreadsheet takes it for.
bool is_figure(std::string_view text) {
  constexpr std::string_view kOfNumber = "+-0123456789.,";
  constexpr std::string_view kOfUnit = " %/.";
  const std::size_t unit = std::min(text.find_first_not_of(kOfNumber, 1), text.size());
  std::string number(text.substr(text.front() == '+' ? 1 : 0, unit - (text.front() == '+' ? 1 : 0)));
  std::erase(number, ',');
  return plain_number(number) && std::ranges::all_of(text.substr(unit), [&](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || kOfUnit.find(c) != std::string_view::npos;
         });
}

/// What makes a spreadsheet take a cell for a formula; in East Asia also the wide forms.
constexpr std::string_view kFormulas[] = {"=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠"};

/// A cell that starts like a formula must not run as one in a spreadsheet.
std::string csv_cell(const std::string& cell) {
  std::string text = printable(cell);
  if (text.size() > 1 && std::ranges::any_of(kFormulas, [&](auto begin) { return cell.starts_with(begin); }) &&
      !is_figure(text))
    text.insert(0, "'");
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

Cell figure_cell(std::string shown, const catalog::Number& value) {
  // The shortest text that reads as the same double.
  return {std::move(shown), value ? format("{}", *value) : std::string()};
}

std::size_t Table::widest_cell(std::size_t column) const {
  std::size_t widest = 0;
  for (const auto& row : rows_) widest = std::max(widest, display_width(row[column].text));
  return widest;
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    widths.push_back(std::max(display_width(columns_[i].title), widest_cell(i)));
  return widths;
}

/// What a column cannot do without: its figures, and of its title the longest word.
std::vector<std::size_t> Table::least_widths() const {
  std::vector<std::size_t> least;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t needed = widest_cell(i);
    for (const std::string_view word : split(columns_[i].title, ' ')) needed = std::max(needed, display_width(word));
    least.push_back(needed);
  }
  return least;
}

/// Makes the table as narrow as asked. What a reader needs least goes first: columns that may be left
/// out shrink, the least needed are left out, then names shrink, then the rest is left out. Of what is left
/// titles break into lines, and then all texts are shortened; figures never are.
std::vector<std::size_t> Table::fit(std::vector<std::size_t>& width, std::size_t room) const {
  std::vector<std::size_t> dropped;
  const auto shown = [&](std::size_t i) { return std::find(dropped.begin(), dropped.end(), i) == dropped.end(); };
  const auto total = [&] {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < width.size(); ++i)
      if (shown(i)) sum += width[i] + kGap;
    return sum - std::min(sum, kGap);
  };
  const auto shrink = [&](bool droppable) {
    std::optional<std::size_t> widest;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool can = shown(i) && columns_[i].least > 0 && width[i] > columns_[i].least;
      if (can && (columns_[i].keep > 0) == droppable && (!widest || width[i] > width[*widest])) widest = i;
    }
    if (widest) width[*widest] -= std::min(total() - room, width[*widest] - columns_[*widest].least);
    return widest.has_value();
  };
  const auto drop = [&](int from) {
    std::optional<std::size_t> least_needed;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (shown(i) && columns_[i].keep >= from && (!least_needed || columns_[i].keep >= columns_[*least_needed].keep))
        least_needed = i;
    if (least_needed) dropped.push_back(*least_needed);
    return least_needed.has_value();
  };
  const auto shorten_widest = [&](auto least_of) {
    std::optional<std::size_t> widest;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (shown(i) && width[i] > least_of(i) && (!widest || width[i] > width[*widest])) widest = i;
    if (widest) --width[*widest];
    return widest.has_value();
  };
  while (total() > room && (shrink(true) || drop(kSeldomNeeded) || shrink(false) || drop(1))) {
  }
  if (total() > room) {
    const std::vector<std::size_t> least = least_widths();
    const auto of_title = [&](std::size_t i) { return std::min(least[i], width[i]); };
    const auto of_text = [&](std::size_t i) {
      return columns_[i].align == Align::left ? std::min(kShortestText, least[i]) : least[i];
    };
    while (total() > room && (shorten_widest(of_title) || shorten_widest(of_text))) {
    }
  }
  std::sort(dropped.begin(), dropped.end());
  return dropped;
}

/// The titles, each in as many lines as its width asks for; the last line of all stands above the figures.
std::vector<std::vector<Cell>> Table::title_lines(const std::vector<std::size_t>& width) const {
  std::vector<std::vector<std::string>> broken;
  std::size_t most = 1;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::vector<std::string>& lines = broken.emplace_back();
    if (display_width(columns_[i].title) <= width[i]) {
      lines.push_back(columns_[i].title);  // leading spaces are a margin
      continue;
    }
    const std::string text = wrap(columns_[i].title, width[i], 0);
    for (const std::string_view one : split(std::string_view(text).substr(0, text.size() - 1), '\n'))
      lines.emplace_back(one);
    most = std::max(most, lines.size());
  }
  std::vector<std::vector<Cell>> out(most);
  for (const auto& lines : broken)
    for (std::size_t at = 0; at < most; ++at)
      out[at].emplace_back(at + lines.size() < most ? std::string() : lines[at + lines.size() - most]);
  return out;
}

std::string Table::text(const Terminal& terminal) const {
  if (terminal.width.is_markdown()) return "\n" + markdown() + "\n";
  std::vector<std::size_t> width = widths();
  const std::vector<std::size_t> dropped = terminal.width > 0 ? fit(width, terminal.width) : std::vector<std::size_t>{};
  const auto shown = [&](std::size_t i) { return !std::binary_search(dropped.begin(), dropped.end(), i); };
  std::string out;
  const auto line = [&](const std::vector<Cell>& cells, bool head) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (shown(i)) text += padded(cells[i].text, width[i], columns_[i].align) + std::string(kGap, ' ');
    text.erase(text.find_last_not_of(' ') + 1);
    out += (head ? bold(text, terminal) : text) + "\n";
  };
  for (const auto& titles : title_lines(width)) line(titles, true);
  for (const auto& row : rows_) line(row, false);
  if (!dropped.empty()) {
    std::string names;
    for (const std::size_t i : dropped) names += (names.empty() ? "" : ", ") + columns_[i].title;
    const std::string left_out = wrap(say("too narrow for: {} (-o wide shows all)", names), terminal.width, 2);
    out += dim(std::string_view(left_out).substr(0, left_out.size() - 1), terminal) + "\n";
  }
  return out;
}

std::string Table::csv() const {
  std::string out;
  const auto line = [&](const auto& cells, auto text_of) {
    bool first = true;
    for (const auto& cell : cells) {
      out += (first ? "" : ",") + csv_cell(text_of(cell));
      first = false;
    }
    out += "\n";
  };
  line(columns_, [](const Column& column) { return column.key.empty() ? column.title : column.key; });
  for (const auto& row : rows_) line(row, [](const Cell& cell) { return cell.raw.value_or(cell.text); });
  return out;
}

std::string Table::markdown() const {
  std::string out = "|";
  for (const Column& column : columns_) out += " " + markdown_text(column.title) + " |";
  out += "\n|";
  for (const Column& column : columns_) out += column.align == Align::right ? "---:|" : "---|";
  for (const auto& row : rows_) {
    out += "\n|";
    for (const Cell& cell : row) out += " " + markdown_text(cell.text) + " |";
  }
  return out + "\n";
}

std::string Table::html() const {
  std::string out = "<div class=\"wide\"><table>\n";
  const auto line = [&](const auto& cells, std::string_view tag, auto text_of) {
    out += "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i)
      out += format("<{0}{1}>{2}</{0}>", tag, columns_[i].align == Align::right ? " class=\"num\"" : "",
                    html_text(text_of(cells[i])));
    out += "</tr>\n";
  };
  line(columns_, "th", [](const Column& column) { return column.title; });
  for (const auto& row : rows_) line(row, "td", [](const Cell& cell) { return cell.text; });
  return out + "</table></div>\n";
}

std::string Table::as(std::string_view format, const Terminal& terminal) const {
  return format == "csv" ? csv() : text(terminal);
}

namespace {

/// Deeper points stand below the one before them.
std::string markdown_paragraph(std::string_view text) {
  constexpr std::size_t kDeep = 4;
  const std::size_t lead = std::min(text.find_first_not_of(' '), text.size());
  if (lead == 0) return "\n" + markdown_line(text) + "\n\n";
  return (lead < kDeep ? "- " : "  - ") + markdown_line(text) + "\n";
}

}  // namespace

std::string wrap(std::string_view text, Width width, std::size_t indent) {
  if (width.is_markdown()) return markdown_paragraph(text);
  if (width == 0 || display_width(text) <= width) return std::string(text) + "\n";
  std::string out;
  const std::size_t lead = std::min(text.find_first_not_of(' '), text.size());
  const std::string margin(std::min<std::size_t>(indent, width / 2), ' ');
  std::string line(std::min<std::size_t>(lead, width / 2), ' ');
  std::size_t used = line.size();
  bool starts = true;
  for (const std::string_view word : split(text.substr(lead), ' ')) {
    bool first = true;
    for (const std::string_view piece : line_pieces(word)) {
      const std::size_t space = first && !starts ? 1 : 0;
      const std::size_t wide = display_width(piece);
      if (!starts && used + space + wide > width) {
        out += line + "\n";
        line = margin;
        used = margin.size();
      } else {
        line.append(space, ' ');
        used += space;
      }
      line += piece;
      used += wide;
      starts = first = false;
    }
  }
  return out + line + "\n";
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
  return markdown ? markdown_code(out, {}) : out;
}

std::string bold(std::string_view text, const Terminal& terminal) {
  if (terminal.width.is_markdown()) return "**" + markdown_text(text) + "**";
  return terminal.color ? "\x1b[1m" + std::string(text) + "\x1b[0m" : std::string(text);
}

std::string dim(std::string_view text, const Terminal& terminal) {
  return terminal.color ? "\x1b[2m" + std::string(text) + "\x1b[0m" : std::string(text);
}

}  // namespace gpusel::report
