#include <algorithm>
#include <optional>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "show/render/terminal/terminal.hpp"

namespace gpusel::show {

namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kShortestText = 8;  // a name or a word of which less says nothing
constexpr int kSeldomNeeded = 4;          // Column::keep from which a column is worth less than a name in full
constexpr std::size_t kLeastBar = 11;
constexpr std::size_t kMostBar = 41;

std::string padded_cell(std::string_view cell, std::size_t width, Align align) {
  const std::string text = fit_width(cell, width);
  const std::size_t used = display_width(text);
  const std::string space(width > used ? width - used : 0, ' ');
  return align == Align::left ? text + space : space + text;
}

/// How wide each column is, and which there is no room for.
class TableLayout {
 public:
  TableLayout(const Table& table, std::size_t room) : table_(table), room_(room) {
    for (std::size_t i = 0; i < table_.columns.size(); ++i)
      width_.push_back(std::max(display_width(table_.columns[i].title), widest_cell(i)));
    if (room_ > 0) fit();
  }

  std::size_t width(std::size_t column) const { return width_[column]; }
  bool shows(std::size_t column) const { return std::ranges::find(dropped_, column) == dropped_.end(); }
  std::vector<std::size_t> dropped() const {
    std::vector<std::size_t> sorted = dropped_;
    std::ranges::sort(sorted);
    return sorted;
  }
  std::size_t total() const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < width_.size(); ++i)
      if (shows(i)) sum += width_[i] + kGap;
    return sum - std::min(sum, kGap);
  }

 private:
  std::size_t widest_cell(std::size_t column) const {
    std::size_t widest = 0;
    for (const Row& row : table_.rows) widest = std::max(widest, display_width(row.cells[column].text));
    return widest;
  }

  /// What a column cannot do without: its figures, and of its title the longest word.
  std::vector<std::size_t> least_widths() const {
    std::vector<std::size_t> least;
    for (std::size_t i = 0; i < width_.size(); ++i) {
      std::size_t needed = widest_cell(i);
      for (const std::string_view word : split(table_.columns[i].title, ' '))
        needed = std::max(needed, display_width(word));
      least.push_back(needed);
    }
    return least;
  }

  /// The widest column that is shown and that `least_of` lets shrink.
  template <class Least>
  std::optional<std::size_t> widest(Least least_of) const {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < width_.size(); ++i)
      if (shows(i) && width_[i] > least_of(i) && (!found || width_[i] > width_[*found])) found = i;
    return found;
  }

  bool shrink(bool droppable) {
    const auto found = widest([&](std::size_t i) {
      const Column& column = table_.columns[i];
      return column.least > 0 && (column.keep > 0) == droppable ? column.least : SIZE_MAX;
    });
    if (found) width_[*found] -= std::min(total() - room_, width_[*found] - table_.columns[*found].least);
    return found.has_value();
  }

  bool drop(int from) {
    std::optional<std::size_t> least;
    for (std::size_t i = 0; i < width_.size(); ++i)
      if (shows(i) && table_.columns[i].keep >= from &&
          (!least || table_.columns[i].keep >= table_.columns[*least].keep))
        least = i;
    if (least) dropped_.push_back(*least);
    return least.has_value();
  }

  template <class Least>
  bool shorten(Least least_of) {
    const auto found = widest(least_of);
    if (found) --width_[*found];
    return found.has_value();
  }

  /// What a reader needs least goes first: columns that may be left out shrink, the least needed are left out, then
  /// names shrink, then the rest is left out. Of what is left titles break into lines, and then all texts are
  /// shortened; figures never are.
  void fit() {
    while (total() > room_ && (shrink(true) || drop(kSeldomNeeded) || shrink(false) || drop(1))) {
    }
    if (total() <= room_) return;
    const std::vector<std::size_t> least = least_widths();
    const auto of_title = [&](std::size_t i) { return std::min(least[i], width_[i]); };
    const auto of_text = [&](std::size_t i) {
      return table_.columns[i].align == Align::left ? std::min(kShortestText, least[i]) : least[i];
    };
    while (total() > room_ && (shorten(of_title) || shorten(of_text))) {
    }
  }

  const Table& table_;
  std::size_t room_;
  std::vector<std::size_t> width_;
  std::vector<std::size_t> dropped_;
};

/// The titles, each in as many lines as its width asks for; the last line of all stands above the figures.
std::vector<std::vector<std::string>> title_lines(const Table& table, const TableLayout& layout) {
  std::vector<std::vector<std::string>> broken;
  std::size_t most = 1;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const std::string& title = table.columns[i].title;
    std::vector<std::string>& lines = broken.emplace_back();
    if (display_width(title) <= layout.width(i)) {
      lines.push_back(title);  // leading spaces are a margin
      continue;
    }
    const std::string text = wrap(title, layout.width(i), 0);
    for (const std::string_view one : split(std::string_view(text).substr(0, text.size() - 1), '\n'))
      lines.emplace_back(one);
    most = std::max(most, lines.size());
  }
  std::vector<std::vector<std::string>> out(most);
  for (const auto& lines : broken)
    for (std::size_t at = 0; at < most; ++at)
      out[at].push_back(at + lines.size() < most ? std::string() : lines[at + lines.size() - most]);
  return out;
}

}  // namespace

Table with_bars(Table table, std::size_t room) {
  std::size_t column = 0;
  while (!table.columns[column].title.empty()) ++column;
  const auto draw = [&](std::size_t width) {
    for (std::size_t i = 0; i < table.rows.size(); ++i)
      table.rows[i].cells[column].text = bar_text(*table.bars, table.bars->bars[i], width);
  };
  draw(kMostBar);
  const std::size_t widest = TableLayout(table, 0).total();
  if (room == 0 || widest <= room) return table;
  const std::size_t over = widest - room;  // odd widths, so that a bar can have a middle
  draw(over + kLeastBar >= kMostBar ? kLeastBar : (kMostBar - over - 1) | 1);
  return table;
}

std::string table_text(const Table& table, const Terminal& terminal) {
  if (!table.narrower.empty() && terminal.width > 0 && TableLayout(table, 0).total() > terminal.width)
    return table_text(table.narrower.front(), terminal);
  const Table drawn = table.bars ? with_bars(table, terminal.width) : Table({});
  const Table& shown = table.bars ? drawn : table;
  const TableLayout layout(shown, terminal.width);
  std::string out;
  const auto line = [&](const auto& cells, auto text_of, Meaning meaning) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (layout.shows(i))
        text += padded_cell(text_of(cells[i]), layout.width(i), shown.columns[i].align) + std::string(kGap, ' ');
    text.erase(text.find_last_not_of(' ') + 1);
    out += styled(text, meaning, terminal) + "\n";
  };
  for (const auto& titles : title_lines(shown, layout))
    line(titles, [](const std::string& title) { return title; }, Meaning::strong);
  for (const Row& row : shown.rows)
    line(row.cells, [](const Cell& cell) -> const std::string& { return cell.text; }, Meaning::plain);
  std::string names = join_texts(layout.dropped(), ", ", [&](const std::size_t i) { return shown.columns[i].title; });
  if (names.empty()) return out;
  const std::string left_out = wrap(say("too narrow for: {} (-o wide shows all)", names), terminal.width, 2);
  return out + styled(std::string_view(left_out).substr(0, left_out.size() - 1), Meaning::secondary, terminal) + "\n";
}

}  // namespace gpusel::show
