// Charts: their scales, what a terminal shows, and pages that any browser can read.
#include "show/document/chart.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "show/render/html/html.hpp"
#include "show/render/html/svg.hpp"
#include "show/render/terminal/terminal.hpp"

namespace chart_test {

using namespace gpusel::show;

namespace {

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++found;
  return found;
}

/// What is wrong with the tags of a page: nothing where each is closed by its own, and attributes are quoted.
std::string fault(const std::string& page) {
  static const std::vector<std::string> kAlone{"!DOCTYPE", "meta"};
  std::vector<std::string> open;
  for (std::size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at)) {
    const auto end = page.find('>', at);
    if (end == std::string::npos) return "a tag has no end";
    std::string tag = page.substr(at + 1, end - at - 1);
    at = end;
    if (tag.find('<') != std::string::npos) return "a < inside <" + tag;
    if (count(tag, "\"") % 2 != 0) return "a quote is open in <" + tag;
    const bool closes = tag.starts_with('/');
    const bool alone = tag.ends_with('/');
    const std::string name = tag.substr(closes ? 1 : 0, tag.find_first_of(" /", 1) - (closes ? 1 : 0));
    if (std::find(kAlone.begin(), kAlone.end(), name) != kAlone.end() || alone) continue;
    if (!closes) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return "</" + name + "> closes nothing";
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> is open";
}

Chart small_chart() {
  Chart chart;
  chart.x_title = "hours";
  chart.y_title = "USD";
  chart.x = {1, 100, true};
  chart.y = {0, 10, false};
  chart.series = {"on the frontier", "beaten"};
  chart.glyphs = "*.";
  chart.marks = {
      {1, 10, 0, true, "a"}, {10, 5, 0, true, "<b> & \"c\""}, {100, 0, 0, true, "d"}, {10, 10, 1, false, "e"}};
  chart.lines = {{0, {{1, 10}, {10, 5}, {100, 0}}}};
  return chart;
}

}  // namespace

