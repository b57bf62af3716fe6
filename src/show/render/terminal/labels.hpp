// Where names stand beside the points of a picture: none covers a point or another name, on narrow and on wide screens.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpusel::show {

/// Along the picture in per cent of its width, down in pixels.
struct LabelledPoint {
  double x = 0;
  double y = 0;
  std::string label = {};  // empty: it has none, and none may cover it
  std::string aside = {};  // behind the label on wide screens
  bool on_line = false;    // of a drawn line, which names avoid where they can
};

/// Within which names stay, in the same units.
struct LabelRoom {
  double left = 0, right = 100;
  double top = 0, bottom = 0;
};

/// Pixels from a point.
struct Offset {
  double x = 0;
  double y = 0;
};

struct PlacedLabel {
  std::size_t point = 0;
  Offset at;                // of the text's baseline, at its anchor
  std::string_view anchor;  // as SVG calls it
  bool aside = false;       // with it
  bool leader = false;      // a line leads to it
  Offset from, to;          // of that line
};

/// In the order of the points: what comes first has the better place. Points without a free place have no name.
std::vector<PlacedLabel> place_labels(std::span<const LabelledPoint> points, const LabelRoom& room);

}  // namespace gpusel::show
