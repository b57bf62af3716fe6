#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "show/render/terminal/terminal.hpp"

namespace gpusel::show {

namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kShortestText = 8;  // narrower, words break more often than they end
constexpr int kSeldomNeeded = 4;          // Column::keep from which a column is worth less than a name in one line
constexpr std::size_t kFewRows = 4;       // one of so many may go on in a second line before a column is left out
constexpr std::size_t kMostFolded = 2;    // and no more than these: in a long list columns go first
constexpr std::size_t kLeastBar = 11;
constexpr std::size_t kMostBar = 41;

std::string padded_cell(std::string_view text, std::size_t width, Align align) {
  const std::size_t used = display_width(text);
  const std::string space(width > used ? width - used : 0, ' ');
  return align == Align::left ? std::string(text) + space : space + std::string(text);
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

  bool drop(int from) {
    std::optional<std::size_t> least;
    for (std::size_t i = 0; i < width_.size(); ++i)
      if (shows(i) && table_.columns[i].keep >= from &&
          (!least || table_.columns[i].keep >= table_.columns[*least].keep))
        least = i;
    if (least) dropped_.push_back(*least);
    return least.has_value();
  }

  /// A narrow column that a wide one left room for.
  void take_back() {
    for (std::size_t i = dropped_.size(); i-- > 0;) {
      const std::size_t column = dropped_[i];
      const auto at = dropped_.erase(dropped_.begin() + static_cast<std::ptrdiff_t>(i));
      if (total() > room_) dropped_.insert(at, column);
    }
  }

  template <class Least>
  bool shorten(Least least_of) {
    const auto found = widest(least_of);
    if (found) --width_[*found];
    return found.has_value();
  }

  bool fits_in_two_lines(std::size_t column, std::size_t width) const {
    return std::ranges::all_of(table_.rows, [&](const Row& row) {
      const std::string lines = wrap(row.cells[column].text, width, 0);
      return std::ranges::count(lines, '\n') <= 2;
    });
  }

  /// A name that few rows have longer than the others goes on in a further line there: its column, the widest first, is
  /// as wide as the others need it. What may be left out is, instead.
  bool fold_few() {
    if (table_.rows.size() < 2) return false;
    const std::vector<std::size_t> before = width_;
    const std::size_t few = std::min((table_.rows.size() + kFewRows - 1) / kFewRows, kMostFolded);
    std::vector<std::size_t> order(width_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return width_[i]; });
    for (const std::size_t i : order) {
      const Column& column = table_.columns[i];
      if (total() <= room_ || !shows(i) || column.align != Align::left || column.keep > 0) continue;
      std::vector<std::size_t> cells;
      for (const Row& row : table_.rows) cells.push_back(display_width(row.cells[i].text));
      std::ranges::sort(cells, std::greater());
      const std::size_t title = display_width(column.title);
      std::size_t needed = std::max(cells[std::min(few, cells.size() - 1)], title);
      while (needed < width_[i] && !fits_in_two_lines(i, needed)) ++needed;
      width_[i] = std::max(std::min(needed, width_[i]), width_[i] - std::min(width_[i], total() - room_));
    }
    if (total() <= room_) return true;
    width_ = before;
    return false;
  }

  /// Where it is titles alone that are too wide, they go on in further lines.
  bool break_titles() {
    const std::vector<std::size_t> before = width_;
    const std::vector<std::size_t> least = least_widths();
    const auto of_title = [&](std::size_t i) { return std::min(least[i], width_[i]); };
    while (total() > room_ && shorten(of_title)) {
    }
    if (total() <= room_) return true;
    width_ = before;
    return false;
  }

  /// The longest word of a column's cells: narrower, it would be broken. A word longer than half of the room, such as a
  /// path, is: the words of the other columns are not broken for it.
  std::size_t longest_word(std::size_t column) const {
    std::size_t longest = 0;
    for (const Row& row : table_.rows)
      for (const std::string_view word : split(row.cells[column].text, ' '))
        longest = std::max(longest, display_width(word));
    return std::min(longest, room_ / 2);
  }

  /// What is seldom needed is left out first; then titles go on in further lines, then the few names that are longer
  /// than the others, then what a reader needs least is left out. Nothing that is shown is cut: of what is left texts
  /// break between words, and names last.
  void fit() {
    while (total() > room_ && drop(kSeldomNeeded)) {
    }
    while (total() > room_ && !break_titles() && !fold_few() && drop(1)) {
    }
    if (total() <= room_) return take_back();
    const std::vector<std::size_t> least = least_widths();
    std::vector<std::size_t> words;
    for (std::size_t i = 0; i < width_.size(); ++i) words.push_back(std::max(longest_word(i), kShortestText));
    const auto is_text = [&](std::size_t i) { return table_.columns[i].align == Align::left; };
    const auto of_title = [&](std::size_t i) { return std::min(least[i], width_[i]); };
    const auto of_words = [&](std::size_t i) { return is_text(i) ? std::min(words[i], width_[i]) : least[i]; };
    const auto of_text = [&](std::size_t i) { return is_text(i) ? std::min(kShortestText, least[i]) : least[i]; };
    while (total() > room_ && (shorten(of_title) || shorten(of_words) || shorten(of_text))) {
    }
  }

