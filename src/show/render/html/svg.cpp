#include "show/render/html/svg.hpp"

#include <algorithm>
#include <cmath>

#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "show/render/html/html.hpp"
#include "show/render/terminal/labels.hpp"

namespace gpusel::show {

namespace {

// Along the page in per cent of its width, down in pixels.
constexpr double kLeft = 9;
constexpr double kRight = 97;
constexpr double kHeight = 340;
constexpr double kTop = 30;
constexpr double kBottom = 48;
constexpr std::size_t kColours = 8;

std::string text(double x, double y, std::string_view anchor, std::string_view words, std::string_view name,
                 double aside = 0) {
  const std::string shift = aside != 0 ? format(" dx=\"{:.0f}\"", aside) : "";
  return format("<text class=\"{}\" x=\"{:.2f}%\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", name, x, y, anchor,
                shift, words);
}

std::string line(std::string_view name, double x1, double y1, double x2, double y2) {
  return format("<line class=\"{}\" x1=\"{:.2f}%\" y1=\"{:.1f}\" x2=\"{:.2f}%\" y2=\"{:.1f}\"/>\n", name, x1, y1, x2,
                y2);
}

std::string rect(std::string_view name, double x, double y, double width, double height, std::string_view inside = {}) {
  return format("<rect class=\"{}\" x=\"{:.2f}%\" y=\"{:.1f}\" width=\"{:.2f}%\" height=\"{:.1f}\">{}</rect>\n", name,
                x, y, std::max(width, 0.0), height, inside);
}

std::string tip(std::string_view words) {
  return words.empty() ? std::string() : format("<title>{}</title>", html_text(words));
}

std::string open(double height, std::string_view label, std::string_view more = {}) {
  return format("<figure>\n<svg height=\"{:.0f}\" role=\"img\">\n<title>{}</title>\n<desc>{}</desc>\n", height,
                html_text(label), html_text(more.empty() ? label : more));
}

/// A figure of each series' own, so that colour is not all that tells them apart; around the origin.
constexpr std::string_view kShapes[] = {"M-5 0A5 5 0 1 0 5 0A5 5 0 1 0 -5 0Z",
                                        "M0 -5.5L5 4.5H-5Z",
                                        "M-4.5 -4.5H4.5V4.5H-4.5Z",
                                        "M0 -6L6 0L0 6L-6 0Z",
                                        "M0 5.5L5 -4.5H-5Z",
                                        "M-2 -5H2V-2H5V2H2V5H-2V2H-5V-2H-2Z"};

std::string_view shape(std::size_t series) { return kShapes[series % std::size(kShapes)]; }

std::string mark_class(const Mark& mark) {
  return format("mark s{}{}", mark.series % kColours, mark.strong ? " strong" : " hollow");
}

/// A chart's values as places of the picture.
struct Plot {
  const Chart& chart;
  double x(double value) const { return kLeft + chart.x.place(value) * (kRight - kLeft); }
  double y(double value) const { return kHeight - kBottom - chart.y.place(value) * (kHeight - kTop - kBottom); }
};

std::string axes(const Plot& plot) {
  const Chart& chart = plot.chart;
  std::string out;
  for (const double tick : chart.y.ticks(6)) {
    out += line("grid", 0, plot.y(tick), 100, plot.y(tick));
    out += text(0, plot.y(tick) - 4, "start", tick_text(tick), "tick");
  }
  for (const double tick : chart.x.ticks(7)) {
    out += line("axis", plot.x(tick), kHeight - kBottom, plot.x(tick), kHeight - kBottom + 5);
    out += text(plot.x(tick), kHeight - kBottom + 18, "middle", tick_text(tick), "tick");
  }
  out += line("axis", 0, kHeight - kBottom, 100, kHeight - kBottom);
  const auto title = [](const std::string& words, bool log) {
    return html_text(words + (log ? say(" (logarithmic)") : ""));
  };
  out += text(0, 12, "start", title(chart.y_title, chart.y.log), "title");
  return out + text(100, kHeight - 8, "end", title(chart.x_title, chart.x.log), "title");
}

/// In a picture of its own that is stretched: shares of a width cannot stand in a list of points.
std::string lines(const Plot& plot) {
  const Chart& chart = plot.chart;
  if (chart.lines.empty()) return {};
  std::string out = format(
      "<svg class=\"lines\" x=\"{}%\" y=\"{}\" width=\"{}%\" height=\"{}\" viewBox=\"0 0 1000 1000\" "
      "preserveAspectRatio=\"none\">\n",
      kLeft, kTop, kRight - kLeft, kHeight - kTop - kBottom);
  for (const Line& one : chart.lines) {
    std::string points;
    for (const auto& [x, y] : one.points)
      points +=
          format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", 1000 * chart.x.place(x), 1000 * (1 - chart.y.place(y)));
    out += format("<polyline class=\"line s{}\" vector-effect=\"non-scaling-stroke\" points=\"{}\">{}</polyline>\n",
                  one.series % kColours, points, one.series < chart.series.size() ? tip(chart.series[one.series]) : "");
  }
  return out + "</svg>\n";
}

std::string mark_svg(const Plot& plot, const Mark& mark) {
  return format(
      "<svg x=\"{:.2f}%\" y=\"{:.1f}\"><path class=\"{}\" data-x=\"{:.9g}\" data-y=\"{:.9g}\" "
      "d=\"{}\">{}</path></svg>\n",
      plot.x(mark.x), plot.y(mark.y), mark_class(mark), mark.x, mark.y, shape(mark.series), tip(mark.tip));
}

/// Points of the lines, so near to each other that no name fits between them.
void add_lines(const Plot& plot, std::vector<LabelledPoint>& points) {
  constexpr double kAlong = 0.4, kDown = 4;
  for (const Line& one : plot.chart.lines)
    for (std::size_t i = 1; i < one.points.size(); ++i) {
      const double x = plot.x(one.points[i - 1].first), y = plot.y(one.points[i - 1].second);
      const double along = plot.x(one.points[i].first) - x, down = plot.y(one.points[i].second) - y;
      const double steps = std::ceil(std::max({std::abs(along) / kAlong, std::abs(down) / kDown, 1.0}));
      for (double step = 0; step <= steps; ++step)
        points.push_back({x + along * step / steps, y + down * step / steps, {}, {}, true});
    }
}

std::string labels(const Plot& plot) {
  std::vector<LabelledPoint> points;
  for (const Mark& mark : plot.chart.marks)
    points.push_back({plot.x(mark.x), plot.y(mark.y), mark.label, mark.aside, false});
  add_lines(plot, points);
  std::string out;
  for (const PlacedLabel& label : place_labels(points, {kLeft, 100, kTop, kHeight - kBottom})) {
    const LabelledPoint& point = points[label.point];
    // The mark is the origin, so that the distance to it is the same on every screen.
    out += format("<svg x=\"{:.2f}%\" y=\"{:.1f}\">", point.x, point.y);
    if (label.leader)
      out += format("<line class=\"leader\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>", label.from.x,
                    label.from.y, label.to.x, label.to.y);
    const std::string more =
        label.aside ? format("<tspan class=\"aside\"> {}</tspan>", html_text(point.aside)) : std::string();
    out += format("<text class=\"label\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}{}</text></svg>\n", label.at.x,
                  label.at.y, label.anchor, html_text(point.label), more);
  }
  return out;
}

/// The key of a series: its line, its mark, or both.
std::string key(const Chart& chart, std::size_t series) {
  std::string out = "<svg width=\"26\" height=\"14\" aria-hidden=\"true\">";
  const bool drawn =
      std::any_of(chart.lines.begin(), chart.lines.end(), [&](const Line& l) { return l.series == series; });
  const auto mark =
      std::find_if(chart.marks.begin(), chart.marks.end(), [&](const Mark& m) { return m.series == series; });
  if (drawn) out += format("<line class=\"line s{}\" x1=\"0\" y1=\"7\" x2=\"26\" y2=\"7\"/>", series % kColours);
  if (mark != chart.marks.end())
    out += format("<path class=\"key {}\" transform=\"translate(13 7)\" d=\"{}\"/>", mark_class(*mark).substr(5),
                  shape(series));
  return out + "</svg>";
}

std::string swatch(std::size_t series, std::string_view letter, std::string_view kind = {}) {
  const std::string inside =
      letter.empty() ? "" : format("<text class=\"inside\" x=\"8\" y=\"12\">{}</text>", html_text(letter));
  return format(
      "<svg width=\"16\" height=\"16\" aria-hidden=\"true\"><rect class=\"{}s{}\" width=\"16\" height=\"16\" "
      "rx=\"3\"/>{}</svg>",
      kind, series % kColours, inside);
}

std::string legend_of(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string out;
  for (const auto& [sign, words] : entries) out += format("<li>{}{}</li>\n", sign, html_text(words));
  return out.empty() ? out : "<ul class=\"legend\">\n" + out + "</ul>\n";
}

}  // namespace

std::string svg_chart(const Chart& chart, std::string_view label) {
  const Plot plot{chart};
  std::string out = open(kHeight, label, say("{} over {}", chart.y_title, chart.x_title)) + axes(plot) + lines(plot);
  // Strong marks last, on top of the others.
  for (const bool strong : {false, true})
    for (const Mark& mark : chart.marks)
      if (mark.strong == strong) out += mark_svg(plot, mark);
  std::vector<std::pair<std::string, std::string>> entries;
  for (std::size_t i = 0; i < chart.series.size(); ++i) entries.emplace_back(key(chart, i), chart.series[i]);
  return out + labels(plot) + "</svg>\n" + legend_of(entries) + "</figure>\n";
}

std::string svg_bars(const Bars& bars, std::string_view label) {
  constexpr double kRow = 44;
  constexpr double kEnds = 18;  // per cent on either side, for the values
  const Scale scale = bars.scale();
  const double height = kTop + kRow * static_cast<double>(bars.bars.size()) + 4;
  const auto x = [&](double value) { return kEnds + scale.place(value) * (100 - 2 * kEnds); };
  std::string out = open(height, label, bars.title) + text(0, 12, "start", html_text(bars.title), "title");
  double y = kTop;
  for (const Bar& bar : bars.bars) {
    out += text(0, y + 12, "start", html_text(bar.label), "name");
    const auto side = [&](double end, std::size_t series) {
      const double from = std::min(x(end), x(bars.base));
      out += rect(format("bar s{}", series), from, y + 18, std::max(x(end), x(bars.base)) - from, 18, tip(bar.tip));
    };
    side(bar.low, 0);
    side(bar.high, 1);
    const bool low_left = bar.low <= bar.high;
    out += text(x(std::min({bar.low, bar.high, bars.base})), y + 31, "end",
                html_text(low_left ? bar.low_text : bar.high_text), "label", -6);
    out += text(x(std::max({bar.low, bar.high, bars.base})), y + 31, "start",
                html_text(low_left ? bar.high_text : bar.low_text), "label", 6);
    y += kRow;
  }
  out += line("base", x(bars.base), kTop, x(bars.base), height);
  std::vector<std::pair<std::string, std::string>> entries;
  for (std::size_t i = 0; i < bars.sides.size(); ++i) entries.emplace_back(swatch(i, {}, "side "), bars.sides[i]);
  return out + "</svg>\n" + legend_of(entries) + "</figure>\n";
}

namespace {

constexpr double kStackRow = 52;
constexpr double kStackBar = 22;
/// Of the page's width, in per cent, from which a part has room for its letter on a phone.
constexpr double kLetterRoom = 5;

std::string letter_of(std::size_t part) { return std::string(1, static_cast<char>('A' + part)); }

std::string stack_svg(const Stacks& stacks, const Stack& stack, double y, double most) {
  const auto x = [&](double value) { return 100 * value / most; };
  const double bar = y + 20;
  std::string out = text(0, y + 13, "start", html_text(stack.label), "name");
  out += text(100, y + 13, "end", html_text(stack.value), "value");
  if (stack.limit > 0) out += rect("track", 0, bar, x(stack.limit), kStackBar, tip(stack.tip));
  double from = 0;
  for (std::size_t i = 0; i < stack.parts.size(); ++i) {
    const double part = stack.parts[i];
    if (part <= 0) continue;
    out += rect(format("part s{}", i % kColours), x(from), bar, x(part), kStackBar,
                tip(say("{}: {} {}", stacks.parts[i], human_number(part), stacks.unit)));
    if (x(part) >= kLetterRoom) out += text(x(from + part / 2), bar + 15, "middle", letter_of(i), "inside");
    from += part;
  }
  if (stack.high > stack.low) {
    const double middle = bar + kStackBar + 4;
    out += line("range", x(stack.low), middle, x(stack.high), middle);
    for (const double end : {stack.low, stack.high}) out += line("range", x(end), middle - 3, x(end), middle + 3);
  }
  if (stack.limit > 0) out += line("limit", x(stack.limit), bar - 3, x(stack.limit), bar + kStackBar + 3);
  return out;
}

}  // namespace

std::string svg_stacks(const Stacks& stacks, std::string_view label) {
  double most = 0;
  std::vector<bool> used(stacks.parts.size(), false);
  for (const Stack& stack : stacks.stacks) {
    double total = 0;
    for (std::size_t i = 0; i < stack.parts.size(); ++i) {
      total += stack.parts[i];
      used[i] = used[i] || stack.parts[i] > 0;
    }
    most = std::max({most, total, stack.limit, stack.high});
  }
  if (most <= 0) return {};
  most *= 1.005;  // so that a line at the end is not cut
  std::string out = open(kStackRow * static_cast<double>(stacks.stacks.size()) + 4, label);
  double y = 0;
  for (const Stack& stack : stacks.stacks) {
    out += stack_svg(stacks, stack, y, most);
    y += kStackRow;
  }
  std::vector<std::pair<std::string, std::string>> entries;
  for (std::size_t i = 0; i < stacks.parts.size(); ++i)
    if (used[i]) entries.emplace_back(swatch(i, letter_of(i)), stacks.parts[i]);
  const auto sign = [](std::string_view drawn) {
    return format("<svg width=\"16\" height=\"16\" aria-hidden=\"true\">{}</svg>", drawn);
  };
  if (!stacks.limit.empty())
    entries.emplace_back(sign("<line class=\"limit\" x1=\"8\" y1=\"0\" x2=\"8\" y2=\"16\"/>"), stacks.limit);
  if (!stacks.range.empty())
    entries.emplace_back(sign("<path class=\"range\" d=\"M1 8H15M1 5V11M15 5V11\"/>"), stacks.range);
  return out + "</svg>\n" + legend_of(entries) + "</figure>\n";
}

}  // namespace gpusel::show
