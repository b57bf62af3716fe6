#include "report/svg.hpp"

#include <algorithm>

#include "gpusel/base/message.hpp"
#include "gpusel/base/text.hpp"

namespace gpusel::report {

namespace {

// Of a picture, in units of its own: it is scaled to the page.
constexpr double kWidth = 720;
constexpr double kHeight = 400;
constexpr double kLeft = 64;
constexpr double kRight = 16;
constexpr double kTop = 28;
constexpr double kBottom = 48;
constexpr std::size_t kColours = 8;
constexpr double kBarHeight = 30;
constexpr double kBarLabel = 170;
constexpr double kBarEnd = 90;  // beside a bar, for its value

std::string text(double x, double y, std::string_view anchor, std::string_view words, std::string_view more = {}) {
  return format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more,
                html_text(words));
}

std::string line(std::string_view name, double x1, double y1, double x2, double y2) {
  return format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", name, x1, y1, x2, y2);
}

std::string tip(std::string_view words) {
  return words.empty() ? std::string() : format("<title>{}</title>", html_text(words));
}

std::string open(double height, std::string_view label) {
  return format("<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">\n", kWidth, height,
                html_text(label));
}

/// A chart's values as places of the picture.
struct Plot {
  const Chart& chart;
  double x(double value) const { return kLeft + chart.x.place(value) * (kWidth - kLeft - kRight); }
  double y(double value) const { return kHeight - kBottom - chart.y.place(value) * (kHeight - kTop - kBottom); }
};

std::string axes(const Plot& plot) {
  const Chart& chart = plot.chart;
  std::string out;
  for (const double tick : chart.y.ticks(7)) {
    out += line("grid", kLeft, plot.y(tick), kWidth - kRight, plot.y(tick));
    out += text(kLeft - 6, plot.y(tick) + 4, "end", tick_text(tick));
  }
  for (const double tick : chart.x.ticks(9)) {
    out += line("grid", plot.x(tick), kTop, plot.x(tick), kHeight - kBottom);
    out += text(plot.x(tick), kHeight - kBottom + 16, "middle", tick_text(tick));
  }
  out += line("axis", kLeft, kHeight - kBottom, kWidth - kRight, kHeight - kBottom);
  out += line("axis", kLeft, kTop, kLeft, kHeight - kBottom);
  const auto title = [](const std::string& words, bool log) { return words + (log ? say(" (logarithmic)") : ""); };
  out += text(4, 14, "start", title(chart.y_title, chart.y.log), " class=\"title\"");
  return out + text(kWidth - kRight, kHeight - 10, "end", title(chart.x_title, chart.x.log), " class=\"title\"");
}

std::string legend(const std::vector<std::string>& series) {
  std::string out;
  for (std::size_t i = 0; i < series.size(); ++i)
    out += format("<li><span class=\"key s{}\"></span>{}</li>\n", i % kColours, html_text(series[i]));
  return out.empty() ? out : "<ul class=\"legend\">\n" + out + "</ul>\n";
}

// Colours of eight series that people of any colour vision tell apart, on light and on dark.
constexpr std::string_view kStyle =
    R"(:root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--soft:#5b6570;--rule:#d9dee4;
--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#b5488f;--c4:#8a6d00;--c5:#2f8fc9;--c6:#7a4fbf;--c7:#555f69}
@media (prefers-color-scheme:dark){:root{--bg:#14181d;--fg:#e6e9ed;--soft:#9aa4af;--rule:#333b44;
--c0:#56b4e9;--c1:#ff8c42;--c2:#2fd1a0;--c3:#e58cc4;--c4:#e6c84f;--c5:#8fd0f5;--c6:#b79af0;--c7:#aab4be}}
*{box-sizing:border-box}body{margin:0 auto;padding:1.25rem;max-width:60rem;background:var(--bg);color:var(--fg);
font:16px/1.5 system-ui,sans-serif}h1{font-size:1.4rem;margin:0 0 .5rem}h2{font-size:1.1rem;margin:2rem 0 .5rem}
p{margin:.4rem 0}p.soft{color:var(--soft)}svg{display:block;width:100%;height:auto}svg text{font-size:12px;fill:var(--soft)}
svg text.title{font-weight:600;fill:var(--fg)}.grid{stroke:var(--rule);stroke-width:1}.axis{stroke:var(--soft);stroke-width:1}
.base{stroke:var(--fg);stroke-width:1.5}.line{fill:none;stroke-width:2}.mark{opacity:.55}.strong{opacity:1;stroke:var(--bg);stroke-width:1}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem}th,td{padding:.25rem .6rem;border-bottom:1px solid var(--rule);
text-align:left;white-space:nowrap}.num{text-align:right;font-variant-numeric:tabular-nums}.legend{list-style:none;padding:0;
display:flex;flex-wrap:wrap;gap:.2rem 1rem;font-size:.9rem}.key{display:inline-block;width:.8rem;height:.8rem;margin-right:.4rem;border-radius:2px}
@media (max-width:40rem){body{padding:.75rem}svg text{font-size:18px}}
)";

/// The classes of the series' colours: marks, lines, keys of legends.
std::string colours() {
  std::string out;
  for (std::size_t i = 0; i < kColours; ++i)
    out += format(
        ".s{0}{{fill:var(--c{0});background:var(--c{0})}}.line.s{0}{{fill:none;stroke:var(--c{0});background:none}}\n",
        i);
  return out;
}

}  // namespace