TEST_CASE("ticks are round, ascending and inside") {
  const Scale linear{0, 7, false};
  CHECK(linear.ticks(8) == std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(Scale{-30, 30, false}.ticks(4) == std::vector<double>{-20, 0, 20});
  CHECK(Scale{1, 100, true}.ticks(7) == std::vector<double>{1, 2, 5, 10, 20, 50, 100});
  CHECK(Scale{1, 1e6, true}.ticks(7) == std::vector<double>{1, 10, 100, 1000, 1e4, 1e5, 1e6});
  CHECK(Scale{1, 1e6, true}.place(1000) == Approx(0.5));
  CHECK(Scale{3, 3, false}.place(3) == 0.5);
}

TEST_CASE("a scale holds all values, and is logarithmic where they span much") {
  for (const std::vector<double>& values :
       {std::vector<double>{17.6, 17.6}, {0.087, 21.4}, {14, 36}, {0, 3}, {-5, 2}}) {
    const Scale scale = scale_for(values);
    CHECK(scale.low <= *std::min_element(values.begin(), values.end()));
    CHECK(scale.high >= *std::max_element(values.begin(), values.end()));
    CHECK(scale.low < scale.high);
    CHECK(scale.log == (values[0] > 0 && values[1] / values[0] > 31.7));
  }
}

TEST_CASE("a chart is drawn with plain characters") {
  CHECK(chart_text(small_chart(), 7, {.width = 30}) == R"(USD
10 + *           .
   |
   |
   |             *
   |
   |
 0 +                         *
   +-+-----------------------+
     1                     100
           hours (logarithmic)
     * on the frontier
     . beaten
)");
}

TEST_CASE("a bar begins at the base and shows which end is which") {
  Bars bars{"USD", 10, {{"a", "8", "12", 8, 12, ""}, {"b", "12", "11", 12, 11, ""}, {"c", "10", "9", 10, 9, ""}}};
  CHECK(bar_text(bars, bars.bars[0], 9) == "----|++++");
  CHECK(bar_text(bars, bars.bars[1], 9) == "    |##--");
  CHECK(bar_text(bars, bars.bars[2], 9) == "  ++|    ");
}

TEST_CASE("stacked bars have a part for each amount, a limit and a range") {
  Stacks stacks{"GiB", {"weights", "<cache>", "other"}, "usable", "80 of 100", {}};
  stacks.stacks.push_back({"1. \"a\" <b>", "7 of 8 GiB", {4, 3, 0}, 8, 6, 9, "1 GiB free"});
  stacks.stacks.push_back({"2. c", "4 of 4 GiB", {4, 0, 0}, 0, 0, 0, ""});
  const std::string picture = svg_stacks(stacks, "memory");
  CHECK(fault(picture).empty());
  CHECK(count(picture, "<rect class=\"part s0\"") == 2);
  CHECK(count(picture, "<rect class=\"part s1\"") == 1);
  CHECK(count(picture, "<rect class=\"part s2\"") == 0);
  CHECK(count(picture, "class=\"limit\"") == 1 + 1);  // and in the legend
  CHECK(count(picture, "<line class=\"range\"") == 3);
  CHECK(count(picture, "other") == 0);  // no stack has any
  CHECK(count(picture, "<cache>") == 0);
  CHECK(svg_stacks({}, "nothing").empty());
}

TEST_CASE("series have shapes of their own and lines of their own, not only colours") {
  Chart chart = small_chart();
  chart.lines.push_back({1, {{1, 1}, {100, 2}}});
  const std::string picture = svg_chart(chart, "chart");
  std::vector<std::string> shapes;
  for (auto at = picture.find(" d=\""); at != std::string::npos; at = picture.find(" d=\"", at + 1))
    shapes.push_back(picture.substr(at, picture.find('"', at + 4) - at));
  std::sort(shapes.begin(), shapes.end());
  CHECK(std::unique(shapes.begin(), shapes.end()) - shapes.begin() == 2);
  CHECK(page_parts().style.find(".line.s1 { stroke-dasharray") != std::string_view::npos);
}

TEST_CASE("each mark has its name beside it, or at the end of a line") {
  Chart chart = small_chart();
  chart.marks[0].label = "#1";
  chart.marks[1].label = "#2";
  chart.marks[1].aside = "<gpu>";
  chart.marks.push_back({10.1, 5, 0, true, "", "#3"});
  const std::string picture = svg_chart(chart, "chart");
  CHECK(count(picture, "class=\"label\"") == 3);
  CHECK(count(picture, "class=\"leader\"") >= 1);
  CHECK(count(picture, "&lt;gpu&gt;") == 1);
}

TEST_CASE("a page is well-formed, keeps to itself and shows every mark") {
  Bars bars{"USD", 10, {{"a<b", "8", "12", 8, 12, "<i>"}, {"c", "10", "9", 10, 9, ""}}};
  Table table({{"<name>"}, {"x", Align::right}});
  table.add({"<script>alert(1)</script>", "1"});
  Document document;
  document.title("a & b <c>").heading("charts").add(Picture{small_chart(), "\"chart\""}).add(Picture{bars, "bars"});
  const std::string page = html_page(document.add(table).line("1 < 2"));
  CHECK(fault(page).empty());
  CHECK(count(page, "<path class=\"mark") == small_chart().marks.size());
  CHECK(count(page, "<rect class=\"bar") == 2 * bars.bars.size());
  CHECK(count(page, "<polyline") == 1);
  CHECK(count(page, "<script") == 0);
  CHECK(count(page, "http:") + count(page, "https:") == 0);
  CHECK(count(page, "default-src 'none'") == 1);
  CHECK(count(page, "script-src 'none'") == 1);
  CHECK(count(page, "&lt;script&gt;") == 1);
  CHECK(count(page, "<h1>a &amp; b &lt;c&gt;</h1>") == 1);
  CHECK(page.find("prefers-color-scheme: dark") != std::string::npos);
  CHECK(page.find("width=device-width") != std::string::npos);
  CHECK(!fault("<p><b></p>").empty());
  CHECK(!fault("<p class=\"a>x</p>").empty());
}

}  // namespace chart_test
