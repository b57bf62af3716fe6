#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "show/render/terminal/terminal.hpp"

namespace gpusel::show {

namespace {

constexpr std::size_t kColumnGap = 2;
constexpr std::size_t kLeastTitle = 10;
constexpr std::size_t kLeastColumn = 8;
constexpr std::string_view kBest = "*";

std::string spaces(std::size_t count) { return std::string(count, ' '); }
std::string flush_left(std::string_view text, std::size_t width) {
  return std::string(text) + spaces(width - std::min(width, display_width(text)));
}
std::string flush_right(std::string_view text, std::size_t width) {
  return spaces(width - std::min(width, display_width(text))) + std::string(text);
}

/// Of one column, and within it of numbers with their marks and of ratios.
struct SideWidths {
  std::size_t number = 0;
  std::size_t ratio = 0;
  std::size_t all = 0;

  std::size_t least() const { return std::max(number + (ratio > 0 ? 1 + ratio : 0), kLeastColumn); }
};

std::string side_cell(const SideCell& cell, const SideWidths& width, const Terminal& terminal) {
  if (!cell.number) return flush_left(cell.text, width.all);
  const std::string shown = flush_right(cell.text, width.number - kBest.size());
  std::string out = cell.best ? styled(shown, Meaning::strong, terminal) + std::string(kBest) : shown + " ";
  std::size_t rest = width.all - std::min(width.all, width.number);
  if (!cell.ratio.empty()) {
    const std::string ratio = " " + flush_right(cell.ratio, width.ratio);
    out += styled(ratio, Meaning::secondary, terminal);
    rest -= std::min(rest, display_width(ratio));
  }
  return out + spaces(rest);
}

class SideLayout {
 public:
  /// As wide as the cells are. A name takes the room that is left and is broken into lines where that is not enough;
  /// words and titles are where not even two columns fit.
  SideLayout(const SideBySide& table, const Terminal& terminal)
      : table_(table), terminal_(terminal), room_(terminal.width), columns_(table.names.size()) {
    for (const SideRow& row : table.rows) {
      title_ = std::max(title_, display_width(row.title));
      for (std::size_t i = 0; i < row.cells.size(); ++i) measure(row.cells[i], columns_[i]);
    }
    for (SideWidths& column : columns_) column.all = std::max(column.all, column.least());
    if (!table.as_rows.empty()) narrow();
    widen();
    for (std::size_t i = 1; i < columns_.size() && room_ > 0; ++i) cut(i);
  }

  /// For all columns at once, names in as many lines as they take.
  bool has_room() const { return parts(columns_.size()).size() == 1; }

  std::string text() const {
    const auto crowded = parts(columns_.size());
    // As many in each, where that makes no more parts.
    const auto even = parts((columns_.size() - 1 + crowded.size() - 1) / crowded.size());
    const auto& all = even.size() == crowded.size() ? even : crowded;
    std::string out;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (k > 0)
        out += "\n" +
               styled(say("part {} of {}; -o wide: all in one", k + 1, all.size()), Meaning::secondary, terminal_) +
               "\n\n";
      out += part(all[k]);
    }
    return out;
  }

 private:
  using Shown = std::vector<std::size_t>;

  static void measure(const SideCell& cell, SideWidths& column) {
    if (!cell.number) column.all = std::max(column.all, display_width(cell.text));
    if (cell.number) column.number = std::max(column.number, display_width(cell.text) + kBest.size());
    column.ratio = std::max(column.ratio, display_width(cell.ratio));
  }

  std::size_t width(const Shown& shown) const {
    std::size_t sum = title_;
    for (const std::size_t i : shown) sum += kColumnGap + columns_[i].all;
    return sum;
  }

  /// Words go on in further lines where that lets all columns stand side by side; names do where words alone are not
  /// enough.
  void narrow() {
    if (!narrow_words(true)) narrow_words(false);
  }

  /// Whether that is enough; if not, nothing is changed. `names`: each column stays as wide as its name.
  bool narrow_words(bool names) {
    constexpr std::size_t kLeastWords = 12;
    Shown all;
    for (std::size_t i = 0; i < columns_.size(); ++i) all.push_back(i);
    const std::vector<SideWidths> before = columns_;
    if (names)
      for (const std::size_t i : all) columns_[i].all = std::max(columns_[i].all, display_width(table_.names[i]));
    const auto spare = [&](std::size_t i) {
      const std::size_t words = names ? std::max(kLeastWords, display_width(table_.names[i])) : kLeastWords;
      const std::size_t least = std::max(columns_[i].least(), std::min(words, columns_[i].all));
      return columns_[i].all - std::min(columns_[i].all, least);
    };
    while (room_ > 0 && width(all) > room_) {
      const auto widest =
          std::ranges::max_element(all, {}, [&](std::size_t i) { return spare(i) > 0 ? columns_[i].all : 0; });
      if (spare(*widest) == 0) break;
      --columns_[*widest].all;
    }
    const bool fits = room_ == 0 || width(all) <= room_;
    if (!fits) columns_ = before;
    return fits;
  }