std::string html_text(std::string_view given) {
  std::string out;
  for (const char c : printable(given)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string svg_chart(const Chart& chart, std::string_view label) {
  const Plot plot{chart};
  std::string out = "<figure class=\"wide\">\n" + open(kHeight, label) + axes(plot);
  for (const Line& one : chart.lines) {
    std::string points;
    for (const auto& [x, y] : one.points)
      points += format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", plot.x(x), plot.y(y));
    out += format("<polyline class=\"line s{}\" points=\"{}\"/>\n", one.series % kColours, points);
  }
  // Strong marks last, on top of the others.
  for (const bool strong : {false, true})
    for (const Mark& mark : chart.marks)
      if (mark.strong == strong)
        out += format("<circle class=\"mark s{}{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\">{}</circle>\n",
                      mark.series % kColours, strong ? " strong" : "", plot.x(mark.x), plot.y(mark.y), strong ? 5 : 3,
                      tip(mark.tip));
  return out + "</svg>\n" + legend(chart.series) + "</figure>\n";
}

std::string svg_bars(const Bars& bars, std::string_view label) {
  const Scale scale = bars.scale();
  const double height = kTop + kBarHeight * static_cast<double>(bars.bars.size()) + 8;
  const auto x = [&](double value) {
    return kBarLabel + kBarEnd + scale.place(value) * (kWidth - kBarLabel - 2 * kBarEnd);
  };
  std::string out = "<figure class=\"wide\">\n" + open(height, label);
  out += text(4, 14, "start", bars.title, " class=\"title\"");
  double y = kTop;
  for (const Bar& bar : bars.bars) {
    out += text(kBarLabel - 8, y + kBarHeight / 2 + 4, "end", bar.label);
    const auto side = [&](double end, std::size_t series) {
      const double from = std::min(x(end), x(bars.base));
      out += format("<rect class=\"bar s{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\">{}</rect>\n",
                    series, from, y + 5, std::max(x(end), x(bars.base)) - from, kBarHeight - 10, tip(bar.tip));
    };
    side(bar.low, 0);
    side(bar.high, 1);
    const bool low_left = bar.low <= bar.high;
    out += text(x(std::min({bar.low, bar.high, bars.base})) - 5, y + kBarHeight / 2 + 4, "end",
                low_left ? bar.low_text : bar.high_text);
    out += text(x(std::max({bar.low, bar.high, bars.base})) + 5, y + kBarHeight / 2 + 4, "start",
                low_left ? bar.high_text : bar.low_text);
    y += kBarHeight;
  }
  out += line("base", x(bars.base), kTop, x(bars.base), height - 4);
  return out + "</svg>\n" + legend(bars.sides) + "</figure>\n";
}

std::string html_section(std::string_view heading, std::string_view html) {
  return format("<section>\n<h2>{}</h2>\n{}</section>\n", html_text(heading), html);
}

std::string html_paragraph(std::string_view words) { return format("<p>{}</p>\n", html_text(words)); }

std::string html_page(std::string_view title, std::string_view body) {
  const std::string head = html_text(title);
  return format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<title>{}</title>\n<style>\n{}{}</style>\n"
      "</head>\n<body>\n<h1>{}</h1>\n{}</body>\n</html>\n",
      head, kStyle, colours(), head, body);
}

}  // namespace gpusel::report
