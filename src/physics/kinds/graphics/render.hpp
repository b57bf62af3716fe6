// Offline rendering: its coefficients. Private to this room.
#pragma once

#include "physics/coefficients.hpp"

namespace gpusel::physics {

struct RenderCoefficients {
  Coefficient score_scale;              // points, by generation of the RT cores ("RT 3"), else by compute capability
  Coefficient score_clocks;             // exponent of multiprocessors x GHz
  Coefficient score_bandwidth;          // exponent of GB/s
  Coefficient score_spread;             // factor: published, few (runs), derived
  Coefficient renderer_spread;          // factor between Blender's ratio and a renderer's own, by renderer
  Coefficient without_rt;               // share of Blender's ratio left to GPUs without RT cores, by renderer
  Coefficient slice_exponent;           // of a slice's share
  Coefficient process_gib;              // that a renderer's process takes besides the scene
  Coefficient spill_factor;             // of the rate when a scene just does not fit, and at the limit
  Coefficient spill_limit;              // scene over memory beyond which it is no use
  Coefficient memory_low, memory_high;  // measured over predicted memory, of sessions and simulations, too
  Coefficient startup_share;            // of the time of a frame: loading, export, building the tree
  Coefficient shared_frame_gain;        // of the rate per doubling of the GPUs that share one frame
};

template <class Visitor>
void visit_coefficients(RenderCoefficients& c, Visitor&& v) {
  v("render.score_scale", c.score_scale);
  v("render.score_clocks", c.score_clocks);
  v("render.score_bandwidth", c.score_bandwidth);
  v("render.score_spread", c.score_spread);
  v("render.renderer_spread", c.renderer_spread);
  v("render.without_rt", c.without_rt);
  v("render.slice_exponent", c.slice_exponent);
  v("render.process_gib", c.process_gib);
  v("render.spill_factor", c.spill_factor);
  v("render.spill_limit", c.spill_limit);
  v("render.memory_low", c.memory_low);
  v("render.memory_high", c.memory_high);
  v("render.startup_share", c.startup_share);
  v("render.shared_frame_gain", c.shared_frame_gain);
}

}  // namespace gpusel::physics
