#include "show/render/terminal/labels.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "base/text/text.hpp"

namespace gpusel::show {

namespace {

/// Widths of a picture in pixels, from a phone's to the widest page's; asides are shown on the wide ones only.
struct Screen {
  double width = 0;
  bool wide = false;
};
constexpr Screen kScreens[] = {{320, false}, {440, false}, {592, false}, {592, true},
                               {760, true},  {920, true},  {1104, true}};

// Pixels.
constexpr double kColumn = 7.4;  // of text, generously
constexpr double kAscent = 10;
constexpr double kDescent = 4;
constexpr double kMarkHalf = 6;
constexpr double kLineHalf = 1.5;
constexpr double kClear = 3;  // between a name and what is not its own
/// From a mark to its name; from the second on, a line leads there.
constexpr double kNear = 9;
constexpr double kDistances[] = {kNear, 26, 42, 60, 80, 104};
constexpr int kDirections = 16;

struct Box {
  double left, right, top, bottom;

  bool covers(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

/// A place that a name may have, relative to its mark.
struct Candidate {
  Offset at;
  std::string_view anchor;
  bool leader = false;
  Offset from, to;
};

/// Nearest first; to the right first, then to the left, above and below.
std::vector<Candidate> candidates() {
  std::vector<Candidate> all;
  for (const double distance : kDistances)
    for (int i = 0; i < kDirections; ++i) {
      const int turn = i % 2 == 0 ? i / 2 : kDirections - (i + 1) / 2;
      const double angle = 2 * std::numbers::pi * turn / kDirections;
      const Offset end{distance * std::cos(angle), -distance * std::sin(angle)};
      const bool upright = std::abs(end.x) < distance / 4;
      Candidate one;
      one.anchor = upright ? "middle" : end.x > 0 ? "start" : "end";
      // The text's middle is level with the line's end; straight above and below, the text is beyond it.
      const double beyond = end.y < 0 ? -kDescent : kAscent;
      one.at = {end.x, end.y + (upright ? beyond : (kAscent - kDescent) / 2)};
      one.leader = distance > kNear;
      const double start = kMarkHalf / distance;
      one.from = {end.x * start, end.y * start};
      one.to = {end.x * (1 - 2 / distance), end.y * (1 - 2 / distance)};
      all.push_back(one);
    }
  return all;
}

class Placing {
 public:
  Placing(std::span<const LabelledPoint> points, const LabelRoom& room) : points_(points), room_(room) {}

  std::vector<PlacedLabel> run() {
    const std::vector<Candidate> all = candidates();
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (points_[i].label.empty()) continue;
      std::optional<PlacedLabel> found;
      for (const Wish wish : kWishes)
        if (!found && (!wish.aside || !points_[i].aside.empty())) found = place(i, all, wish);
      if (found) placed_.push_back(*found);
    }
    return placed_;
  }

 private:
  /// What is given up, one after the other.
  struct Wish {
    bool aside, off_lines;
    bool clear_leader;  // its line goes over no other mark
  };
  static constexpr Wish kWishes[] = {
      {true, true, true}, {false, true, true}, {false, false, true}, {false, false, false}};

  std::optional<PlacedLabel> place(std::size_t point, std::span<const Candidate> all, Wish wish) const {
    for (const Candidate& one : all) {
      const PlacedLabel label{point, one.at, one.anchor, wish.aside, one.leader, one.from, one.to};
      if (std::ranges::all_of(kScreens, [&](const Screen& screen) { return is_free(label, wish, screen); }))
        return label;
    }
    return std::nullopt;
  }

  double x_of(std::size_t point, const Screen& screen) const { return points_[point].x / 100 * screen.width; }

  Box box_of(const PlacedLabel& label, const Screen& screen) const {
    const LabelledPoint& point = points_[label.point];
    double columns = static_cast<double>(display_width(point.label));
    if (label.aside && screen.wide) columns += 1 + static_cast<double>(display_width(point.aside));
    const double width = columns * kColumn;
    const double x = x_of(label.point, screen) + label.at.x;
    const double left = label.anchor == "start" ? x : label.anchor == "end" ? x - width : x - width / 2;
    const double base = point.y + label.at.y;
    return {left, left + width, base - kAscent, base + kDescent};
  }

  Box mark_of(std::size_t point, const Screen& screen, double half) const {
    const double x = x_of(point, screen), y = points_[point].y;
    return {x - half, x + half, y - half, y + half};
  }

  bool is_free(const PlacedLabel& label, Wish wish, const Screen& screen) const {
    const Box box = box_of(label, screen);
    if (box.left < room_.left / 100 * screen.width || box.right > room_.right / 100 * screen.width ||
        box.top < room_.top || box.bottom > room_.bottom)
      return false;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (points_[i].on_line) {
        if (wish.off_lines && box.covers(mark_of(i, screen, kLineHalf))) return false;
        continue;
      }
      // A place beside a mark is its own only where no other is as near.
      const bool own = i == label.point;
      if (box.covers(mark_of(i, screen, own || same_place(i, label.point) ? kMarkHalf - 1 : kMarkHalf + kClear)))
        return false;
      if (!own && wish.clear_leader && label.leader && crosses(label, mark_of(i, screen, kMarkHalf), screen))
        return false;
    }
    return std::ranges::none_of(placed_, [&](const PlacedLabel& other) {
      const Box taken = box_of(other, screen);
      const Box clear{taken.left - kClear, taken.right + kClear, taken.top - kClear, taken.bottom + kClear};
      return box.covers(clear) || (label.leader && crosses(label, clear, screen)) ||
             (other.leader && crosses(other, box, screen));
    });
  }

  bool same_place(std::size_t a, std::size_t b) const {
    return points_[a].x == points_[b].x && points_[a].y == points_[b].y;
  }

  /// Whether a name's line goes through a box; looked at in steps that are finer than any box.
  bool crosses(const PlacedLabel& label, const Box& box, const Screen& screen) const {
    constexpr int kSteps = 24;
    const double x = x_of(label.point, screen), y = points_[label.point].y;
    for (int i = 0; i <= kSteps; ++i) {
      const double part = static_cast<double>(i) / kSteps;
      const double at_x = x + label.from.x + part * (label.to.x - label.from.x);
      const double at_y = y + label.from.y + part * (label.to.y - label.from.y);
      if (at_x > box.left && at_x < box.right && at_y > box.top && at_y < box.bottom) return true;
    }
    return false;
  }

  std::span<const LabelledPoint> points_;
  LabelRoom room_;
  std::vector<PlacedLabel> placed_;
};

}  // namespace

std::vector<PlacedLabel> place_labels(std::span<const LabelledPoint> points, const LabelRoom& room) {
  return Placing(points, room).run();
}

}  // namespace gpusel::show
