#include "report/side_by_side.hpp"

#include <algorithm>

#include "gpusel/base/message.hpp"
#include "gpusel/base/text.hpp"

namespace gpusel::report {

namespace {

constexpr std::size_t kColumnGap = 2;
constexpr std::size_t kLeastTitle = 10;
constexpr std::size_t kLeastColumn = 8;
constexpr std::string_view kBest = "*";

std::string spaces(std::size_t count) { return std::string(count, ' '); }
std::string left(std::string_view text, std::size_t width) {
  const std::string cut = fit_width(text, width);
  return cut + spaces(width - std::min(width, display_width(cut)));
}
std::string right(std::string_view text, std::size_t width) {
  return spaces(width - std::min(width, display_width(text))) + std::string(text);
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

/// Pieces of a name of at most `width` columns, broken behind a separator where there is one.
std::vector<std::string> broken(std::string_view name, std::size_t width) {
  std::vector<std::string> lines;
  while (display_width(name) > width) {
    std::size_t end = name.find_last_of(" -_./", width - 1);
    end = end == std::string_view::npos || end < width / 3 ? width : end + 1;
    while (end < name.size() && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) ++end;
    lines.emplace_back(trim(name.substr(0, end)));
    name.remove_prefix(end);
  }
  lines.emplace_back(name);
  return lines;
}

}  // namespace

/// Of one column, and within it of numbers with their marks and of ratios.
struct SideWidths {
  std::size_t number = 0;
  std::size_t ratio = 0;
  std::size_t all = 0;

  std::size_t least() const { return std::max(number + (ratio > 0 ? 1 + ratio : 0), kLeastColumn); }
};

namespace {

std::string padded(const SideCell& cell, const SideWidths& width, const Terminal& terminal) {
  if (!cell.number) return left(cell.text, width.all);
  const std::string shown = right(cell.text, width.number - kBest.size());
  std::string out = cell.best ? bold(shown, terminal) + std::string(kBest) : shown + " ";
  std::size_t rest = width.all - std::min(width.all, width.number);
  if (!cell.ratio.empty()) {
    const std::string ratio = " " + right(cell.ratio, width.ratio);
    out += dim(ratio, terminal);
    rest -= std::min(rest, display_width(ratio));
  }
  return out + spaces(rest);
}

}  // namespace

bool SideRow::all_equal() const {
  return std::all_of(cells.begin(), cells.end(), [&](const SideCell& cell) { return cell.text == cells.front().text; });
}

struct SideBySide::Layout {
  std::size_t title = 0;
  std::vector<SideWidths> columns;

  std::size_t width(const std::vector<std::size_t>& shown) const {
    std::size_t sum = title;
    for (const std::size_t i : shown) sum += kColumnGap + columns[i].all;
    return sum;
  }
};

SideBySide::Layout SideBySide::natural() const {
  Layout out;
  out.columns.resize(names_.size());
  for (const SideRow& row : rows_) {
    out.title = std::max(out.title, display_width(row.title));
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const SideCell& cell = row.cells[i];
      auto& column = out.columns[i];
      if (!cell.number) column.all = std::max(column.all, display_width(cell.text));
      if (cell.number) column.number = std::max(column.number, display_width(cell.text) + kBest.size());
      column.ratio = std::max(column.ratio, display_width(cell.ratio));
    }
  }
  for (auto& column : out.columns) column.all = std::max(column.all, column.least());
  return out;
}

/// As wide as the cells are. A name takes the room that is left and is broken into lines where that is
/// not enough; words and titles are cut where not even two columns fit.
SideBySide::Layout SideBySide::layout(std::size_t room) const {
  Layout out = natural();
  const auto excess = [room](std::size_t width) { return width - std::min(width, room); };
  std::size_t used = out.title;
  for (const auto& column : out.columns) used += kColumnGap + column.all;
  std::size_t spare = room == 0 ? SIZE_MAX : room - std::min(room, used);
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const std::size_t name = std::max(display_width(names_[i]), out.columns[i].all);
    const std::size_t more = std::min(name - out.columns[i].all, spare);
    out.columns[i].all += more;
    spare -= more;
  }
  for (std::size_t i = 1; i < names_.size() && room > 0; ++i) {
    for (auto* column : {&out.columns[i], &out.columns.front()})
      column->all -= std::min(excess(out.width({0, i})), column->all - std::min(column->all, column->least()));
    out.title -= std::min(excess(out.width({0, i})), out.title - std::min(out.title, kLeastTitle));
  }
  return out;
}

