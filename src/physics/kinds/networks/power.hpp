// What a GPU is worth to programs that draw, in points of the Blender benchmark. Private to this room.
#pragma once

#include <string_view>

#include "physics/kinds/kinds.hpp"

namespace gpusel::physics {

struct DrawingPower {
  double points = 0;       // of the device, a slice's share; 0: not known
  bool published = false;  // else it follows from cores, clock and bandwidth
  bool trusted = false;    // a published score, the median of runs enough
  std::string_view note;
};

/// What cards of a GPU's generation with so many multiprocessors, such a clock and bandwidth reach; 0: none was
/// measured.
double derived_points(const catalog::Gpu& gpu, const RenderCoefficients& c);

/// Of one device. A slice gets a little less than its share.
DrawingPower drawing_power(const Device& device, const catalog::Catalog& catalog, const RenderCoefficients& c);
/// Of `vcpus` of a processor.
DrawingPower drawing_power(const Host& host);

/// How far from the truth a score may be: 80 of 100 lie within this factor.
double spread_of(const DrawingPower& power, const RenderCoefficients& c);

}  // namespace gpusel::physics
