// Charts as data.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace gpusel::show {

/// Where values lie along an axis.
struct Scale {
  double low = 0;
  double high = 1;
  bool log = false;

  /// From 0 to 1; what lies outside is at the edge.
  double place(double value) const;
  /// At most `most` round values inside, ascending; in decades and halves of them where it is logarithmic.
  std::vector<double> ticks(std::size_t most) const;
};

/// From a round value below all to one above all; logarithmic where they span more than a decade and a half.
Scale scale_for(std::span<const double> values);
/// "20k", "1.5M", "0.05".
std::string tick_text(double value);

struct Mark {
  double x = 0;
  double y = 0;
  std::size_t series = 0;
  bool strong = false;     // stands out from the others
  std::string tip;         // what it is, for whoever points at it
  std::string label = {};  // beside it, on pages, where there is room; earlier marks come first
  std::string aside = {};  // behind that, on wide screens
};

struct Line {
  std::size_t series = 0;
  std::vector<std::pair<double, double>> points;
};

struct Chart {
  std::string x_title;
  std::string y_title;
  Scale x;
  Scale y;
  std::vector<std::string> series;  // what the colours and glyphs mean
  std::string glyphs;               // one per series
  std::vector<Mark> marks;
  std::vector<Line> lines;  // drawn on pages only
};

/// What the two ends of one input do to a value.
struct Bar {
  std::string label;
  std::string low_text, high_text;  // what stands at its two ends
  double low = 0, high = 0;
  std::string tip;
};
struct Bars {
  std::string title = {};  // of the value
  double base = 0;         // where both sides begin
  std::vector<Bar> bars = {};
  std::vector<std::string> sides = {};  // what the low and the high side are

  Scale scale() const;
};

/// Parts that add up to a whole, with what there is room for. Drawn on pages only.
struct Stack {
  std::string label;
  std::string value;          // in words
  std::vector<double> parts;  // one per name
  double limit = 0;           // 0: none
  double low = 0, high = 0;   // within which the whole is; 0: not known
  std::string tip;
};
struct Stacks {
  std::string unit;
  std::vector<std::string> parts;  // their names
  std::string limit;               // what the line of each is
  std::string range;               // what low and high are
  std::vector<Stack> stacks;
};

}  // namespace gpusel::show