std::string SideBySide::head(const std::vector<std::size_t>& columns, const Layout& layout,
                             const Terminal& terminal) const {
  std::vector<std::vector<std::string>> names;
  std::size_t lines = 0;
  for (const std::size_t i : columns) {
    names.push_back(broken(names_[i], layout.columns[i].all));
    lines = std::max(lines, names.back().size());
  }
  std::string out;
  for (std::size_t k = 0; k < lines; ++k) {
    std::string line = spaces(layout.title);
    for (std::size_t c = 0; c < columns.size(); ++c)
      line += spaces(kColumnGap) + left(k < names[c].size() ? names[c][k] : "", layout.columns[columns[c]].all);
    out += bold(trimmed(line), terminal) + "\n";
  }
  return out;
}

std::string SideBySide::part(const std::vector<std::size_t>& columns, const Layout& layout,
                             const Terminal& terminal) const {
  std::string out = head(columns, layout, terminal);
  for (const SideRow& row : rows_) {
    std::string line = left(row.title, layout.title);
    if (!row.cells.empty())
      for (const std::size_t i : columns) line += spaces(kColumnGap) + padded(row.cells[i], layout.columns[i], terminal);
    const bool tells_nothing = !row.cells.empty() && row.all_equal();
    out += (tells_nothing ? dim(trimmed(line), terminal) : trimmed(line)) + "\n";
  }
  return out;
}

/// The first column with at most `others` more in each part, as many as fit.
std::vector<std::vector<std::size_t>> SideBySide::parts(const Layout& layout, std::size_t room,
                                                        std::size_t others) const {
  std::vector<std::vector<std::size_t>> parts(1);
  for (std::size_t i = 0; i < names_.size(); ++i) {
    std::vector<std::size_t> with = parts.back();
    with.push_back(i);
    const bool fits = room == 0 || with.size() <= 2 || (layout.width(with) <= room && with.size() <= others + 1);
    if (fits)
      parts.back() = std::move(with);
    else
      parts.push_back({0, i});
  }
  return parts;
}

std::string SideBySide::text(const Terminal& terminal) const {
  if (terminal.width.is_markdown()) return table().text(terminal);
  const Layout layout = this->layout(terminal.width);
  const auto crowded = parts(layout, terminal.width, names_.size());
  // As many in each, where that makes no more parts.
  const std::size_t others = (names_.size() - 1 + crowded.size() - 1) / crowded.size();
  const auto even = this->parts(layout, terminal.width, others);
  const auto& parts = even.size() == crowded.size() ? even : crowded;
  std::string out;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (k > 0) out += "\n" + dim(say("part {} of {}; -o wide: all in one", k + 1, parts.size()), terminal) + "\n\n";
    out += part(parts[k], layout, terminal);
  }
  return out;
}

Table SideBySide::table() const {
  std::vector<Column> columns{{"", Align::left, 0}};
  for (const std::string& name : names_) columns.push_back({name, Align::right, 0});
  Table table(std::move(columns));
  for (const SideRow& row : rows_) {
    if (row.cells.empty()) continue;
    std::vector<Cell> cells{row.title};
    for (const SideCell& cell : row.cells)
      cells.emplace_back(cell.text + (cell.best ? std::string(kBest) : "") +
                         (cell.ratio.empty() ? "" : " (" + cell.ratio + ")"));
    table.add(std::move(cells));
  }
  return table;
}

}  // namespace gpusel::report
