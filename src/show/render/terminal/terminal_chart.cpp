#include <algorithm>
#include <cmath>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "show/render/terminal/terminal.hpp"

namespace gpusel::show {

namespace {

constexpr std::size_t kUsualWidth = 80;
constexpr std::size_t kLeastPlot = 16;
constexpr std::size_t kColumnsPerTick = 14;

/// A grid of characters with strong ones.
class Canvas {
 public:
  Canvas(std::size_t width, std::size_t height) : width_(width), cells_(width * height, ' '), strong_(width * height) {}

  void put(std::size_t x, std::size_t y, char glyph, bool strong) {
    const std::size_t at = y * width_ + x;
    if (strong_[at] && !strong) return;
    cells_[at] = glyph;
    strong_[at] = strong;
  }

  std::string row(std::size_t y, const Terminal& terminal) const {
    std::string out;
    std::size_t last = 0;
    for (std::size_t x = 0; x < width_; ++x)
      if (cells_[y * width_ + x] != ' ') last = x + 1;
    for (std::size_t x = 0; x < last; ++x) {
      const std::string glyph(1, cells_[y * width_ + x]);
      out += strong_[y * width_ + x] ? styled(glyph, Meaning::strong, terminal) : glyph;
    }
    return out;
  }

 private:
  std::size_t width_;
  std::string cells_;
  std::vector<bool> strong_;
};

std::size_t cell(double place, std::size_t cells) {
  return static_cast<std::size_t>(std::lround(place * static_cast<double>(cells - 1)));
}

}  // namespace

std::string chart_text(const Chart& chart, std::size_t rows, const Terminal& terminal) {
  const std::vector<double> y_ticks = chart.y.ticks(std::max<std::size_t>(rows / 3, 2));
  std::size_t label = 0;
  for (const double tick : y_ticks) label = std::max(label, display_width(tick_text(tick)));
  const std::size_t room = terminal.width > 0 ? std::min<std::size_t>(terminal.width, 100) : kUsualWidth;
  const std::size_t width = std::max(room > label + 3 ? room - label - 3 : 0, kLeastPlot);
  Canvas canvas(width, rows);
  const auto glyph = [&](const Mark& mark) {
    return mark.series < chart.glyphs.size() ? chart.glyphs[mark.series] : '*';
  };
  for (const Mark& mark : chart.marks)
    canvas.put(cell(chart.x.place(mark.x), width), rows - 1 - cell(chart.y.place(mark.y), rows), glyph(mark),
               mark.strong);

  std::string out = chart.y_title + (chart.y.log ? say(" (logarithmic)") : "") + "\n";
  for (std::size_t y = 0; y < rows; ++y) {
    std::string text;
    for (const double tick : y_ticks)
      if (rows - 1 - cell(chart.y.place(tick), rows) == y) text = tick_text(tick);
    out +=
        std::string(label - display_width(text), ' ') + text + (text.empty() ? " | " : " + ") + canvas.row(y, terminal);
    out.erase(out.find_last_not_of(' ') + 1);
    out += "\n";
  }
  // The axis below, its ticks, and their labels where the one before leaves room.
  std::string axis(width, '-'), labels(width, ' ');
  std::size_t taken = 0;
  for (const double tick : chart.x.ticks(std::max<std::size_t>(width / kColumnsPerTick, 2))) {
    const std::size_t at = cell(chart.x.place(tick), width);
    const std::string text = tick_text(tick);
    axis[at] = '+';
    const std::size_t from =
        std::min(at > text.size() / 2 ? at - text.size() / 2 : 0, width - std::min(width, text.size()));
    if (from < taken) continue;
    labels.replace(from, text.size(), text);
    taken = from + text.size() + 1;
  }
  labels.erase(labels.find_last_not_of(' ') + 1);
  const std::string lead(label, ' ');
  out += lead + " +-" + axis + "\n" + lead + "   " + labels + "\n";
  const std::string title = chart.x_title + (chart.x.log ? say(" (logarithmic)") : "");
  const std::size_t used = display_width(title);
  out += lead + "   " + std::string(width > used ? width - used : 0, ' ') + title + "\n";
  for (std::size_t i = 0; i < chart.series.size(); ++i)
    out += wrap(format("{}{} {}", lead + "   ", i < chart.glyphs.size() ? chart.glyphs[i] : '*', chart.series[i]),
                terminal.width, label + 5);
  return out;
}

std::string bar_text(const Bars& bars, const Bar& bar, std::size_t width) {
  const Scale scale = bars.scale();
  std::string out(width, ' ');
  const std::size_t base = cell(scale.place(bars.base), width);
  const auto fill = [&](double end, char glyph) {
    const std::size_t at = cell(scale.place(end), width);
    for (std::size_t i = std::min(at, base); i <= std::max(at, base); ++i) out[i] = out[i] == ' ' ? glyph : '#';
  };
  fill(bar.low, '-');
  fill(bar.high, '+');
  out[base] = '|';
  return out;
}

}  // namespace gpusel::show