  void widen() {
    std::size_t used = title_;
    for (const SideWidths& column : columns_) used += kColumnGap + column.all;
    std::size_t spare = room_ == 0 ? SIZE_MAX : room_ - std::min(room_, used);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::size_t name = std::max(display_width(table_.names[i]), columns_[i].all);
      const std::size_t more = std::min(name - columns_[i].all, spare);
      columns_[i].all += more;
      spare -= more;
    }
  }

  void cut(std::size_t i) {
    const auto excess = [&] { return width({0, i}) - std::min(width({0, i}), room_); };
    for (SideWidths* column : {&columns_[i], &columns_.front()})
      column->all -= std::min(excess(), column->all - std::min(column->all, column->least()));
    title_ -= std::min(excess(), title_ - std::min(title_, kLeastTitle));
  }

  std::string head(const Shown& shown) const {
    std::vector<std::vector<std::string>> names;
    std::size_t lines = 0;
    for (const std::size_t i : shown) {
      names.push_back(name_pieces(table_.names[i], columns_[i].all));
      lines = std::max(lines, names.back().size());
    }
    std::string out;
    for (std::size_t k = 0; k < lines; ++k) {
      std::string line = spaces(title_);
      for (std::size_t c = 0; c < shown.size(); ++c)
        line += spaces(kColumnGap) + flush_left(k < names[c].size() ? names[c][k] : "", columns_[shown[c]].all);
      out += styled(without_trailing_blanks(line), Meaning::strong, terminal_) + "\n";
    }
    return out;
  }

  static std::vector<std::string> text_lines(std::string_view text, std::size_t width) {
    std::vector<std::string> lines;
    const std::string wrapped = wrap(text, width, 0);
    for (const std::string_view one : split(std::string_view(wrapped).substr(0, wrapped.size() - 1), '\n'))
      for (std::string& piece : name_pieces(one, width)) lines.push_back(std::move(piece));
    return lines;
  }

  /// Words that are longer than their column go on below.
  std::vector<std::string> row_lines(const SideRow& row, const Shown& shown) const {
    const std::vector<std::string> title = text_lines(row.title, title_);
    std::vector<std::vector<std::string>> cells;
    std::size_t lines = title.size();
    if (!row.cells.empty())
      for (const std::size_t i : shown) {
        const SideCell& cell = row.cells[i];
        cells.push_back(cell.number ? std::vector<std::string>{} : text_lines(cell.text, columns_[i].all));
        lines = std::max(lines, cells.back().size());
      }
    std::vector<std::string> out(lines);
    for (std::size_t k = 0; k < lines; ++k) {
      out[k] = flush_left(k < title.size() ? title[k] : "", title_);
      for (std::size_t c = 0; c < cells.size(); ++c) {
        const SideWidths& width = columns_[shown[c]];
        const SideCell& cell = row.cells[shown[c]];
        const bool figure = cell.number && k == 0;
        out[k] += spaces(kColumnGap) + (figure ? side_cell(cell, width, terminal_)
                                               : flush_left(k < cells[c].size() ? cells[c][k] : "", width.all));
      }
    }
    return out;
  }

  std::string part(const Shown& shown) const {
    std::string out = head(shown);
    for (const SideRow& row : table_.rows) {
      const bool tells_nothing = !row.cells.empty() && row.all_equal();
      for (const std::string& line : row_lines(row, shown))
        out += styled(without_trailing_blanks(line), tells_nothing ? Meaning::secondary : Meaning::plain, terminal_) +
               "\n";
    }
    return out;
  }

  /// The first column with at most `others` more in each part, as many as fit.
  std::vector<Shown> parts(std::size_t others) const {
    std::vector<Shown> parts(1);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      Shown with = parts.back();
      with.push_back(i);
      const bool fits = room_ == 0 || with.size() <= 2 || (width(with) <= room_ && with.size() <= others + 1);
      if (fits)
        parts.back() = std::move(with);
      else
        parts.push_back({0, i});
    }
    return parts;
  }

  const SideBySide& table_;
  const Terminal& terminal_;
  std::size_t room_;
  std::size_t title_ = 0;
  std::vector<SideWidths> columns_;
};

}  // namespace

std::string side_by_side_text(const SideBySide& table, const Terminal& terminal) {
  const SideLayout layout(table, terminal);
  return table.as_rows.empty() || layout.has_room() ? layout.text() : table_text(table.as_rows.front(), terminal);
}

}  // namespace gpusel::show