  const Table& table_;
  std::size_t room_;
  std::vector<std::size_t> width_;
  std::vector<std::size_t> dropped_;
};

/// A text in lines: at blanks where it has any, else behind a separator. A name that is longer than its column stays in
/// one line, up to `most`, and whatever stands behind it comes below.
std::vector<std::string> cell_lines(std::string_view text, std::size_t width, std::size_t most) {
  std::vector<std::string> lines;
  if (display_width(text) <= width) return {std::string(text)};
  const std::string wrapped = wrap(text, width, 0);
  for (const std::string_view one : split(std::string_view(wrapped).substr(0, wrapped.size() - 1), '\n')) {
    std::vector<std::string> pieces = name_pieces(one, most);
    lines.insert(lines.end(), std::make_move_iterator(pieces.begin()), std::make_move_iterator(pieces.end()));
  }
  return lines;
}

/// A row, in as many lines as its cells take.
class RowText {
 public:
  RowText(const Table& table, const TableLayout& layout, std::size_t room)
      : table_(table), layout_(layout), room_(room) {}

  template <class Cells, class TextOf>
  std::vector<std::string> lines(const Cells& cells, TextOf text_of) const {
    std::vector<std::string> out(1);
    std::size_t from = 0, at = 0;  // line and column where the next cell begins
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!layout_.shows(i)) continue;
      const std::size_t width = layout_.width(i);
      const std::vector<std::string> all =
          cell_lines(text_of(cells[i]), width, room_ == 0 ? SIZE_MAX : std::max(width, room_ - std::min(room_, at)));
      std::size_t below = from;
      for (std::size_t k = 0; k < all.size(); ++k) {
        if (out.size() <= from + k) out.resize(from + k + 1);
        std::string& line = out[from + k];
        line += std::string(at - std::min(at, display_width(line)), ' ');
        line += padded_cell(all[k], width, table_.columns[i].align);
        if (display_width(all[k]) > width) below = from + k + 1;
      }
      from = below;
      at += width + kGap;
    }
    while (out.size() > 1 && trim(out.back()).empty()) out.pop_back();
    for (std::string& line : out) line.erase(line.find_last_not_of(' ') + 1);
    return out;
  }

 private:
  const Table& table_;
  const TableLayout& layout_;
  std::size_t room_;
};

/// Characters behind the point of a number, and the point; nothing where it is not a plain one.
std::optional<std::size_t> behind_point(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const auto point = std::min(text.find('.'), text.size());
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const std::string_view whole = text.substr(0, point), part = text.substr(std::min(point + 1, text.size()));
  const bool plain = !whole.empty() && is_digit(whole.front()) &&
                     std::ranges::all_of(whole, [&](char c) { return is_digit(c) || c == ','; }) &&
                     std::ranges::all_of(part, is_digit);
  return plain ? std::optional(text.size() - point) : std::nullopt;
}

/// The numbers of a column with their points under one another.
void align_points(Table& table, std::size_t column) {
  std::size_t most = 0;
  for (const Row& row : table.rows) most = std::max(most, behind_point(row.cells[column].text).value_or(0));
  for (Row& row : table.rows)
    if (const auto behind = behind_point(row.cells[column].text)) row.cells[column].text.append(most - *behind, ' ');
}

Table with_points_aligned(Table table) {
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].align == Align::right) align_points(table, i);
  return table;
}

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
  const Table aligned = with_points_aligned(table);
  const Table shown = table.bars ? with_bars(aligned, terminal.width) : aligned;
  const TableLayout layout(shown, terminal.width);
  std::string out;
  const RowText rows(shown, layout, terminal.width);
  const auto line = [&](const auto& cells, auto text_of, Meaning meaning) {
    for (const std::string& one : rows.lines(cells, text_of)) out += styled(one, meaning, terminal) + "\n";
  };
  for (const auto& titles : title_lines(shown, layout))
    line(titles, [](const std::string& title) -> const std::string& { return title; }, Meaning::strong);
  for (const Row& row : shown.rows)
    line(row.cells, [](const Cell& cell) -> const std::string& { return cell.text; }, row.meaning);
  std::string names = join_texts(layout.dropped(), " · ", [&](const std::size_t i) { return shown.columns[i].title; });
  if (names.empty()) return out;
  const std::string left_out = wrap(say("hidden columns: {} (-o wide shows all)", names), terminal.width, 2);
  return out + styled(std::string_view(left_out).substr(0, left_out.size() - 1), Meaning::secondary, terminal) + "\n";
}

}  // namespace gpusel::show
