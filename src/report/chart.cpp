#include "report/chart.hpp"

#include <algorithm>
#include <cmath>

#include "gpusel/base/message.hpp"
#include "gpusel/base/number.hpp"
#include "gpusel/base/text.hpp"
#include "report/table.hpp"

namespace gpusel::report {

namespace {

constexpr double kDecadeAndAHalf = 31.6;  // 10 ^ 1.5
constexpr std::size_t kUsualWidth = 80;
constexpr std::size_t kLeastPlot = 16;
constexpr std::size_t kColumnsPerTick = 14;

/// 1, 2 or 5 × a power of ten, at least `value`.
double round_step(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0})
    if (factor * power >= value * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

/// Values of a logarithmic axis: powers of ten, with 2 and 5 between them where there is room.
std::vector<double> log_ticks(double low, double high, std::size_t most) {
  std::vector<double> all, decades;
  for (double power = std::pow(10, std::floor(std::log10(low))); power <= high * (1 + 1e-9); power *= 10)
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * power;
      if (value < low * (1 - 1e-9) || value > high * (1 + 1e-9)) continue;
      all.push_back(value);
      if (factor == 1) decades.push_back(value);
    }
  std::vector<double>& chosen = all.size() <= most || decades.size() < 2 ? all : decades;
  const std::size_t every = (chosen.size() + most - 1) / std::max<std::size_t>(most, 1);
  std::vector<double> out;
  for (std::size_t i = 0; i < chosen.size(); i += std::max<std::size_t>(every, 1)) out.push_back(chosen[i]);
  return out;
}

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
      out += strong_[y * width_ + x] ? bold(glyph, terminal) : glyph;
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

double Scale::place(double value) const {
  if (high <= low) return 0.5;
  const double part = log ? std::log(std::max(value, low) / low) / std::log(high / low) : (value - low) / (high - low);
  return std::clamp(part, 0.0, 1.0);
}

std::vector<double> Scale::ticks(std::size_t most) const {
  if (high <= low || most < 2) return {low};
  if (log) return log_ticks(low, high, most);
  const double step = round_step((high - low) / static_cast<double>(most - 1));
  std::vector<double> out;
  const double first = std::ceil(low / step - 1e-9);
  for (double i = first; i * step <= high + step * 1e-9; ++i) out.push_back(i == 0 ? 0 : i * step);
  return out;
}

Scale scale_for(std::span<const double> values) {
  if (values.empty()) return {};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  Scale scale{*low, *high, *low > 0 && *high / *low > kDecadeAndAHalf};
  if (scale.log) {
    const auto down = [](double value) {
      const double power = std::pow(10, std::floor(std::log10(value) + 1e-9));
      return value >= 5 * power ? 5 * power : value >= 2 * power ? 2 * power : power;
    };
    scale.low = down(*low);
    scale.high = round_step(*high);
    return scale;
  }
  const double span = *high > *low ? *high - *low : std::max(std::abs(*low), 1.0) * 0.2;
  const double step = round_step(span / 5);
  scale.low = std::floor(*low / step) * step;
  scale.high = std::ceil(*high / step) * step;
  if (scale.high <= scale.low) scale.high = scale.low + step;
  return scale;
}

std::string tick_text(double value) {
  constexpr double kShortened = 10'000;
  return std::abs(value) >= kShortened ? human_count(value) : human_number(value);
}

std::string text_chart(const Chart& chart, std::size_t rows, const Terminal& terminal) {
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

Scale Bars::scale() const {
  Scale scale{base, base, false};
  for (const Bar& bar : bars) {
    scale.low = std::min({scale.low, bar.low, bar.high});
    scale.high = std::max({scale.high, bar.low, bar.high});
  }
  return scale;
}

std::string text_bar(const Bars& bars, const Bar& bar, std::size_t width) {
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

}  // namespace gpusel::report
