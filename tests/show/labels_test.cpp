// Names in a picture: beside their own points, over nothing else.
#include "show/render/terminal/labels.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace labels_test {

using namespace gpusel::show;

namespace {

constexpr LabelRoom kRoom{9, 100, 30, 292};

struct Box {
  double left, right, top, bottom;
};

/// Of a name without its aside, at letters narrower than any font's.
Box box_of(const LabelledPoint& point, const PlacedLabel& label, double width) {
  const double wide = 5.0 * static_cast<double>(point.label.size());
  const double x = point.x / 100 * width + label.at.x;
  const double left = label.anchor == "start" ? x : label.anchor == "end" ? x - wide : x - wide / 2;
  return {left, left + wide, point.y + label.at.y - 8, point.y + label.at.y};
}

bool cover(const Box& a, const Box& b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

}  // namespace

TEST_CASE("no name covers a point or another name, on any screen") {
  std::vector<LabelledPoint> points;
  // Near to each other, as good answers are, and in one row.
  for (int i = 0; i < 12; ++i)
    points.push_back({30 + 3.0 * std::cos(i), 150 + 20 * std::sin(i), "#" + std::to_string(i + 1), "8 x h100", false});
  for (int i = 0; i < 8; ++i) points.push_back({95, 200.0 + i, "", "", false});
  points.push_back({95, 204, "#13", "8 x h100", false});
  const auto placed = place_labels(points, kRoom);
  REQUIRE(placed.size() >= 6);
  CHECK(placed.front().point == 0);
  for (const double width : {320.0, 375.0, 592.0, 800.0, 1104.0})
    for (std::size_t i = 0; i < placed.size(); ++i) {
      const Box box = box_of(points[placed[i].point], placed[i], width);
      CHECK(box.right <= width);
      CHECK(box.bottom <= kRoom.bottom);
      for (const LabelledPoint& point : points) {
        const double x = point.x / 100 * width;
        CHECK(!cover(box, {x - 4, x + 4, point.y - 4, point.y + 4}));
      }
      for (std::size_t j = 0; j < i; ++j) CHECK(!cover(box, box_of(points[placed[j].point], placed[j], width)));
    }
}

TEST_CASE("a point that stands alone has its name beside it, with all of it and without a line") {
  const auto placed =
      place_labels(std::vector<LabelledPoint>{{50, 150, "#1", "1 x l4", false}, {10, 60, "", "", false}}, kRoom);
  REQUIRE(placed.size() == 1);
  CHECK(placed[0].aside);
  CHECK(!placed[0].leader);
  CHECK(placed[0].anchor == "start");
}

TEST_CASE("a name that is not beside its point has a line to it") {
  std::vector<LabelledPoint> points{{50, 150, "#1", "", false}};
  for (int i = 0; i < 16; ++i)
    points.push_back({50 + 2 * std::cos(0.4 * i), 150 + 14 * std::sin(0.4 * i), "", "", false});
  for (const PlacedLabel& label : place_labels(points, kRoom)) CHECK(label.leader);
}

TEST_CASE("names stand off lines where they can") {
  std::vector<LabelledPoint> points{{50, 150, "480 h", "(65.7 %)", false}};
  for (double x = 9; x < 97; x += 0.4) points.push_back({x, 150, "", "", true});
  const auto placed = place_labels(points, kRoom);
  REQUIRE(placed.size() == 1);
  const Box box = box_of(points[0], placed[0], 800);
  CHECK((box.bottom < 150 || box.top > 150));
}

}  // namespace labels_test
